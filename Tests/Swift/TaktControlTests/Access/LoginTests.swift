import Foundation
import Synchronization
import TaktTesting
import Testing

@testable import TaktControl
@testable import TaktCore

/// Logins and their rights: by a proxy's header, by Basic, by each token, and by the address of the
/// calendar.
@Suite struct LoginTests {
  /// A daemon that listens over TCP and on the proxy's socket.
  private struct Listener {
    let world: ControlWorld
    let folder = TemporaryFolder()
    let port: UInt16
    let logged = Logged()

    init(
      others: ProxyLogin.Right? = .read, proxyUser: UInt32 = geteuid(), hasSecret: Bool = true
    ) async throws {
      world = try await ControlWorld([.named("a")], log: { [logged] in logged.add($0) })
      var proxy = ProxyLogin()
      proxy.socket = folder["proxy.sock"]
      proxy.user = proxyUser
      proxy.secretFile = hasSecret ? folder["secret"] : nil
      proxy.users = ["anna": .all, "bob": .operate, "eve": .read, "Anna Meier": .operate]
      proxy.others = others
      var settings = HTTPSettings(host: "127.0.0.1", port: 0)
      settings.readTokenFile = folder["read"]
      settings.operateTokenFile = folder["operate"]
      settings.publicURL = "https://jobs.example.org/takt"
      settings.proxy = proxy
      let address = try await world.listen(
        at: .network(settings, tokenFile: world.tokenFile))
      port = UInt16(address.split(separator: ":").last ?? "") ?? 0
      _ = try await world.listen(at: .proxy(proxy, settings, tokenFile: world.tokenFile))
    }

    /// The headers of a row, with values of this daemon in the place of words in capitals.
    func filled(_ header: String) throws -> String {
      var header = header
      let text = ControlWorld.token(in:)
      let texts = try [
        ("FULL", text(world.tokenFile)), ("OPERATE", text(folder["operate"])),
        ("READ", text(folder["read"])), ("SECRET", hasSecret ? text(folder["secret"]) : ""),
      ]
      for (word, text) in texts { header = header.replacing(word, with: text) }
      guard let range = header.firstRange(of: "BASE64(") else { return header }
      let inside = header[range.upperBound...].dropLast()
      return String(header[..<range.lowerBound])
        + Data(String(inside).replacing("\\n", with: "\n").utf8).base64EncodedString()
    }

    private var hasSecret: Bool { FileManager.default.fileExists(atPath: folder["secret"]) }

    func ask(
      _ way: String, _ method: String, _ target: String, _ headers: [String]
    ) throws -> Reply {
      let wire =
        try way == "socket"
        ? Wire(socket: folder["proxy.sock"], of: world) : Wire(port: port, of: world)
      var headers = try headers.map(filled)
      if !headers.contains(where: { $0.hasPrefix("Host:") }) {
        headers.append("Host: 127.0.0.1:\(port)")
      }
      wire.send(method, try filled(target), method == "POST" ? [] : nil, headers)
      return try wire.reply(isHead: method == "HEAD")
    }
  }

