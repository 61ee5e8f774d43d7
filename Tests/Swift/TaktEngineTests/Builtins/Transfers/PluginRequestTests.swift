import Foundation
import TaktSystem
import TaktTesting
import Testing

@testable import TaktCore

/// Plugins that are requests, against a server that records them.
@Suite struct PluginRequestTests {
  private struct Seen: Decodable {
    var method: String
    var path: String
    var headers: [String: String]
    var body: String
  }

  private static let script = #"""
    import http.server, json, sys
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *a): pass
        def take(self):
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            with open(sys.argv[1], "a") as log:
                log.write(json.dumps({"method": self.command, "path": self.path, "body": raw.decode("utf-8"),
                    "headers": {k.lower(): v for k, v in self.headers.items()}}) + "\n")
            self.send_response(204)
            self.end_headers()
        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = take
    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        def handle_error(self, *a): pass
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_port)
    server.serve_forever()
    """#

  private let folder = TemporaryFolder()
  private let server: PythonServer
  private let bench: BuiltinBench

  init() throws {
    server = try PythonServer(Self.script, [folder["seen"]], folder: folder)
    bench = try BuiltinBench()
  }

  private func seen() throws -> [Seen] { try folder.values(of: "seen") }

  private func text(_ text: String) throws -> RequestTemplate.Text {
    try RequestTemplate.Text(parsing: text)
  }

  private func template(
    at url: String = "{{param.url}}", method: String = "POST", headers: [(String, String)] = [],
    _ body: RequestTemplate.Body?
  ) throws -> RequestTemplate {
    RequestTemplate(
      method: method, urlText: url, url: try text(url),
      headers: try headers.map { RequestTemplate.Field($0, try text($1)) }, body: body)
  }

  private func send(
    _ template: RequestTemplate, _ more: Parameters = [:], facts: RunFacts? = BuiltinBench.facts()
  ) async -> AttemptResult {
    var manifest = PluginManifest(name: "p", version: "1", command: [], folder: "/p")
    manifest.request = template
    manifest.parameters = [
      BoundedParameter(
        ParameterSchema("url", .string, reaches: .address, isSecret: true, summary: "")),
      BoundedParameter(
        ParameterSchema(
          "token", .string, reaches: .header, isRequired: false, isSecret: true, summary: "")),
    ]
    let own: Parameters = ["url": .string("http://127.0.0.1:\(server.port)")]
    return await bench.run("p", [:], facts: facts) { spec in
      spec.action = .plugin(manifest, own.merging(more) { $1 })
    }
  }

  private static let hostile = [
    #"" , "admin": true, "x": ""#, #"\"#, #"\\""#, "line\nend\r\n.", "{{param.token}} {{secret.A}}",
    "\u{0}\u{1}\u{1b}[31m\u{7f}", "\u{2028}\u{2029}", "</script><b>&amp;", "😀\u{301}", "a&b=c%41+d",
    "",
    "'; DROP TABLE runs; --", "$(reboot) `reboot`",
  ]

  @Test(arguments: hostile + [String(repeating: "😀\"\\\n", count: 100_000)])
  func `no value ends the JSON text that it stands in`(value: String) async throws {
    let body = RequestTemplate.Value.object([
      RequestTemplate.Member("before", .text(try text(#"a "quoted" \ text"#))),
      RequestTemplate.Member(
        "list", .list([.text(try text("<{{param.text}}>")), .literal("1.5"), .literal("null")])),
      RequestTemplate.Member("short", .text(try text("{{param.text|max(7)}}"))),
      RequestTemplate.Member("output", .text(try text("{{output}}"))),
    ])
    let facts = BuiltinBench.facts(output: value)
    let request = try template(.json(body))
    #expect(await send(request, ["text": .string(value)], facts: facts) == .done)
    let seen = try #require(try seen().first)
    struct Body: Decodable {
      var before: String
      var list: [Item]
      var short: String
      var output: String
      enum Item: Decodable, Equatable {
        case text(String), number(Double), null
        init(from decoder: any Decoder) throws {
          let container = try decoder.singleValueContainer()
          if container.decodeNil() {
            self = .null
          } else if let number = try? container.decode(Double.self) {
            self = .number(number)
          } else {
            self = .text(try container.decode(String.self))
          }
        }
      }
    }
    #expect(seen.headers["content-type"] == "application/json; charset=utf-8")
    let sent = try JSONDecoder().decode(Body.self, from: Data(seen.body.utf8))
    #expect(sent.before == #"a "quoted" \ text"#)
    #expect(sent.list == [.text("<\(value)>"), .number(1.5), .null])
    #expect(sent.short.utf16.count <= 7 && !sent.short.unicodeScalars.contains("\u{fffd}"))
    // No variable of the environment can hold a NUL, and the placeholder agrees.
    #expect(value.utf8.count > 4096 || sent.output == value.filter { $0 != "\0" })
  }

  @Test(arguments: hostile)
  func `no value ends a field of a form, a part of a path or a header`(value: String) async throws {
    let fields = [
      RequestTemplate.Field("a&b", try text("{{param.text}}")),
      RequestTemplate.Field("c", try text("{{job}}")),
    ]
    let request = try template(
      at: "{{param.url}}/p/{{param.text}}/x?q={{param.text}}", method: "PUT",
      headers: [("X-Text", "<{{param.text}}>")], .form(fields))
    #expect(await send(request, ["text": .string(value)]) == .done)
    let seen = try #require(try seen().first)
    #expect(seen.method == "PUT")
    let encoded = value.percentEncodedPart
    #expect(seen.path == "/p/\(encoded)/x?q=\(encoded)")
    #expect(seen.body == "a%26b=\(encoded)&c=job")
    #expect(seen.headers["content-type"] == "application/x-www-form-urlencoded")
    #expect(seen.headers.keys.filter { $0.hasPrefix("x-") } == ["x-text"])
  }

  @Test func `a number stays a number, and what has no value is left out`() async throws {
    let body = RequestTemplate.Value.object([
      RequestTemplate.Member("count", .text(try text("{{param.count}}"))),
      RequestTemplate.Member("words", .text(try text("{{param.words}}"))),
      RequestTemplate.Member("gone", .text(try text("{{param.gone}}"))),
      RequestTemplate.Member("text", .text(try text("{{param.count}} of {{param.gone}}"))),
    ])
    let request = try template(
      headers: [("authorization", "Bearer {{param.token}}"), ("content-type", "application/x")],
      .json(body))
    let parameters: Parameters = ["count": .integer(3), "words": .list(["a\"", "b"])]
    #expect(await send(request, parameters) == .done)
    #expect(await send(request, parameters.merging(["token": "tk_1"]) { $1 }) == .done)
    let seen = try seen()
    #expect(seen.first?.body == #"{"count":3,"words":["a\"","b"],"text":"3 of "}"#)
    #expect(seen.map { $0.headers["authorization"] } == [nil, "Bearer tk_1"])
    #expect(seen.first?.headers["content-type"] == "application/x")
    #expect(!bench.lines.texts.contains { $0.contains("tk_1") })
  }

  @Test func `a text says how its values are written`() async throws {
    let source = try text("<p>{{param.text}}</p>")
    for encoding in RequestTemplate.Encoding.allCases {
      let request = try template(.text(source, encoding))
      #expect(await send(request, ["text": "a<b> c"]) == .done)
    }
    #expect(
      try seen().map(\.body) == [
        "<p>a%3Cb%3E%20c</p>", "<p>a&lt;b&gt; c</p>", "<p>a<b> c</p>",
      ])
  }

  @Test func `title and message are those of mails and chats`() async throws {
    let request = try template(.text(try text("{{title}}\n{{message}}"), .none))
    let facts = BuiltinBench.facts(output: "one\n\u{1b}[31mdisk is full\n")
    #expect(await send(request, facts: facts) == .done)
    let body = try #require(try seen().first?.body)
    #expect(body.hasPrefix("job failed on \(HostName.current): exit(1)\nJob:"))
    #expect(body.hasSuffix("\none\ndisk is full"))
  }

  @Test func `a request without a body sends none, with no facts of the run in it`() async throws {
    for method in RequestTemplate.methods {
      let request = try template(method: method, nil)
      #expect(await send(request) == .done)
    }
    let seen = try seen()
    #expect(seen.map(\.method) == RequestTemplate.methods && seen.allSatisfy(\.body.isEmpty))
  }

  @Test func `a server's URL may end in a slash, and a fact never changes the host`() async throws {
    let base = "http://127.0.0.1:\(server.port)/"
    let request = try template(at: "{{param.url}}/a", nil)
    #expect(await send(request, ["url": .string(base)]) == .done)
    #expect(try seen().map(\.path) == ["/a"])
    let facts = BuiltinBench.facts(output: ".example.org")
    let other = try template(at: "{{param.url}}{{output}}", nil)
    #expect(await send(other, facts: facts) == .failed("url"))
  }
}
