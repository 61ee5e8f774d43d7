import Foundation
import TaktTesting
import Testing

@testable import TaktControl
@testable import TaktCore

/// The page and the API below the path of `public_url`: for a proxy that passes the path on, and for one
/// that removes it.
@Suite struct SubPathTests {
  private struct Listener {
    let world: ControlWorld
    let port: UInt16
    let token: String

    init(_ url: String = "https://jobs.example.org/takt", readTokenFile: String? = nil) async throws
    {
      world = try await ControlWorld([.named("a")])
      port = try await world.listenOnNetwork(
        names: ["jobs.example.org"], readTokenFile: readTokenFile, publicURL: url)
      token = try world.token()
    }

    /// - Parameter headers: nil for those of a client that has the token.
    func ask(_ method: String, _ target: String, _ headers: [String]? = nil) throws -> Reply {
      let wire = try Wire(port: port, of: world)
      wire.send(
        method, target, method == "POST" ? [] : nil,
        headers ?? ["Host: jobs.example.org", "Authorization: Bearer \(token)"])
      return try wire.reply(isHead: method == "HEAD")
    }
  }

  @Test(arguments: [
    // With the path, and without it.
    "/takt/ | 200", "/ | 200", "/takt/?x | 200", "/takt/api/v1/status | 200",
    "/api/v1/status | 200", "/takt/api/v1/jobs?limit=1 | 200", "/takt/api/v1/jobs/a | 200",
    "/takt/metrics | 200", "/takt/healthz | 200", "/takt/calendar.ics | 200",
    "/%74akt/api/v1/status | 200", "/takt/%61pi/v1/status | 200",
    // Without the slash at its end.
    "/takt | 307 /takt/", "/takt? | 307 /takt/", "/%74akt | 307 /takt/",
    "/takt?next=//evil.example | 307 /takt/", "/takt?x=%0d%0aLocation:%20//a.example | 307 /takt/",
    // Another path that starts like it.
    "/taktx | 404", "/taktx/api/v1/status | 404", "/takt;x/api/v1/status | 404", "/tak/ | 404",
    "/TAKT/api/v1/status | 404", "/takt.evil.example/ | 404",
    // An encoded slash is none.
    "/takt%2F | 404", "/takt%2fapi/v1/status | 404", "/takt/api%2fv1%2fstatus | 404",
    "/%2ftakt/api/v1/status | 404",
    // Dots are not resolved.
    "/takt/../api/v1/status | 404", "/takt/%2e%2e/api/v1/status | 404", "/takt/.. | 404",
    "/x/../takt/api/v1/status | 404", "/./takt/ | 404",
    // It is removed once.
    "/takt/takt/api/v1/status | 404", "/takt/takt | 404",
    // Several slashes have the same meaning as without the path.
    "/takt//api/v1/status | 200", "//api/v1/status | 200", "//takt/api/v1/status | 404",
    "/takt//evil.example/ | 404",
    "/takt/%zz | 400", "/takt% | 400", "http://jobs.example.org/takt/api/v1/status | 200",
  ])
  func `a request is served or refused`(row: String) async throws {
    let parts = row.components(separatedBy: " | ")
    let reply = try await Listener().ask("GET", parts[0])
    let told = [String(reply.status), reply.headers["location"]].compactMap(\.self)
    #expect(told.joined(separator: " ") == parts[1])
    #expect(reply.headers["set-cookie"] == nil)
  }

  @Test(arguments: [
    "GET /takt/ | 200", "GET /takt | 307", "HEAD /takt | 307", "GET /takt/healthz | 200",
    "GET /takt/api/v1/status | 401", "GET /takt/metrics | 401", "GET /takt/calendar.ics | 401",
    "GET /takt// | 401", "GET /taktx | 401", "POST /takt/api/v1/jobs/a/suspend | 401",
    "POST /takt/ | 405", "POST /takt | 405",
  ])
  func `without a token there is what there is at the root`(row: String) async throws {
    let parts = row.components(separatedBy: " | ")
    let words = parts[0].split(separator: " ").map(String.init)
    let reply = try await Listener().ask(words[0], words[1], ["Host: jobs.example.org"])
    #expect(String(reply.status) == parts[1])
  }

