import Foundation
import TaktCore
import TaktTesting
import Testing

@testable import TaktEngine

/// `use: http` against a real server on this machine.
@Suite struct HTTPBuiltinTests {
  private struct Seen: Decodable {
    var path: String
    var method: String
    var headers: [String: String]
    var body: String
  }

  private let folder = TemporaryFolder()
  private let server: PythonServer
  private let bench: BuiltinBench

  init() throws {
    server = try PythonServer(WebServer.script, [folder["seen"]], folder: folder)
    bench = try BuiltinBench()
  }

  private func url(_ path: String) -> ParameterValue {
    .string("http://127.0.0.1:\(server.port)\(path)")
  }

  private func seen() throws -> [Seen] { try folder.values(of: "seen") }

  @Test func `an answer of 200 is success, and the log says so without the query`() async throws {
    #expect(await bench.run("http", ["url": url("/?token=abc")]) == .done)
    let line = try #require(bench.lines.texts.first)
    #expect(line.hasPrefix("GET http://127.0.0.1:\(server.port)/: 200, 4 bytes in "))
    #expect(try seen().map(\.method) == ["GET"])
  }

  @Test(arguments: [
    ("/status/404", ["2xx"], "status(404)"), ("/status/404", ["2xx", "404"], nil),
    ("/status/503", ["500..599"], nil), ("/fails", ["200..299"], "status(500)"),
  ])
  func `what counts as success is said by expect`(
    path: String, expect: [String], reason: String?
  ) async {
    let result = await bench.run(
      "http", ["url": url(path), "expect": .list(expect.map { .string($0) })])
    #expect(result == reason.map { .failed($0) } ?? .done)
  }

  @Test func `a status to be retried is tried again, and may succeed`() async throws {
    let result = await bench.run(
      "http",
      [
        "url": url("/flaky"), "retry_status": .list(["5xx"]),
        "backoff": .duration(.milliseconds(1)),
      ])
    #expect(result == .done)
    #expect(try seen().count == 2)
  }

  @Test func `retries come to an end`() async throws {
    let result = await bench.run(
      "http",
      [
        "url": url("/fails"), "retry_status": .list(["500"]), "retries": .integer(3),
        "backoff": .duration(.milliseconds(1)),
      ])
    #expect(result == .failed("status(500)"))
    #expect(try seen().count == 4)
  }

  @Test(arguments: ["/silent", "/drip"])
  func `a server that takes too long is a timeout`(path: String) async {
    let result = await bench.run(
      "http", ["url": url(path), "timeout": .duration(.milliseconds(200))])
    #expect(result == .failed("timeout"))
  }

  @Test func `nobody there is refused at once`() async {
    let result = await bench.run("http", ["url": "http://127.0.0.1:1/"])
    #expect(result == .failed("refused"))
  }

  @Test func `a name without an address is said to be one`() async {
    let result = await bench.run("http", ["url": "http://no-such-host.invalid/"])
    #expect(result == .failed("dns"))
  }

  @Test(arguments: [("/cut", "closed"), ("/nonsense", "protocol")])
  func `a server that breaks off or talks nonsense has its own reason`(
    path: String, reason: String
  ) async {
    #expect(await bench.run("http", ["url": url(path)]) == .failed(reason))
  }

