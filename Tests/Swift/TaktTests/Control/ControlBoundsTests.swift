import Foundation
import Testing

/// Clients with too many or wrong requests: runs keep their resources.
@Suite(.ownThreads) struct ControlBoundsTests {
  @Test func `connections leave every run its descriptors`() throws {
    let jobs = (1...8).map {
      "  beat\($0): {every: 500ms, run: sleep 0.1, missed: {policy: skip}}\n"
    }
    // 32 for takt itself, 40 for eight runs, 24 for connections.
    let live = try LiveTakt("jobs:\n" + jobs.joined(), http: true, maxRunning: 8, descriptors: 96)
    var connections: [RawConnection] = []
    for _ in 0..<500 {
      if let connection = try? RawConnection(port: live.port) { connections.append(connection) }
    }
    // Those of now, and others in their place as soon as there is room.
    for _ in 0..<3 {
      for job in 1...8 {
        let end = try live.process.line("its end") {
          $0.job == "beat\(job)" && $0.to == "ended"
        }
        #expect(end.outcome == "succeeded", "beat\(job): \(end.reason ?? "")")
        if let connection = try? RawConnection(port: live.port) { connections.append(connection) }
      }
    }
    let ends = live.process.lines.filter { $0.to == "ended" }
    #expect(ends.allSatisfy { $0.outcome == "succeeded" })
    // A client that fills the port does not keep the commands out.
    #expect(try live.ask("GET", "/api/v1/status").status == 200)
    connections = []
    #expect(try live.process.stop() == 0)
  }

  @Test func `a flood without a token is answered at a bounded rate, and probes pass`() throws {
    let live = try LiveTakt(
      "jobs:\n  beat: {every: 500ms, run: 'true', missed: {policy: skip}}\n", http: true)
    let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    let unknown = "GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    let floods = try (0..<4).map { _ in try RawConnection(port: live.port) }
    let count = 500
    let begin = DispatchTime.now()
    for (index, flood) in floods.enumerated() {
      flood.send(String(repeating: index == 3 ? unknown : request, count: count))
    }
    let probe = try RawConnection(port: live.port)
    for path in ["/healthz", "/readyz"] {
      probe.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(probe.status() == 200, "\(path)")
    }
    for (index, flood) in floods.enumerated() {
      let statuses = flood.statuses(count)
      let expected = index == 3 ? 401 : 200
      #expect(statuses == Array(repeating: expected, count: count), "\(Set(statuses))")
    }
    // 2,000 requests at 1,000 a second, of which 100 may come at once.
    let passed = DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds
    #expect(passed > 1_800_000_000, "\(passed) ns")
    try live.process.line("a beat") { $0.job == "beat" && $0.verdict == "ran" }
    #expect(live.process.lines.allSatisfy { $0.verdict ?? "ran" == "ran" })
    #expect(try live.process.stop() == 0)
  }

  @Test func `a request that can be read in two ways is refused`() throws {
    let live = try LiveTakt("jobs:\n  a: {cron: '@yearly', run: 'true'}\n", http: true)
    let host = "Host: 127.0.0.1:\(live.port)"
    let bearer = "Authorization: Bearer \(live.token)"
    let rows: [(String, [String])] = [
      ("two hosts", [host, "Host: evil.example", bearer, "Content-Length: 0"]),
      ("the same host twice", [host, host, bearer, "Content-Length: 0"]),
      ("another coding", [host, bearer, "Transfer-Encoding: xchunked"]),
      ("gzip alone", [host, bearer, "Transfer-Encoding: gzip"]),
      ("gzip and chunked", [host, bearer, "Transfer-Encoding: gzip, chunked"]),
      ("chunked and another", [host, bearer, "Transfer-Encoding: chunked, identity"]),
      ("chunked twice", [host, bearer, "Transfer-Encoding: chunked, chunked"]),
      ("a length and chunked", [host, bearer, "Content-Length: 5", "Transfer-Encoding: chunked"]),
      ("chunked and a length", [host, bearer, "Transfer-Encoding: chunked", "Content-Length: 5"]),
      ("two lengths", [host, bearer, "Content-Length: 0", "Content-Length: 5"]),
      ("no length", [host, bearer, "Content-Length: x"]),
    ]
    for (name, headers) in rows {
      for path in ["/api/v1/jobs/a/trigger", "/healthz"] {
        let method = path == "/healthz" ? "GET" : "POST"
        let connection = try RawConnection(port: live.port)
        let head = ["\(method) \(path) HTTP/1.1"] + headers + ["", ""]
        connection.send(head.joined(separator: "\r\n") + "0\r\n\r\n")
        let answer = connection.answer()
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(name), \(path): \(answer)")
      }
    }
    let half = try RawConnection(port: live.port)
    half.send("GET /api/v1/jobs/%zz HTTP/1.1\r\n\(host)\r\n\(bearer)\r\n\r\n")
    #expect(half.status() == 400)
    // A valid request is still accepted.
    let right = try RawConnection(port: live.port)
    let head = [
      "POST /api/v1/jobs/a/trigger HTTP/1.1", host, bearer, "Transfer-Encoding: Chunked", "", "",
    ]
    right.send(head.joined(separator: "\r\n") + "2\r\n{}\r\n0\r\n\r\n")
    #expect(right.status() == 202)
    #expect((try live.object("GET", "/api/v1/runs")["runs"] as? [Any])?.count == 1)
    #expect(try live.process.stop() == 0)
  }