  private final class Logged: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  /// `WAY | METHOD TARGET | HEADERS | STATUS CODE`
  private static let rows = [
    // The header counts on the proxy's socket, but over TCP only with the secret.
    "socket | GET /api/v1/status | Remote-User: eve | 200 read",
    "socket | GET /api/v1/status | remote-user: anna | 200 full",
    "socket | GET /api/v1/status | Remote-User: Anna Meier | 200 operate",
    "socket | GET /api/v1/status | Remote-User: ANNA | 200 read",
    "socket | GET /api/v1/status | Remote-User: nobody-knows | 200 read",
    "socket | GET /api/v1/status | | 401 unauthorized",
    "socket | GET /api/v1/jobs/a | Remote-User: anna; Takt-Proxy-Secret: wrong | 200",
    "tcp | GET /api/v1/status | Remote-User: anna; Takt-Proxy-Secret: SECRET | 200 full",
    "tcp | GET /api/v1/status | Remote-User: anna | 401 unauthorized",
    "tcp | GET /api/v1/status | Remote-User: anna; Takt-Proxy-Secret: | 401 unauthorized",
    "tcp | GET /api/v1/status | Remote-User: anna; Takt-Proxy-Secret: SECRETx | 401 unauthorized",
    "tcp | GET /api/v1/status | Remote-User: anna; Takt-Proxy-Secret: FULL | 401 unauthorized",
    "tcp | GET /api/v1/status | Remote-User: anna; Takt-Proxy-Secret: SECRET; Takt-Proxy-Secret: SECRET | 401 unauthorized",
    "tcp | GET /api/v1/status | Takt-Proxy-Secret: SECRET | 401 unauthorized",
    "tcp | GET /api/v1/status | Authorization: Bearer SECRET | 401 unauthorized",
    // A token does not make the header of another login valid.
    "tcp | GET /api/v1/status | Remote-User: anna; Authorization: Bearer READ | 401 unauthorized",
    // The proxy decides, whatever a browser has sent to it.
    "socket | GET /api/v1/status | Remote-User: eve; Authorization: Bearer FULL | 200 read",
    "socket | GET /api/v1/status | Remote-User: eve; Authorization: Basic BASE64(eve:hers) | 200 read",
    "socket | GET /api/v1/status | Authorization: Bearer FULL | 200 full",
    // Headers that can be read in two ways, or have no valid name.
    "socket | GET /api/v1/status | Remote-User: eve; Remote-User: anna | 400 badRequest",
    "socket | GET /api/v1/status | Remote-User: anna; Remote-User: anna | 400 badRequest",
    "socket | GET /api/v1/status | Remote-User: eve, anna | 400 badRequest",
    "socket | GET /api/v1/status | Remote-User: | 400 badRequest",
    "socket | GET /api/v1/status | Remote-User: ann\u{e4} | 400 badRequest",
    "socket | GET /api/v1/status | Remote-User: anna\u{7f} | 400",
    "socket | GET /api/v1/status | Remote-User: an\u{1}na | 400",
    "socket | GET /api/v1/status | Remote-User: eve\r\n anna | 400",
    "tcp | GET /api/v1/status | Authorization: Basic\r\n BASE64(x:FULL) | 400",
    "socket | GET /api/v1/status | X-Remote-User: anna | 401 unauthorized",
    "socket | GET /api/v1/status | Remote_User: anna | 401 unauthorized",
    // Other ways to write a route, and other hosts.
    "socket | GET //api/v1/status | | 401 unauthorized",
    "socket | GET /healthz/../api/v1/status | | 401 unauthorized",
    "socket | GET /healthz/%2e%2e/api/v1/status | | 401 unauthorized",
    "socket | POST //api/v1/reload | Remote-User: bob; Origin: http://HOST | 403 forbidden",
    "socket | GET /api/v1/status | Remote-User: anna; Host: evil.example | 403 forbidden",
    "socket | GET /api/v1/address | Remote-User: anna | 403 forbidden",
    "socket | POST /api/v1/once | Remote-User: anna; Origin: http://HOST | 403 forbidden",
    // A change needs takt's own page if the browser logs in by itself.
    "socket | POST /api/v1/jobs/a/suspend | Remote-User: bob | 403 forbidden",
    "socket | POST /api/v1/jobs/a/suspend | Remote-User: bob; Sec-Fetch-Site: none | 403 forbidden",
    "socket | POST /api/v1/jobs/a/suspend | Remote-User: bob; Sec-Fetch-Site: same-site | 403 forbidden",
    "socket | POST /api/v1/jobs/a/suspend | Remote-User: bob; Origin: http://evil.example | 403 forbidden",
    "socket | POST /api/v1/jobs/a/suspend | Remote-User: bob; Origin: null | 403 forbidden",
    "socket | POST /api/v1/jobs/a/suspend | Remote-User: bob; Sec-Fetch-Site: same-origin; Origin: null | 403 forbidden",
    "socket | POST /api/v1/jobs/a/suspend | Remote-User: bob; Origin: http://HOST; Origin: http://HOST | 403 forbidden",
    "socket | POST /api/v1/jobs/a/suspend | Remote-User: bob; Sec-Fetch-Site: same-origin | 200",
    "socket | POST /api/v1/jobs/a/resume | Remote-User: bob; Origin: http://HOST | 200",
    "socket | POST /api/v1/jobs/a/suspend | Remote-User: eve; Origin: http://HOST | 403 forbidden",
    "socket | POST /api/v1/plan | Remote-User: bob; Origin: http://HOST | 403 forbidden",
    "socket | POST /api/v1/drain/undo | Remote-User: bob; Origin: http://HOST | 403 forbidden",
    "socket | POST /api/v1/drain/undo | Remote-User: anna; Origin: http://HOST | 409 conflict",
    // Tokens.
    "tcp | GET /api/v1/status | Authorization: Bearer OPERATE | 200 operate",
    "tcp | POST /api/v1/jobs/a/trigger | Authorization: Bearer READ | 403 forbidden",
    "tcp | POST /api/v1/jobs/a/suspend | Authorization: Bearer OPERATE | 200",
    "tcp | POST /api/v1/jobs/a/resume | Authorization: Bearer OPERATE | 200",
    "tcp | POST /api/v1/reload | Authorization: Bearer OPERATE | 403 forbidden",
    "tcp | POST /api/v1/plan | Authorization: Bearer OPERATE | 403 forbidden",
    "tcp | POST /api/v1/drain | Authorization: Bearer OPERATE | 403 forbidden",
    "tcp | GET /api/v1/status | Authorization: Bearer FULL; Authorization: Bearer FULL | 400 badRequest",
    // Basic with the token as the password, for any user.
    "tcp | GET /api/v1/status | Authorization: Basic BASE64(x:FULL) | 200 full",
    "tcp | GET /api/v1/status | Authorization: bASIC BASE64(:READ) | 200 read",
    "tcp | GET /api/v1/status | Authorization: Basic BASE64(FULL) | 401 unauthorized",
    "tcp | GET /api/v1/status | Authorization: Basic BASE64(FULL:) | 401 unauthorized",
    "tcp | GET /api/v1/status | Authorization: Basic BASE64(x:y:FULL) | 401 unauthorized",
    "tcp | GET /api/v1/status | Authorization: Basic BASE64(x:FULL\\n) | 401 unauthorized",
    "tcp | GET /api/v1/status | Authorization: Basic BASE64(x\\ny:FULL) | 401 unauthorized",
    "tcp | GET /api/v1/status | Authorization: Basic x:FULL | 401 unauthorized",
    "tcp | GET /api/v1/status | Authorization: Basic | 401 unauthorized",
    "tcp | GET /api/v1/status | Authorization: Basic ==== | 401 unauthorized",
    "tcp | POST /api/v1/jobs/a/suspend | Authorization: Basic BASE64(x:FULL) | 403 forbidden",
    "tcp | POST /api/v1/jobs/a/suspend | Authorization: Basic BASE64(x:FULL); Origin: http://evil.example | 403 forbidden",
    "tcp | POST /api/v1/jobs/a/suspend | Authorization: Basic BASE64(x:FULL); Origin: https://HOST | 200",
    "tcp | POST /api/v1/jobs/a/resume | Authorization: Basic BASE64(x:READ); Origin: http://HOST | 403 forbidden",
    // Only the calendar's token may be in an address, and that one is valid nowhere else.
    "tcp | GET /calendar.ics | Authorization: Bearer READ | 200",
    "tcp | GET /calendar.ics | | 401 unauthorized",
    "tcp | GET /calendar.ics?token= | | 401 unauthorized",
    "tcp | GET /calendar.ics?token=FULL | | 401 unauthorized",
    "tcp | GET /calendar.ics?token=READ | | 401 unauthorized",
    "tcp | GET /calendar.ics?token=SECRET | | 401 unauthorized",
    "tcp | GET /calendar.ics?token=FULL | Authorization: Bearer FULL | 401 unauthorized",
    "tcp | GET /api/v1/status?token=FULL | | 401 unauthorized",
  ]