  @Test func `redirections are followed up to their bound`() async {
    #expect(await bench.run("http", ["url": url("/hops/5")]) == .done)
    #expect(await bench.run("http", ["url": url("/hops/6")]) == .failed("redirects"))
    #expect(
      await bench.run("http", ["url": url("/hops/1"), "redirects": .integer(0)])
        == .failed("redirects"))
    #expect(await bench.run("http", ["url": url("/hops/1"), "expect": .list(["302"])]) == .done)
  }

  @Test func `a stranger does not get the credentials of a redirected request`() async throws {
    let result = await bench.run(
      "http",
      [
        "url": url("/stranger"), "user": "u", "password": "p",
        "headers": .map(["x-api-key": "k", "accept": "text/plain"]),
      ])
    #expect(result == .done)
    let requests = try seen()
    #expect(requests[0].headers["authorization"] == "Basic dTpw")
    #expect(requests[0].headers["x-api-key"] == "k")
    #expect(requests[1].path == "/here")
    #expect(requests[1].headers["authorization"] == nil)
    #expect(requests[1].headers["x-api-key"] == nil)
    #expect(requests[1].headers["accept"] == "text/plain")
  }

  @Test func `a body is posted, and posted again where the redirection says so`() async throws {
    #expect(await bench.run("http", ["url": url("/same-again"), "body": "ding"]) == .done)
    #expect(await bench.run("http", ["url": url("/see-other"), "body": "ding"]) == .done)
    #expect(
      try seen().map { "\($0.method) \($0.path) \($0.body)" } == [
        "POST /same-again ding", "POST /here ding", "POST /see-other ding", "GET /here ",
      ])
  }

  @Test func `another server does not get the body of a redirected request`() async throws {
    let parameters: Parameters = ["url": url("/stranger-again"), "body": "ding"]
    #expect(await bench.run("http", parameters) == .failed("redirects"))
    #expect(try seen().map(\.path) == ["/stranger-again"])
    #expect(bench.lines.texts.contains { $0.contains("it would send the body to another server") })
    #expect(await bench.run("http", ["url": url("/stranger-again")]) == .done)
    #expect(await bench.run("http", ["url": url("/stranger"), "body": "ding"]) == .done)
    #expect(try seen().last?.body == "")
  }

  @Test func `a huge body is not kept and does not hang`() async {
    #expect(await bench.run("http", ["url": url("/huge")]) == .done)
  }

  @Test func `a text is looked for in what is kept of the body`() async {
    #expect(await bench.run("http", ["url": url("/"), "body_contains": "ine"]) == .done)
    #expect(await bench.run("http", ["url": url("/"), "body_contains": "bad"]) == .failed("body"))
    #expect(
      await bench.run("http", ["url": url("/large"), "body_contains": "end"]) == .failed("body"))
    #expect(
      await bench.run(
        "http",
        [
          "url": url("/large"), "body_contains": "end", "max_body": .integer(4 * 1024 * 1024),
        ]) == .done)
  }

  @Test func `a certificate that nobody trusts is refused, unless it is named`() async throws {
    let pair = try folder.makeCertificate()
    let secure = try PythonServer(
      WebServer.script, [folder["seen"], pair.certificate, pair.key], folder: folder)
    let url = ParameterValue.string("https://localhost:\(secure.port)/")
    #expect(await bench.run("http", ["url": url]) == .failed("tls"))
    #expect(await bench.run("http", ["url": url, "ca_file": .string(pair.certificate)]) == .done)
    #expect(await bench.run("http", ["url": url, "insecure": .boolean(true)]) == .done)
    #expect(await bench.run("http", ["url": url, "ca_file": "/no/such"]) == .failed("tls"))
  }

  @Test func `a hook posts the facts of the run`() async throws {
    let facts = BuiltinBench.facts(output: "disk full\n")
    #expect(await bench.run("http", ["url": url("/hook")], facts: facts) == .done)
    let request = try #require(try seen().first)
    #expect(request.method == "POST")
    #expect(request.headers["content-type"] == "application/json")
    #expect(
      request.body
        == #"{"attempts":3,"duration_ms":1200,"hook":"on_failure","job":"job","late_ms":4,"#
        + #""outcome":"failed","output":"disk full\n","reason":"exit(1)","run":7,"#
        + #""slot":"2026-09-21T14:13:20.123Z","streak":2}"#)
  }

  @Test func `secrets reach the server and not the log`() async throws {
    folder.write("s3cret-value\n", to: "token")
    let result = await bench.run(
      "http",
      [
        "url": url("/s3cret-value/{{job}}"),
        "headers": .map(["authorization": "Bearer {{ secret.TOKEN }}"]),
      ]
    ) { spec in
      spec.execution.secrets = ["TOKEN": Secret(.file(folder["token"]))]
    }
    #expect(result == .done)
    let request = try #require(try seen().first)
    #expect(request.headers["authorization"] == "Bearer s3cret-value")
    #expect(request.path == "/s3cret-value/job")
    #expect(bench.lines.texts.allSatisfy { !$0.contains("s3cret") && $0.contains("/***/job") })
  }

  @Test(arguments: [
    ("ab%2Fcd%41zz", "", "/hook/***"), ("ab%2Fcd%41zz", " ü", "/hook/***%20%C3%BC"),
    ("a b\"c", "", "/hook/***"), ("a%zzb", "", "/hook/***"), ("abcd?efgh", "", "/hook/***"),
    ("größe", "", "/hook/***"),
  ])
  func `a secret in a path is masked in every shape that it has there`(
    secret: String, after: String, shown: String
  ) async throws {
    folder.write(secret + "\n", to: "token")
    let result = await bench.run("http", ["url": url("/hook/{{secret.TOKEN}}" + after)]) { spec in
      spec.execution.secrets = ["TOKEN": Secret(.file(folder["token"]))]
    }
    #expect(result == .done)
    let line = try #require(bench.lines.texts.first)
    #expect(line.hasPrefix("GET http://127.0.0.1:\(server.port)\(shown): 200"), "\(line)")
  }

  @Test(arguments: ["json", "url", "html", "shell", "html|json"])
  func `a secret that a filter has changed is masked as well`(filter: String) async throws {
    folder.write("a\"<'b&/ü x\n", to: "token")
    let result = await bench.run("http", ["url": url("/hook/{{secret.TOKEN|\(filter)}}")]) {
      $0.execution.secrets = ["TOKEN": Secret(.file(folder["token"]))]
    }
    #expect(result == .done)
    let line = try #require(bench.lines.texts.first)
    #expect(line.hasPrefix("GET http://127.0.0.1:\(server.port)/hook/***: 200"), "\(line)")
  }

  @Test func `a body of one's own is JSON whatever a run has printed`() async throws {
    let output = "say \"hi\"\n\tC:\\new\u{1b}[0m"
    let result = await bench.run(
      "http",
      [
        "url": url("/hook"),
        "body": #"{"text": "{{job}}: {{output|json}}", "ms": {{duration_ms}}}"#,
      ],
      facts: BuiltinBench.facts(output: output))
    #expect(result == .done)
    struct Body: Decodable {
      var text: String
      var ms: Int
    }
    let body = try #require(try seen().first).body
    let decoded = try JSONDecoder().decode(Body.self, from: Data(body.utf8))
    #expect(decoded.text == "job: " + output && decoded.ms == 1200)
  }

  /// `the type of the content | the body`, and `!` before those that are refused
  @Test(arguments: [
    #"! | {"text": "{{output}}"}"#, #"! | ["a", {"b": "x {{ output }} \"y\""}]"#,
    #"! | {"text": "{{output|html}}"}"#, #"! | {"text": "{{output|shell}}"}"#,
    #"!application/json | {"text": "{{output}}""#, #"!Application/CloudEvents+JSON | "{{output}}""#,
    #" | {"text": "{{output|json}}"}"#, #" | {"text": "{{output|html|json}}"}"#,
    #" | {"link": "https://x/{{output|url}}"}"#,
    // No other value has a character that ends a string; the author of the file knows the secret.
    #" | {"text": "{{job}} {{reason}} {{host}} {{run_url}}", "n": {{duration_ms}}}"#,
    #" | {"key": "{{secret.KEY}}"}"#,
    // The output may be JSON itself.
    #"application/json | {"result": {{output}}}"#, "application/json | {{output}}",
    // No JSON.
    " | {{output}}", #" | [{{host}}] "{{output}}""#, #" | {{job}} says "{{output}}""#,
    #"text/plain | {"text": "{{output}}"}"#, #" | {"text": "{{{{output}}"}"#,
  ])
  func `output in a string of a JSON body needs a filter`(row: String) {
    let parts = row.split(separator: " | ", maxSplits: 1, omittingEmptySubsequences: false)
      .map(String.init)
    let (isRefused, type) = (parts[0].hasPrefix("!"), parts[0].drop { $0 == "!" || $0 == " " })
    var parameters: Parameters = ["url": "http://x/", "body": .string(parts[1])]
    if !type.isEmpty { parameters["headers"] = .map(["Content-Type": .string(String(type))]) }
    let problems = BuiltinRegistry.standard.problems(of: "http", in: parameters)
    #expect(problems.map(\.parameter) == (isRefused ? ["body"] : []))
    if isRefused {
      #expect(
        problems.first?.message
          == "'{{output}}' can break the JSON string it is in; write '{{output|json}}'")
    }
  }

  @Test(arguments: [#"{"text": {{output|json}}}"#, #"[1, {{output|html|json}}]"#])
  func `escaped output in a JSON body stands in a string`(body: String) {
    let problems = BuiltinRegistry.standard.problems(
      of: "http", in: ["url": "http://x/", "body": .string(body)])
    #expect(
      problems.map(\.message) == [
        #"'{{output|json}}' is text for a JSON string; write '"{{output|json}}"'"#
      ])
  }

  @Test func `what has no effect is found at load`() {
    func idle(_ more: Parameters) -> [String?] {
      let parameters = more.merging(["url": "http://x/"]) { $1 }
      return BuiltinRegistry.standard.problems(of: "http", in: parameters).map(\.parameter)
    }
    let wait: Parameters = ["retries": .integer(9), "backoff": .duration(.seconds(1))]
    #expect(idle(wait) == ["retries", "backoff"])
    #expect(idle(wait.merging(["retry_status": .list(["500"])]) { $1 }) == [])
    #expect(idle(["ca_file": "/c", "insecure": .boolean(true)]) == ["ca_file"])
  }

  @Test func `a secret that is missing ends the attempt before anything is sent`() async throws {
    let parameters: Parameters = ["url": url("/{{secret.TOKEN}}")]
    #expect(await bench.run("http", parameters) == .failed("secret(TOKEN)"))
    let result = await bench.run("http", parameters) { spec in
      spec.execution.secrets = ["TOKEN": Secret(.file(folder["nothing"]))]
    }
    #expect(result == .notStarted(.secret, errno: ENOENT))
    #expect(folder.read("seen") == "")
  }

  @Test(arguments: [
    ("url", "ftp://x/", "url"), ("url", "http://u:p@127.0.0.1/", "url"), ("url", "::", "url"),
    ("url", "http://127.0.0.1:65536/", "url"), ("url", "http://127.0.0.1:99999999999/", "url"),
    ("url", "http://127.0.0.1:0/", "url"),
  ])
  func `a URL that is none is refused`(name: String, value: String, reason: String) async {
    #expect(await bench.run("http", [name: .string(value)]) == .failed(reason))
    #expect(
      BuiltinRegistry.standard.problems(of: "http", in: [name: .string(value)]).map(\.parameter)
        == ["url"])
  }

  @Test func `a header cannot smuggle another one`() async {
    let result = await bench.run("http", ["url": url("/"), "headers": .map(["x": "a\r\ny: b"])])
    #expect(result == .failed("header"))
  }

  @Test(arguments: [StopSignal.terminate, .kill])
  func `a request in progress is cancelled`(signal: StopSignal) async throws {
    bench.router.start([
      bench.request("http", ["url": url("/silent"), "timeout": .duration(.seconds(3600))])
    ])
    while folder.read("seen").isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    bench.router.stop(RunID(1), signal: signal)
    let ends = await bench.ends(1)
    #expect(ends[0].report.result == .failed("cancelled"))
    #expect(await bench.run("http", ["url": url("/")]) == .done)
  }

  @Test func `a wait between two tries is cancelled`() async throws {
    let parameters: Parameters = [
      "url": url("/fails"), "retry_status": .list(["500"]), "backoff": .duration(.seconds(3600)),
      // A wait lasts a minute at most; this many tries outlast a test that gets no turn.
      "timeout": .duration(.seconds(3600)), "retries": .integer(10),
    ]
    bench.router.start([bench.request("http", parameters)])
    while bench.lines.texts.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    bench.router.stop(RunID(1), signal: .terminate)
    #expect(await bench.ends(1)[0].report.result == .failed("cancelled"))
  }
}