  @Test(arguments: ["/takt", "/takt/", "/takt/api/v1/status"])
  func `another host and another site are refused below it`(target: String) async throws {
    let listener = try await Listener()
    let bearer = "Authorization: Bearer \(listener.token)"
    for headers in [
      ["Host: evil.example"], ["Host: evil.example", "X-Forwarded-Host: jobs.example.org"],
      ["Host: jobs.example.org", "Origin: https://evil.example"],
      ["Host: jobs.example.org", "Origin: https://jobs.example.org.evil.example"],
      ["Host: jobs.example.org", "Sec-Fetch-Site: cross-site"],
    ] {
      let reply = try listener.ask("GET", target, headers + [bearer])
      #expect(reply.problem == "403 forbidden", "\(headers)")
    }
    let own = ["Host: jobs.example.org", "Origin: https://jobs.example.org", bearer]
    #expect(try listener.ask("GET", target, own).status < 400)
    // A request sets neither the page's host nor its path.
    let forged = ["X-Forwarded-Prefix: /evil", "X-Forwarded-Host: evil.example"]
    let reply = try listener.ask("GET", "/takt", own + forged)
    #expect(reply.headers["location"] == "/takt/")
  }

  @Test(arguments: ["cross-site", "same-site"])
  func `a link of another page leads to the page, and to nothing else`(site: String) async throws {
    let listener = try await Listener()
    for (method, target, mode, destination, status) in [
      ("GET", "/", "navigate", "document", 200), ("HEAD", "/", "navigate", "document", 200),
      ("GET", "/takt/", "navigate", "document", 200), ("GET", "/takt", "navigate", "document", 307),
      ("GET", "/takt/?run=1", "navigate", "document", 200),
      ("GET", "/", "navigate", "iframe", 403), ("GET", "/takt/", "navigate", "frame", 403),
      ("GET", "/", "no-cors", "document", 403), ("GET", "/", "cors", "empty", 403),
      ("GET", "/takt/api/v1/status", "navigate", "document", 403),
      ("GET", "/calendar.ics", "navigate", "document", 403),
      ("GET", "//", "navigate", "document", 403), ("POST", "/", "navigate", "document", 403),
    ] {
      let reply = try listener.ask(
        method, target,
        [
          "Host: jobs.example.org", "Authorization: Bearer \(listener.token)",
          "Sec-Fetch-Site: \(site)", "Sec-Fetch-Mode: \(mode)", "Sec-Fetch-Dest: \(destination)",
        ])
      #expect(reply.status == status, "\(method) \(target) \(mode) \(destination)")
    }
  }

  @Test(arguments: [
    "https://jobs.example.org/takt | jobs.example.org | https://jobs.example.org | 200",
    "https://jobs.example.org/takt | jobs.example.org | http://jobs.example.org | 403",
    "https://jobs.example.org/takt | JOBS.example.org | https://jobs.example.org | 200",
    "https://jobs.example.org/takt | JOBS.example.org | http://jobs.example.org | 403",
    "https://Jobs.Example.org/takt | jobs.example.org | http://jobs.example.org | 403",
    "https://jobs.example.org:443/takt | jobs.example.org | http://jobs.example.org | 403",
    "https://jobs.example.org/takt | jobs.example.org:443 | http://jobs.example.org:443 | 403",
    "https://jobs.example.org:8443 | jobs.example.org:8443 | http://jobs.example.org:8443 | 403",
    "https://jobs.example.org:8443 | jobs.example.org:8443 | https://jobs.example.org:8443 | 200",
    // Another listener of that machine, which may be takt's own.
    "https://jobs.example.org/takt | jobs.example.org:8080 | http://jobs.example.org:8080 | 200",
    "https://jobs.example.org/takt | 127.0.0.1 | http://127.0.0.1 | 200",
    "http://jobs.example.org/takt | jobs.example.org | http://jobs.example.org | 200",
    "http://jobs.example.org/takt | jobs.example.org | https://jobs.example.org | 200",
  ])
  func `an origin has the scheme of the public address`(row: String) async throws {
    let cells = row.components(separatedBy: " | ")
    let listener = try await Listener(cells[0])
    let reply = try listener.ask(
      "GET", "/api/v1/status",
      ["Host: \(cells[1])", "Origin: \(cells[2])", "Authorization: Bearer \(listener.token)"])
    #expect(String(reply.status) == cells[3])
  }