  @Test func `each login is refused or has its rights`() async throws {
    let listener = try await Listener()
    for row in Self.rows {
      let cells = row.components(separatedBy: "|").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      let request = cells[1].components(separatedBy: " ")
      let headers = cells[2].isEmpty ? [] : cells[2].components(separatedBy: "; ")
      let reply = try listener.ask(
        cells[0], request[0], request[1],
        headers.map { $0.replacing("HOST", with: "127.0.0.1:\(listener.port)") })
      let said = "\(reply.status) \(reply["code"] ?? reply["access"] ?? "")"
      #expect(said.hasPrefix(cells[3]), "\(row): \(said) \(reply.text)")
    }
    #expect(listener.world.reload.causes.isEmpty)
    #expect(try listener.world.get("/api/v1/jobs/a")["state"] as? String == "suspended")
    // Each change of a user has a line in the log.
    #expect(
      listener.logged.all == [
        "user 'bob': POST /api/v1/jobs/a/suspend", "user 'bob': POST /api/v1/jobs/a/resume",
      ])
  }

  @Test func `a refusal names the right that is missing, and whose it is`() async throws {
    let listener = try await Listener(others: nil)
    let origin = "Origin: http://127.0.0.1:\(listener.port)"
    for (way, target, headers, title, detail) in [
      (
        "socket", "/api/v1/jobs/a/trigger", ["Remote-User: eve", origin],
        "user 'eve' may only read",
        "This needs the right 'operate'; scheduler.http.proxy.users gives it."
      ),
      (
        "socket", "/api/v1/reload", ["Remote-User: bob", origin],
        "user 'bob' may only read and operate",
        "This needs the right 'all'; scheduler.http.proxy.users gives it."
      ),
      (
        "tcp", "/api/v1/jobs/a/trigger", ["Authorization: Bearer READ"], "this token may only read",
        "This needs the right 'operate'; 'takt open' prints a token that has it."
      ),
      (
        "tcp", "/api/v1/once", ["Authorization: Bearer FULL"],
        "this is available only on the Unix socket", nil
      ),
      (
        "socket", "/api/v1/reload", ["Remote-User: stranger", origin],
        "user 'stranger' has no right here", "Add the user under scheduler.http.proxy.users."
      ),
    ] as [(String, String, [String], String, String?)] {
      let reply = try listener.ask(way, "POST", target, headers)
      #expect(reply.problem == "403 forbidden", "\(target)")
      #expect(reply["title"] as? String == title && reply["detail"] as? String == detail)
    }
  }

  @Test func `without the proxy's settings its header means nothing`() async throws {
    let world = try await ControlWorld([.named("a")])
    let port = try await world.listenOnNetwork()
    let token = try world.token()
    for (header, status) in [
      ("Remote-User: anna", 401), ("Authorization: Bearer \(token)", 200),
    ] {
      let wire = try Wire(port: port, of: world)
      wire.send(
        "GET", "/api/v1/status", nil,
        ["Host: 127.0.0.1:\(port)", "Remote-User: anna", "Takt-Proxy-Secret: x", header].uniqued)
      #expect(try wire.reply().status == status)
    }
  }

  @Test func `without a secret the header counts nowhere over TCP`() async throws {
    let listener = try await Listener(hasSecret: false)
    for secret in [[], ["Takt-Proxy-Secret:"], ["Takt-Proxy-Secret: x"]] {
      let reply = try listener.ask(
        "tcp", "GET", "/api/v1/status", ["Remote-User: anna"] + secret)
      #expect(reply.problem == "401 unauthorized")
    }
    #expect(
      try listener.ask("socket", "GET", "/api/v1/status", ["Remote-User: anna"]).status == 200)
  }

  @Test(.enabled(if: geteuid() != 0, "root may do everything anyway"))
  func `the proxy's socket is closed to every other user, takt's own too`() async throws {
    let listener = try await Listener(proxyUser: geteuid() + 1)
    let wire = try Wire(socket: listener.folder["proxy.sock"], of: listener.world)
    wire.send("GET", "/api/v1/status", nil, ["Remote-User: anna"])
    #expect(wire.isClosed())
    #expect(throws: Wire.Failure.self) { try wire.reply() }
  }

  @Test func `the proxy's socket is opened only where nobody else can put one`() async throws {
    let world = try await ControlWorld()
    var proxy = ProxyLogin()
    proxy.user = geteuid()
    let folder = TemporaryFolder()
    chmod(folder.path, 0o777)
    for (path, words) in [(folder["proxy.sock"], "chmod"), ("/none/proxy.sock", "/none")] {
      proxy.socket = path
      var settings = HTTPSettings(host: "127.0.0.1", port: 0)
      settings.proxy = proxy
      let (asked, place) = (proxy, settings)
      let trouble = try await #require(throws: ControlError.self) {
        _ = try await world.listen(at: .proxy(asked, place, tokenFile: world.tokenFile))
      }
      #expect(trouble.message.contains(words), "\(trouble.message)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder["proxy.sock"]))
  }

  @Test func `the calendar's address has a token that is good for nothing else`() async throws {
    let listener = try await Listener()
    func address(_ body: String = "") throws -> String {
      let reply = try listener.world.post("/api/v1/calendar/address", body)
      let address = try #require(reply["address"] as? String, "\(reply.text)")
      let prefix = "https://jobs.example.org/takt/calendar.ics?token="
      #expect(address.hasPrefix(prefix))
      return String(address.dropFirst(prefix.count))
    }
    func status(_ target: String, _ headers: String...) throws -> Int {
      try listener.ask("tcp", "GET", target, headers).status
    }
    let token = try address()
    let path = listener.world.folder + "/calendar-token"
    var file = stat()
    #expect(stat(path, &file) == 0 && file.st_mode & 0o777 == 0o600)
    #expect(try address() == token && ControlWorld.token(in: path) == token && token.count == 64)
    let calendar = "/calendar.ics?token=\(token)"
    let events = try listener.ask("tcp", "GET", calendar + "&ahead=60&match=a", [])
    #expect(events.status == 200 && events.text.contains("SUMMARY:a\r\n"))
    #expect(try listener.ask("tcp", "HEAD", calendar, []).status == 200)
    #expect(try status(calendar, "Host: evil.example") == 403)
    #expect(try status(calendar, "Sec-Fetch-Site: cross-site") == 403)
    #expect(try status(calendar + "&token=\(token)") == 401)
    #expect(try status("/calendar.ics?token=\(token)0") == 401)
    #expect(try status("/calendar.ics", "Authorization: Bearer \(token)") == 401)
    for target in ["/api/v1/status", "/metrics", "//calendar.ics", "/calendar.ics/"] {
      #expect(try status("\(target)?token=\(token)") == 401, "\(target)")
      #expect(try status(target, "Authorization: Bearer \(token)") == 401, "\(target)")
    }
    let post = try listener.ask("tcp", "POST", "/api/v1/reload?token=\(token)", [])
    #expect(post.status == 401)
    // Another token replaces it at once.
    let other = try address(#"{"replace":true}"#)
    let kept = try ControlWorld.token(in: path)
    #expect(other != token && kept == other)
    #expect(try status(calendar) == 401 && status("/calendar.ics?token=\(other)") == 200)
    let refused = try listener.ask(
      "tcp", "POST", "/api/v1/calendar/address", ["Authorization: Bearer FULL"])
    #expect(refused.problem == "403 forbidden")
  }
}

extension [String] {
  /// Each once, in their order.
  fileprivate var uniqued: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
