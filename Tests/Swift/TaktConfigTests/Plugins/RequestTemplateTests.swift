import TaktTesting
import Testing

@testable import TaktConfig
@testable import TaktCore

/// Manifests whose plugin is a request.
struct RequestTemplateTests {
  private func load(_ manifest: String, hook: Bool = true) -> LoadedJobs {
    let folder = TemporaryFolder()
    for name in ["plugins", "plugins/p"] { folder.makeFolder(name) }
    folder.write(
      "name: p\nversion: 1.0.0\nprotocol: 1\n\(manifest)\n", to: "plugins/p/plugin.yaml")
    let action = hook ? "run: x, on_failure: {use: p}" : "use: p"
    let path = folder.write("jobs:\n  a: {on: start, \(action)}\n", to: "jobs.yaml")
    return JobsLoader().load(path: path)
  }

  private func headlines(_ loaded: LoadedJobs) -> [String] {
    loaded.diagnostics.map { diagnostic in
      let file = diagnostic.location.file.split(separator: "/").last ?? ""
      return "\(file):\(diagnostic.location.line):\(diagnostic.location.column): "
        + diagnostic.message
    }
  }

  @Test func `a mapping becomes JSON with the types that YAML has`() throws {
    let loaded = load(
      """
      kind: notifier
      parameters:
        url: {type: string, default: "https://example.org", reaches: address}
      request:
        url: "{{param.url}}/v1?job={{job}}"
        headers: {X-Key: "{{param.url}}"}
        body:
          title: "{{ title | max(80) }}: {{{{no}}"
          yes: "yes"
          items: [1, 0x10, 1.50, true, ~, "1", {deep: "{{output|url}}"}]
          empty: {}
      """)
    #expect(headlines(loaded) == [])
    let job = try #require(loaded.snapshot?.jobs.first)
    let plugin = try #require(job.plugins.first)
    let request = try #require(plugin.request)
    #expect(request.method == "POST" && plugin.command.isEmpty && plugin.way == "request")
    #expect(
      request.url.parts == [
        .value(.parameter("url"), []), .text("/v1?job="), .value(.fact(.job), []),
      ])
    #expect(request.headers.map(\.name) == ["X-Key"])
    let deep = RequestTemplate.Text(parts: [.value(.fact(.output), [.escape(.url)])])
    func text(_ text: String) -> RequestTemplate.Value { .text(.init(parts: [.text(text)])) }
    #expect(
      request.body
        == .json(
          .object([
            .init(
              "title", .text(.init(parts: [.value(.title, [.max(80)]), .text(": {{no}}")]))),
            .init("yes", text("yes")),
            .init(
              "items",
              .list([
                .literal("1"), .literal("16"), .literal("1.5"), .literal("true"), .literal("null"),
                text("1"), .object([.init("deep", .text(deep))]),
              ])),
            .init("empty", .object([])),
          ])))
  }

  @Test(arguments: [
    // The whole
    ("request: {}", "4:1: 'request' has no 'url'"),
    ("request: x", "4:10: 'request' must be a mapping, not "),
    ("request: {ulr: x}", "4:11: unknown key 'ulr'"),
    ("request: {url: https://a/x, method: HEAD}", "4:37: 'method' must be one of POST, "),
    ("request: {url: https://a/x}\nexec: [./x]", "5:1: 'exec' and 'request' cannot be combined"),
    ("request: {url: https://a/x}\nmode: service", "5:1: 'mode' and 'request' cannot be combined"),
    ("request: {url: https://a/x}\nsha256: abc", "5:1: 'sha256' and 'request' cannot be combined"),
    ("request: {url: [}", "4:1"),
    ("request:\n  url: https://a/x\n  body: *b", "6:9: "),
    ("request:\n  url: https://a/x\n  body: &b {x: *b}", "6:16: "),
    ("request:\n  url: https://a/x\n  body: {x: 1, x: 2}", "6:16: "),
    // URL
    ("request: {url: ftp://a/x}", "4:16: the URL must start with http:// or https://, or with a"),
    ("request: {url: 'https://a:99999/x'}", "4:16: '99999' is not the port of a URL"),
    ("request: {url: 'https://a:0'}", "4:16: '0' is not the port of a URL"),
    ("request: {url: 'https://{{job}}/x'}", "4:16: '{{job}}' is not allowed in the scheme or the"),
    ("request: {url: '{{host}}/x'}", "4:16: '{{host}}' is available only in hooks"),
    ("request: {url: 'https://a{{job}}'}", "4:16: '{{job}}' is not allowed in the scheme or the"),
    ("request: {url: 'https://a/{{jbo}}'}", "4:16: there is no placeholder '{{jbo}}'"),
    ("request: {url: 'https://a/{{job'}", "4:16: unclosed placeholder: '{{' without '}}'"),
    ("request: {url: 'https://a/{{job|jsn}}'}", "4:16: there is no filter 'jsn'"),
    ("request: {url: 'https://a/{{job|max(0)}}'}", "4:16: there is no filter 'max(0)'"),
    ("request: {url: 'https://a/{{param.x}}'}", "4:16: there is no placeholder '{{param.x}}'"),
    ("request: {url: 'https://a/{{secret.X}}'}", "4:16: a manifest cannot use secrets, which are"),
    (
      "parameters: {u: {type: string}}\nrequest: {url: '{{param.u}}'}",
      "5:16: 'url' needs the parameter 'u', which may be left out"
    ),
    (
      "parameters: {u: {type: integer, required: true}}\nrequest: {url: '{{param.u}}'}",
      "5:16: 'url' starts with the parameter 'u', which is no text"
    ),
    (
      "parameters: {u: {type: string, default: x, reaches: nothing}}\n"
        + "request: {url: 'https://a/{{param.u}}'}",
      "5:16: 'url' uses the parameter 'u', which says that it reaches nothing"
    ),
    ("request: {url: https://a/x, wait: 5s}", "4:29: unknown key 'wait' in 'request'"),
    // Headers
    ("request: {url: https://a/x, headers: {'a b': c}}", "4:39: 'a b' is not the name of a header"),
    ("request: {url: https://a/x, headers: {a: b, A: c}}", "4:45: the header 'A' is there twice"),
    (#"request: {url: https://a/x, headers: {a: "b\nc"}}"#, "4:42: the header 'a' has a control"),
    (
      "parameters: {t: {type: string, reaches: nothing}}\n"
        + "request: {url: https://a/x, headers: {a: '{{param.t}}'}}",
      "5:42: 'headers' uses the parameter 't', which says that it reaches nothing"
    ),
    // Body
    ("request: {url: https://a/x, method: GET, body: {}}", "4:42: a request with the method GET"),
    ("request: {url: https://a/x, encode: form}", "4:29: 'encode' has no effect without 'body'"),
    ("request: {url: https://a/x, body: 'x={{job}}'}", "4:35: a text with placeholders needs 'en"),
    (
      "request: {url: https://a/x, encode: json, body: '{\"x\": \"{{job}}\"}'}",
      "4:37: a text cannot be written as JSON safely"
    ),
    ("request: {url: https://a/x, encode: html, body: {}}", "4:37: a mapping cannot be written as"),
    ("request: {url: https://a/x, encode: form, body: [a]}", "4:37: a list cannot be written as"),
    ("request: {url: https://a/x, encode: form, body: {a: [b]}}", "4:53: a field of a form must"),
    ("request: {url: https://a/x, body: {a: .inf}}", "4:39: JSON has no such number"),
    ("request: {url: https://a/x, body: {a: 99999999999999999999}}", "4:39: JSON has no such num"),
    ("request:\n  url: https://a/x\n  body: {a: }", "6:1"),
    ("request: {url: https://a/x, body: {'{{job}}': 1}}", "4:36: placeholders are allowed only in"),
    (
      "request: {url: https://a/x, body: {a: '{{output}}'}}", "4:39: '{{output}}' is available only"
    ),
    (
      "parameters: {timeout: {type: string}}\nrequest: {url: https://a/x}",
      "5:1: the parameter 'timeout' of a request must be of type 'duration'"
    ),
  ])
  func `a mistake of a request is reported where it stands`(manifest: String, message: String) {
    let loaded = load(manifest)
    #expect(loaded.snapshot == nil)
    #expect(
      headlines(loaded).first?.hasPrefix("plugin.yaml:" + message) == true, "\(headlines(loaded))")
  }

  @Test func `a text body, and one that is a form`() throws {
    let form = load("request: {url: https://a/x, encode: form, body: {a: '{{job}}', b: 3}}")
    #expect(headlines(form) == [])
    #expect(
      form.snapshot?.jobs.first?.plugins.first?.request?.body
        == .form([
          .init("a", .init(parts: [.value(.fact(.job), [])])),
          .init("b", .init(parts: [.text("3")])),
        ]))
    let text = load(
      "request: {url: https://a/x, encode: html, body: '<p>{{job}}</p>'}", hook: false)
    #expect(headlines(text) == [])
    #expect(
      text.snapshot?.jobs.first?.plugins.first?.request?.body
        == .text(
          .init(parts: [.text("<p>"), .value(.fact(.job), []), .text("</p>")]), .html))
  }

  @Test func `a changed template is a changed job`() throws {
    let one = load("request: {url: https://a/x, body: {a: '{{job}}'}}")
    let other = load("request: {url: https://a/x, body: {a: '{{run}}'}}")
    var (old, new) = (
      try #require(one.snapshot?.jobs.first?.plugins.first),
      try #require(other.snapshot?.jobs.first?.plugins.first)
    )
    old.folder = ""
    new.folder = ""
    #expect(old != new)
  }
}
