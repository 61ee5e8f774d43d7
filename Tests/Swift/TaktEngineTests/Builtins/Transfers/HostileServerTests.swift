import TaktCore
import TaktTesting
import Testing

@testable import TaktEngine

/// `use: http` and `use: mail` with hostile servers: each attack meets a bound and has a reason.
@Suite struct HostileServerTests {
  private let folder = TemporaryFolder()
  private let bench: BuiltinBench

  init() throws { bench = try BuiltinBench() }

  private func server(_ mode: String) throws -> PythonServer {
    try PythonServer(HostileServer.script, [mode, folder["seen"]], folder: folder)
  }

  private func http(_ mode: String, _ scheme: String = "http") async throws -> AttemptResult {
    let server = try server(mode)
    return await bench.run(
      "http",
      ["url": .string("\(scheme)://127.0.0.1:\(server.port)/"), "timeout": .duration(.seconds(50))])
  }

  @Test(arguments: [
    ("endless-headers", "protocol"), ("endless-header", "protocol"),
    ("endless-interim", "protocol"), ("endless-status", "protocol"),
    ("endless-trailers", "protocol"), ("endless-chunk-size", "protocol"),
    ("bad-chunk", "protocol"), ("huge-length", "protocol"), ("negative-length", "protocol"),
    ("nul", "protocol"), ("binary", "protocol"), ("cut-head", "closed"), ("cut-status", "closed"),
    ("two-lengths", "protocol"),
    ("cut-chunk", "closed"), ("nothing", "closed"), ("reset", "closed"),
    ("upgrade", "status(101)"), ("user-redirect", "redirects"), ("file-redirect", "redirects"),
    ("loop", "redirects"),
  ])
  func `a web server that means harm ends one attempt with a reason`(
    mode: String, reason: String
  ) async throws {
    let result = try await http(mode)
    #expect(result == .failed(reason), "\(bench.lines.texts)")
    #expect(bench.lines.texts.count < 10)
  }

  @Test(arguments: ["endless-body", "endless-chunks"])
  func `a body without an end is read up to its bound`(mode: String) async throws {
    #expect(try await http(mode) == .done)
    let line = try #require(bench.lines.texts.first)
    #expect(line.contains(": 200, 178"), "\(line)")
  }

  @Test func `a server without TLS is none of https`() async throws {
    #expect(try await http("at-once", "https") == .failed("tls"))
  }

  @Test(
    arguments: [
      ("endless-greeting", [:], "protocol"), ("endless-line", [:], "protocol"),
      ("garbage", [:], "protocol"), ("endless-hello", [:], "protocol"), ("ehlo-less", [:], nil),
      ("login-less", ["user": "u", "password": "p"], "auth"),
      ("strange-login", ["user": "u", "password": "p"], "auth"), ("later", [:], "smtp(451)"),
      ("full", [:], "recipient(452)"), ("dataless", [:], "smtp(554)"), ("cut-data", [:], "closed"),
      ("after-data", [:], "closed"), ("big", [:], "smtp(552)"), ("quitless", [:], nil),
      ("bad host", [:], "dns"),
    ] as [(String, Parameters, String?)])
  func `a mail server that means harm ends one attempt with a reason`(
    mode: String, more: Parameters, reason: String?
  ) async throws {
    let server = try server("mail-" + mode)
    let common: Parameters = [
      "host": mode == "bad host" ? "127.0.0.1/../@x" : "127.0.0.1", "port": .integer(server.port),
      "tls": "none", "from": "takt@example.org", "to": .list(["ops@example.org"]),
      "hello": "test.example", "timeout": .duration(.seconds(50)),
    ]
    let result = await bench.run("mail", common.merging(more) { $1 })
    #expect(result == reason.map { .failed($0) } ?? .done, "\(bench.lines.texts)")
  }

