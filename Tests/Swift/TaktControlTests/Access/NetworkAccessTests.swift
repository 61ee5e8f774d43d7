import Foundation
import TaktTesting
import Testing

@testable import TaktControl
@testable import TaktCore

/// Access over TCP: the request must have the token and name a host of takt, and must not come from
/// another site's page.
@Suite struct NetworkAccessTests {
  private struct Listener {
    let world: ControlWorld
    let port: UInt16
    let token: String

    init(names: [String] = [], readTokenFile: String? = nil) async throws {
      world = try await ControlWorld([.named("a")])
      port = try await world.listenOnNetwork(names: names, readTokenFile: readTokenFile)
      token = try world.token()
    }

    var host: String { "Host: 127.0.0.1:\(port)" }
    var bearer: String { "Authorization: Bearer \(token)" }

    func ask(_ method: String, _ target: String, _ headers: String...) throws -> Reply {
      let wire = try Wire(port: port, of: world)
      wire.send(method, target, method == "GET" ? nil : [], headers)
      return try wire.reply()
    }
  }

  @Test func `who bears the token may do all that the socket may`() async throws {
    let listener = try await Listener()
    #expect(try listener.ask("GET", "/api/v1/jobs/a", listener.host, listener.bearer).status == 200)
    let bearer = listener.bearer.replacing("Bearer", with: "bEARER")
    #expect(try listener.ask("POST", "/api/v1/jobs/a/suspend", listener.host, bearer).status == 200)
    #expect(try listener.world.get("/api/v1/jobs/a")["state"] as? String == "suspended")
  }

  @Test func `a token that may only read changes nothing, and the answer says so`() async throws {
    let folder = TemporaryFolder()
    let listener = try await Listener(readTokenFile: folder["token"])
    let token = try ControlWorld.token(in: folder["token"])
    #expect(token.count == 64 && token != listener.token)
    let reader = "Authorization: Bearer \(token)"
    for (path, methods) in try APIDescription().paths where methods.contains("post") {
      let target = path.replacing("{job}", with: "a").replacing("{run}", with: "1")
      let reply = try listener.ask("POST", target, listener.host, reader)
      #expect(reply.problem == "403 forbidden", "\(target)")
      let isOfSocket = target == "/api/v1/once" || target == "/api/v1/calendar/address"
      let title =
        isOfSocket ? "this is available only on the Unix socket" : "this token may only read"
      #expect(reply["title"] as? String == title, "\(target)")
    }
    #expect(listener.world.reload.causes.isEmpty && listener.world.scheduler.requests.isEmpty)
    #expect(try listener.world.get("/api/v1/jobs/a")["state"] as? String == "waiting")
    for (bearer, access) in [(reader, "read"), (listener.bearer, "full")] {
      let status = try listener.ask("GET", "/api/v1/status", listener.host, bearer)
      #expect(status["access"] as? String == access)
      let job = try listener.ask("GET", "/api/v1/jobs/a", listener.host, bearer)
      #expect((job["surroundings"] == nil) == (access == "read"), "an environment may be private")
    }
  }