  @Test func `an answer to HEAD has no body, whatever it says`() throws {
    let live = try LiveTakt("jobs:\n  a: {cron: '@yearly', run: 'true'}\n", http: true)
    let host = "Host: 127.0.0.1:\(live.port)"
    let bearer = "Authorization: Bearer \(live.token)"
    let rows: [(String, String, [String], Int)] = [
      ("a route", "/api/v1/status", [host, bearer], 200),
      ("the page", "/", [host], 200),
      ("a probe", "/healthz", [host], 200),
      ("no route", "/nothing/here", [host, bearer], 404),
      ("no job", "/api/v1/jobs/none", [host, bearer], 404),
      ("a route for POST alone", "/api/v1/jobs/a/trigger", [host, bearer], 405),
      ("another one", "/api/v1/reload", [host, bearer], 405),
      ("a wrong query", "/api/v1/runs?limit=x", [host, bearer], 400),
      ("a wrong encoding", "/api/v1/jobs/%zz", [host, bearer], 400),
      ("no token", "/api/v1/status", [host], 401),
      ("another host", "/api/v1/status", ["Host: evil.example", bearer], 403),
      ("two hosts", "/api/v1/status", [host, host, bearer], 400),
      ("a large body", "/api/v1/plan", [host, bearer, "Content-Length: 100000000"], 413),
    ]
    for (name, path, headers, status) in rows {
      let connection = try RawConnection(port: live.port)
      let head = ["HEAD \(path) HTTP/1.1"] + headers + ["Connection: close", "", ""]
      connection.send(head.joined(separator: "\r\n"))
      let answer = connection.everything()
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(name): \(answer)")
      #expect(answer.hasSuffix("\r\n\r\n"), "\(name): \(answer)")
      #expect(answer.components(separatedBy: "\r\n\r\n").count == 2, "\(name): \(answer)")
      #expect(!answer.lowercased().contains("content-length: 0"), "\(name): \(answer)")
    }
    #expect(try live.process.stop() == 0)
  }

  @Test func `a malformed body is the client's mistake, and ends its connection`() throws {
    let live = try LiveTakt("jobs:\n  a: {cron: '@yearly', run: 'true'}\n", http: true)
    let rows = [
      ("no size", "zz\r\n{}\r\n0\r\n\r\n"), ("an empty size", "\r\n{}\r\n0\r\n\r\n"),
      ("a size below zero", "-2\r\n{}\r\n0\r\n\r\n"),
      ("a size with a space", " 2\r\n{}\r\n0\r\n\r\n"),
      ("a size beyond 64 bits", "fffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
      ("a chunk that is longer", "2\r\n{}xx\r\n0\r\n\r\n"),
      ("a trailer without a name", "2\r\n{}\r\n0\r\n: x\r\n\r\n"),
      ("a trailer with a control character", "2\r\n{}\r\n0\r\nA: \u{1}\r\n\r\n"),
      ("a large trailer", "2\r\n{}\r\n0\r\nA: \(String(repeating: "x", count: 40_000))\r\n\r\n"),
    ]
    for (name, body) in rows {
      for path in ["/api/v1/jobs/a/trigger", "/api/v1/plan"] {
        let connection = try RawConnection(port: live.port)
        let head = [
          "POST \(path) HTTP/1.1", "Host: 127.0.0.1:\(live.port)",
          "Authorization: Bearer \(live.token)", "Transfer-Encoding: chunked", "", "",
        ]
        connection.send(head.joined(separator: "\r\n") + body)
        let answer = connection.everything()
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(name), \(path): \(answer)")
        #expect(answer.lowercased().contains("connection: close"), "\(name), \(path): \(answer)")
      }
    }
    #expect((try live.object("GET", "/api/v1/runs")["runs"] as? [Any])?.isEmpty == true)
    #expect(try live.process.stop() == 0)
  }

  @Test func `bodies beyond what all of them may have are refused, and orders pass`() throws {
    let live = try LiveTakt("jobs:\n  a: {cron: '@yearly', run: 'true'}\n", http: true)
    func request(_ path: String, _ headers: String...) throws -> RawConnection {
      let connection = try RawConnection(port: live.port)
      let head =
        [
          "POST \(path) HTTP/1.1", "Host: 127.0.0.1:\(live.port)",
          "Authorization: Bearer \(live.token)",
        ] + headers + ["", ""]
      connection.send(head.joined(separator: "\r\n"))
      return connection
    }
    let size = 8 << 20
    let length = "Content-Length: \(size)"
    // Their bodies are not sent.
    var held = try (0..<4).map { _ in try request("/api/v1/plan", length) }
    _ = try TaktProcess.wait("a further one is refused") {
      let answer = (try? request("/api/v1/plan", length))?.answer() ?? ""
      return answer.hasPrefix("HTTP/1.1 503 ") && answer.lowercased().contains("retry-after: 1")
        ? true : nil
    }
    let order = try request("/api/v1/jobs/a/trigger", "Content-Length: 2")
    order.send("{}")
    #expect(order.status() == 202)
    let part = "10000\r\n\(String(repeating: "#", count: 65_536))\r\n"
    let unknown = try request("/api/v1/plan", "Transfer-Encoding: chunked")
    for _ in 0..<9 { unknown.send(part) }
    #expect(unknown.status() == 503)
    held = []
    _ = try TaktProcess.wait("there is room again") {
      // A command of that length is received, and refused because it is too long.
      let connection = try? request("/api/v1/jobs/a/trigger", length)
      connection?.send([UInt8](repeating: UInt8(ascii: "#"), count: 2 << 20))
      return connection?.status() == 413 ? true : nil
    }
    #expect(held.isEmpty)
    #expect(try live.process.stop() == 0)
  }
}
