import Foundation
import Glibc
import Testing

/// Attacks without the right to control takt: each is refused, and no slot is late.
@Suite(.ownThreads) struct ControlAttackTests {
  private static let jobs = "jobs:\n  beat: {every: 500ms, run: 'true', missed: {policy: skip}}\n"

  /// Checks that the beats continue, each in its own slot.
  private func expectPunctual(_ live: LiveTakt, _ comment: String) throws {
    for _ in 0..<2 {
      try live.process.line("a beat") { $0.job == "beat" && $0.verdict == "ran" }
    }
    let verdicts = live.process.lines.filter { $0.job == "beat" && $0.verdict != nil }
    #expect(verdicts.allSatisfy { $0.verdict == "ran" }, "\(comment)")
  }

  private func request(
    _ method: String = "GET", _ path: String = "/api/v1/status", _ headers: [String]
  ) -> String {
    (["\(method) \(path) HTTP/1.1"] + headers + ["", ""]).joined(separator: "\r\n")
  }

  @Test func `who has no token, or comes from elsewhere, is refused`() throws {
    let live = try LiveTakt(Self.jobs, http: true)
    let (host, bearer) = ("Host: 127.0.0.1:\(live.port)", "Authorization: Bearer \(live.token)")
    let rows: [(String, [String], Int)] = [
      ("the token", [host, bearer], 200),
      (
        "the token, from takt's own page", [host, bearer, "Origin: http://127.0.0.1:\(live.port)"],
        200
      ),
      ("another of its names", ["Host: localhost:\(live.port)", bearer], 200),
      ("no token", [host], 401),
      ("a wrong token", [host, "Authorization: Bearer \(live.token.dropLast())x"], 401),
      ("half a token", [host, "Authorization: Bearer \(live.token.prefix(32))"], 401),
      ("an empty token", [host, "Authorization: Bearer "], 401),
      ("another scheme", [host, "Authorization: Basic \(live.token)"], 401),
      ("the token in the query", [host], 401),
      ("another host", ["Host: evil.example", bearer], 403),
      ("a host that only begins alike", ["Host: 127.0.0.1.evil.example", bearer], 403),
      ("no host", [bearer], 403),
      ("another origin", [host, bearer, "Origin: http://evil.example"], 403),
      ("no origin at all", [host, bearer, "Origin: null"], 403),
      ("another site", [host, bearer, "Sec-Fetch-Site: cross-site"], 403),
    ]
    for (name, headers, status) in rows {
      for method in ["GET", "POST"] {
        let path =
          method == "POST"
          ? "/api/v1/jobs/beat/resume"
          : name.hasSuffix("query") ? "/api/v1/status?token=\(live.token)" : "/api/v1/status"
        let connection = try RawConnection(port: live.port)
        connection.send(request(method, path, headers + ["Content-Length: 0"]))
        // A request that is accepted finds that the job is not suspended.
        let expected = method == "POST" && status == 200 ? 409 : status
        #expect(connection.status() == expected, "\(method), \(name)")
      }
    }
    // The socket needs no token, and the address is available only there.
    #expect(try live.ask("GET", "/api/v1/address").text.contains(live.token))
    let connection = try RawConnection(port: live.port)
    connection.send(request("GET", "/api/v1/address", [host, bearer]))
    #expect(connection.status() == 403)
    try expectPunctual(live, "tokens")
    #expect(try live.process.stop() == 0)
  }

  @Test func `what is too large is refused before it is read`() throws {
    let live = try LiveTakt(Self.jobs, http: true)
    let (host, bearer) = ("Host: 127.0.0.1:\(live.port)", "Authorization: Bearer \(live.token)")
    let large = try RawConnection(port: live.port)
    large.send(request("POST", "/api/v1/plan", [host, bearer, "Content-Length: 1000000000"]))
    #expect(large.status() == 413)
    // A gigabyte in parts without a length: the connection is closed long before.
    let chunked = try RawConnection(port: live.port)
    chunked.send(request("POST", "/api/v1/plan", [host, bearer, "Transfer-Encoding: chunked"]))
    let part = Array("100000\r\n".utf8) + [UInt8](repeating: 97, count: 1 << 20) + [13, 10]
    var sent = 0
    while sent < 1000, chunked.send(part) { sent += 1 }
    #expect(sent < 100, "\(sent) MiB were taken")
    // The same for a route that reads no body.
    let unread = try RawConnection(port: live.port)
    unread.send(request("POST", "/api/v1/reload", [host, bearer, "Transfer-Encoding: chunked"]))
    sent = 0
    while sent < 1000, unread.send(part) { sent += 1 }
    #expect(sent < 100, "\(sent) MiB were taken")
    let header = try RawConnection(port: live.port)
    header.send("GET / HTTP/1.1\r\n\(host)\r\nX: " + String(repeating: "x", count: 100_000))
    #expect(header.isClosed())
    let memory = try String(contentsOfFile: "/proc/\(live.process.pid)/status", encoding: .utf8)
    let peak = memory.components(separatedBy: "VmHWM:").last?.split { $0.isWhitespace }.first
    #expect(peak.flatMap { Int($0) } ?? .max < 400_000, "\(memory)")
    try expectPunctual(live, "large")
    #expect(try live.process.stop() == 0)
  }