  @Test func `a token that may only read changes nothing below it`() async throws {
    let folder = TemporaryFolder()
    let listener = try await Listener(readTokenFile: folder["token"])
    let reader = try ControlWorld.token(in: folder["token"])
    let headers = ["Host: jobs.example.org", "Authorization: Bearer \(reader)"]
    #expect(try listener.ask("GET", "/takt/api/v1/jobs/a", headers).status == 200)
    let refused = try listener.ask("POST", "/takt/api/v1/jobs/a/suspend", headers)
    #expect(refused.problem == "403 forbidden")
    #expect(try listener.ask("POST", "/takt/api/v1/jobs/a/suspend").status == 200)
  }

  @Test func `the page is the same, with the same rules for a browser`() async throws {
    let listener = try await Listener()
    let (root, below) = (try listener.ask("GET", "/"), try listener.ask("GET", "/takt/"))
    #expect(root.bytes == below.bytes && below.bytes == PageFiles.page.bytes)
    for name in ["content-security-policy", "referrer-policy", "x-content-type-options"] {
      #expect(root.headers[name] == below.headers[name] && below.headers[name] != nil, "\(name)")
    }
    let text = String(decoding: below.bytes, as: UTF8.self)
    #expect(!text.contains(#/["'`(]\/api\/v1/#), "an address of the page starts at the root")
  }

  @Test func `the description of the API says where it is`() async throws {
    let listener = try await Listener()
    for target in ["/takt/api/v1/openapi.json", "/api/v1/openapi.json"] {
      let servers = try listener.ask("GET", target).list("servers")
      #expect(servers.map { $0["url"] as? String } == ["/takt"])
    }
    #expect(
      try listener.world.get("/api/v1/openapi.json").list("servers").first?["url"] as? String
        == "/")
  }

  @Test func `the socket has no such path`() async throws {
    let listener = try await Listener()
    for target in ["/takt", "/takt/", "/takt/api/v1/status"] {
      #expect(try listener.world.get(target).status == 404, "\(target)")
    }
  }

  @Test func `takt open prints where people reach the page`() async throws {
    let listener = try await Listener()
    #expect(
      try listener.world.get("/api/v1/address")["address"] as? String
        == "https://jobs.example.org/takt/#token=\(listener.token)")
  }

  @Test(arguments: [
    "https://jobs.example.org", "https://jobs.example.org//takt", "https://jobs.example.org/api",
  ])
  func `without a path below which takt can answer there is only the root`(url: String) async throws
  {
    let listener = try await Listener(url)
    #expect(try listener.ask("GET", "/takt/api/v1/status").status == 404)
    #expect(try listener.ask("GET", "/api/v1/status").status == 200)
    #expect(try listener.ask("GET", "/api/api/v1/status").status == 404)
  }

  @Test func `no path of takt's own can be taken for one of a proxy`() throws {
    for path in try APIDescription().paths.keys {
      let first = try #require(path.split(separator: "/").first)
      #expect(HTTPSettings.ownNames.contains(first), "\(path)")
    }
  }
}