  @Test func `headers of a request neither vanish nor change its framing`() async throws {
    let web = try PythonServer(WebServer.script, [folder["seen"]], folder: folder)
    let result = await bench.run(
      "http",
      [
        "url": .string("http://127.0.0.1:\(web.port)/"), "body": "ding",
        "headers": .map([
          "x-empty": "", "content-length": "9999", "transfer-encoding": "chunked",
          "host": "other.example", "expect": "",
        ]),
      ])
    #expect(result == .done)
    let seen = folder.read("seen")
    #expect(seen.contains(#""x-empty": """#))
    #expect(seen.contains(#""content-length": "4""#))
    #expect(seen.contains(#""host": "other.example""#))
    #expect(seen.contains(#""body": "ding""#))
    #expect(!seen.contains("chunked"))
  }

  @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
  func `a request that may change something is sent once`(method: String) async throws {
    let server = try server("second-closes")
    for _ in 1...3 {
      let result = await bench.run(
        "http",
        [
          "url": .string("http://127.0.0.1:\(server.port)/"), "method": .string(method),
          "body": "ding",
        ])
      #expect(result == .done)
    }
    let requests = folder.read("seen").split(separator: "\n").filter { $0 == method }
    #expect(requests.count == 3)
  }

  @Test func `silent servers keep no other work waiting`() async throws {
    let web = try PythonServer(WebServer.script, [folder["seen"]], folder: folder)
    let silent: Parameters = [
      "url": .string("http://127.0.0.1:\(web.port)/silent"), "timeout": .duration(.seconds(3600)),
    ]
    let job = try #require(JobName("other"))
    bench.router.start((1...20).map { bench.request("http", silent, run: $0) })
    let quick = bench.request(
      "http", ["url": .string("http://127.0.0.1:\(web.port)/")], run: 100
    ) { $0.name = job }
    let file = bench.request("touch", ["path": .string(folder["made"])], run: 101)
    bench.router.start([quick, file])
    let ends = await bench.ends(2)
    #expect(Set(ends.map(\.run)) == [RunID(100), RunID(101)])
    #expect(ends.allSatisfy { $0.report.result == .done })
    for run in 1...20 { bench.router.stop(RunID(UInt64(run)), signal: .kill) }
    _ = await bench.ends(20)
  }

  @Test(arguments: [
    ("/a%20b%2Fc", "/a%20b%2Fc"), ("/a%20b ü", "/a%20b%20%C3%BC"), ("/100%", "/100%25"),
    ("/x?q=%26&z= ", "/x?q=%26&z=%20"), ("/[1]|2", "/%5B1%5D%7C2"), ("", "/"),
  ])
  func `what no URL can hold is encoded, and what is encoded stays`(
    path: String, sent: String
  ) async throws {
    let web = try PythonServer(WebServer.script, [folder["seen"]], folder: folder)
    let url = ParameterValue.string("http://127.0.0.1:\(web.port)\(path)")
    #expect(await bench.run("http", ["url": url]) == .done)
    #expect(folder.read("seen").contains("\"path\": \"\(sent)\""))
  }

  @Test func `a ca_file without certificates is named as the trouble`() async throws {
    let pair = try folder.makeCertificate()
    let secure = try PythonServer(
      WebServer.script, [folder["seen"], pair.certificate, pair.key], folder: folder)
    folder.write("no certificate\n", to: "ca.pem")
    let result = await bench.run(
      "http",
      [
        "url": .string("https://localhost:\(secure.port)/"),
        "ca_file": .string(folder["ca.pem"]),
      ])
    #expect(result == .failed("tls"))
    #expect(bench.lines.texts.contains { $0.contains("ca_file contains no PEM certificate") })
  }

  @Test func `many at once all come to their ends`() async throws {
    let web = try PythonServer(WebServer.script, [folder["seen"]], folder: folder)
    let url = ParameterValue.string("http://127.0.0.1:\(web.port)/")
    bench.router.start(
      (1...100).map { bench.request("http", ["url": url], run: UInt64($0)) })
    let ends = await bench.ends(100)
    #expect(ends.allSatisfy { $0.report.result == .done })
  }
}