  @Test func `two files with one token are refused`() async throws {
    let world = try await ControlWorld()
    let trouble = try await #require(throws: ControlError.self) {
      _ = try await world.listenOnNetwork(readTokenFile: world.tokenFile)
    }
    #expect(trouble.message == "\(world.tokenFile) has the same token as \(world.tokenFile)")
  }

  @Test func `a request without the token is answered with the way to send it`() async throws {
    let listener = try await Listener()
    for headers in [
      [], ["Authorization: Bearer "], ["Authorization: Bearer x"],
      ["Authorization: Basic \(listener.token)"], ["Authorization: \(listener.token)"],
      ["Authorization: Bearer \(listener.token)0"], ["Authorization: Bearer  \(listener.token)"],
      ["Cookie: token=\(listener.token)"],
    ] {
      let wire = try Wire(port: listener.port, of: listener.world)
      wire.send("POST", "/api/v1/jobs/a/suspend?", [], [listener.host] + headers)
      let reply = try wire.reply()
      #expect(reply.problem == "401 unauthorized", "\(headers)")
      #expect(reply.headers["www-authenticate"] == "Bearer realm=\"takt\"")
      #expect(
        reply["detail"] as? String
          == "Send 'Authorization: Bearer TOKEN'; 'takt open' prints the token.")
    }
    #expect(try listener.world.get("/api/v1/jobs/a")["state"] as? String == "waiting")
    // The answer is the same for routes that do not exist.
    let nothing = try listener.ask("GET", "/nothing", listener.host)
    #expect(nothing.status == 401)
  }

  @Test func `the page and the probes need no token`() async throws {
    let listener = try await Listener()
    #expect(try listener.ask("GET", "/", listener.host).status == 200)
    for probe in ["/healthz", "/readyz"] {
      #expect(try listener.ask("GET", probe, "Host: any.example").text == "ok\n")
    }
    #expect(try listener.ask("GET", "/metrics", listener.host).status == 401)
    #expect(try listener.ask("GET", "/api/v1/openapi.json", listener.host).status == 401)
  }

  @Test func `takt goes by its address and its names alone`() async throws {
    let listener = try await Listener(names: ["Takt.Example"])
    for host in [
      "127.0.0.1", "localhost:1", "LOCALHOST", "[::1]:80", "takt.example", "TAKT.example:443",
    ] {
      let reply = try listener.ask("GET", "/api/v1/status", "Host: \(host)", listener.bearer)
      #expect(reply.status == 200, "\(host)")
    }
    for host in ["evil.example", "takt.example.evil", "xtakt.example", "0x7f.1", "[::1", ":80"] {
      let reply = try listener.ask("GET", "/", "Host: \(host)", listener.bearer)
      #expect(reply.problem == "403 forbidden" || reply.status == 400, "\(host)")
    }
  }

  @Test func `a host in the target counts instead of the header`() async throws {
    let listener = try await Listener(names: ["takt.example"])
    for (target, host, status) in [
      ("http://takt.example/api/v1/status", listener.host, 200),
      ("HTTPS://TAKT.example:443/api/v1/status", listener.host, 200),
      ("http://takt.example/api/v1/status", "Host: evil.example", 200),
      ("http://evil.example/api/v1/status", listener.host, 403),
      ("http://evil.example", listener.host, 403), ("http://evil.example?x", listener.host, 403),
      ("http:///api/v1/status", listener.host, 400), ("http://", listener.host, 400),
      ("http://:80/api/v1/status", listener.host, 400), ("http:/api/v1/status", listener.host, 400),
      ("http://x@takt.example/api/v1/status", listener.host, 400),
      ("ftp://takt.example/api/v1/status", listener.host, 400),
      ("file:///api/v1/status", listener.host, 400),
    ] {
      let reply = try listener.ask("GET", target, host, listener.bearer)
      #expect(reply.status == status, "\(target)")
    }
    let origin = "Origin: http://\(listener.host.dropFirst(6))"
    let reply = try listener.ask(
      "GET", "http://takt.example/api/v1/status", listener.host, listener.bearer, origin)
    #expect(reply.status == 403)
  }

  @Test func `a page of another site is refused, takt's own is not`() async throws {
    let listener = try await Listener()
    for (field, status) in [
      ("Origin: http://127.0.0.1:\(listener.port)", 200),
      ("Origin: https://127.0.0.1:\(listener.port)", 200),
      ("Origin: http://127.0.0.1:1", 403), ("Origin: http://evil.example", 403),
      ("Origin: null", 403), ("Sec-Fetch-Site: same-origin", 200), ("Sec-Fetch-Site: none", 200),
      ("Sec-Fetch-Site: same-site", 403), ("Sec-Fetch-Site: cross-site", 403),
    ] {
      let reply = try listener.ask("GET", "/api/v1/status", listener.host, listener.bearer, field)
      #expect(reply.status == status, "\(field)")
    }
  }

  @Test func `what can be read in two ways is refused`() async throws {
    let listener = try await Listener()
    for headers in [
      ["Host: evil.example"], ["Transfer-Encoding: gzip, chunked"],
      ["Content-Length: 0", "Content-Length: 0"],
    ] {
      let wire = try Wire(port: listener.port, of: listener.world)
      wire.send("GET", "/api/v1/status", nil, [listener.host, listener.bearer] + headers)
      #expect(try wire.reply().status == 400, "\(headers)")
    }
  }

  @Test func `a token that others may read is not used`() async throws {
    let world = try await ControlWorld()
    try Data("0123456789abcdef0123\n".utf8).write(to: URL(fileURLWithPath: world.tokenFile))
    chmod(world.tokenFile, 0o644)
    let trouble = try await #require(throws: ControlError.self) {
      _ = try await world.listenOnNetwork()
    }
    #expect(
      trouble.message
        .hasSuffix("can be read by other users; run `chmod 600 \(world.tokenFile)`"))
    let address = try world.get("/api/v1/address")
    #expect(address.status == 404)
    #expect(address["detail"] as? String == "127.0.0.1:0: \(trouble.message)")
  }

  @Test func `a port that is taken is said`() async throws {
    let listener = try await Listener()
    let world = try await ControlWorld()
    let trouble = try await #require(throws: ControlError.self) {
      _ = try await world.listen(
        at: .network(
          HTTPSettings(host: "127.0.0.1", port: Int(listener.port)), tokenFile: world.tokenFile))
    }
    #expect(trouble.message == "Address already in use")
  }
}