  @Test func `who says too little is closed, and keeps nobody out`() throws {
    let live = try LiveTakt(Self.jobs, http: true)
    let slow = try (0..<50).map { _ in try RawConnection(port: live.port) }
    for connection in slow { connection.send("GET /api/v1/status HTTP/1.1\r\nHost: 127") }
    let idle = try RawConnection(port: live.port)
    let whole = try RawConnection(port: live.port)
    whole.send(request(["Host: 127.0.0.1", "Authorization: Bearer \(live.token)"]))
    #expect(whole.status() == 200)
    #expect(slow.allSatisfy { $0.isClosed() })
    #expect(idle.isClosed())
    try expectPunctual(live, "slow")
    #expect(try live.process.stop() == 0)
  }

  @Test func `thousands of connections keep no command and no slot waiting`() throws {
    let live = try LiveTakt(Self.jobs, http: true)
    var connections: [RawConnection] = []
    var refused = 0
    for _ in 0..<10_000 {
      guard let connection = try? RawConnection(port: live.port) else {
        refused += 1
        continue
      }
      connections.append(connection)
      // Connections that takt has closed at once release their descriptors.
      if connections.count > 600 { connections.removeFirst(100) }
    }
    #expect(try live.ask("GET", "/api/v1/status").status == 200)
    let descriptors = try FileManager.default.contentsOfDirectory(
      atPath: "/proc/\(live.process.pid)/fd")
    #expect(descriptors.count < 1_100, "\(descriptors.count)")
    connections = []
    try expectPunctual(live, "connections")
    #expect(try live.process.stop() == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `another user is refused on the socket, even where its file lets him`() throws {
    let live = try LiveTakt(Self.jobs)
    let socket = live.socket
    let curl = "curl -s -o /dev/null -w '%{http_code}' --unix-socket '\(socket)' http://t/healthz"
    func asNobody() throws -> String {
      let shell = try TaktProcess(
        ["--reuid=65534", "--clear-groups", "/bin/sh", "-c", curl], program: "/usr/bin/setpriv",
        in: live.folder)
      return try shell.text()
    }
    #expect(try asNobody() == "000")
    for path in [live.folder.url.path, live.folder.url.path + "/.takt"] { chmod(path, 0o755) }
    chmod(socket, 0o666)
    #expect(try asNobody() == "000")
    #expect(try live.ask("GET", "/healthz").status == 200)
    try expectPunctual(live, "another user")
    #expect(try live.process.stop() == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `only the proxy's user can send its header on the proxy's socket`() throws {
    let live = try LiveTakt(
      Self.jobs, http: true,
      proxy: "{socket: proxy.sock, user: 47321, users: {anna: operate}}")
    let words = "the proxy's socket is at "
    if !live.process.lines.contains(where: { $0.message?.hasPrefix(words) == true }) {
      try live.process.line("the proxy's socket") { $0.message?.hasPrefix(words) == true }
    }
    chmod(live.folder.url.path, 0o755)
    let socket = live.folder.url.path + "/proxy.sock"
    let curl =
      "curl -s -o /dev/null -w '%{http_code}' --unix-socket '\(socket)' -X POST"
      + " -H 'Host: localhost' -H 'Origin: http://localhost' -H 'Remote-User: anna'"
      + " http://localhost/api/v1/jobs/beat/suspend"
    func status(as user: String) throws -> String {
      let shell = try TaktProcess(
        ["--reuid=\(user)", "--clear-groups", "/bin/sh", "-c", curl],
        program: "/usr/bin/setpriv", in: live.folder)
      return try shell.text()
    }
    #expect(try status(as: "65534") == "000")
    #expect(try live.object("GET", "/api/v1/jobs/beat")["state"] as? String != "suspended")
    #expect(try status(as: "47321") == "200")
    try live.process.line("the change") {
      $0.message == "user 'anna': POST /api/v1/jobs/beat/suspend"
    }
    #expect(try live.process.stop() == 0)
    #expect(access(socket, F_OK) != 0)
  }
}

extension ControlAttackTests {
  private func request(_ headers: [String]) -> String {
    request("GET", "/api/v1/status", headers)
  }
}
