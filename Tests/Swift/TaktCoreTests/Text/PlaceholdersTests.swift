import TaktCore
import Testing

struct PlaceholdersTests {
  @Test(
    arguments: [
      ("", []), ("plain } text {", [.text("plain } text {")]),
      ("{{job}}", [.name(.job)]),
      (
        "a {{ duration_ms }}/{{streak}}",
        [
          .text("a "), .name(.durationMilliseconds), .text("/"), .name(.streak),
        ]
      ),
      ("{{{{job}}", [.text("{{job}}")]), ("{{{{{{job}}", [.text("{{"), .name(.job)]),
      ("é{{secret.KEY}}}}", [.text("é"), .secret("KEY"), .text("}}")]),
      ("{{output|json}}", [.name(.output, [.json])]),
      ("{{ secret.KEY | html|json }}", [.secret("KEY", [.html, .json])]),
    ] as [(String, [Placeholders.Part])])
  func `a text is taken to pieces`(text: String, parts: [Placeholders.Part]) throws {
    #expect(try Placeholders.parse(text) == parts)
  }

  @Test(
    arguments: [
      ("{{", .unclosed), ("a {{job} }", .unclosed), ("{{}}", .unknown("")),
      ("{{jobs}}", .unknown("jobs")), ("{{{job}}}", .unknown("{job")),
      ("{{jobs|json}}", .unknown("jobs")), ("{{job|jsn}}", .unknownFilter("jsn")),
      ("{{job|}}", .unknownFilter("")), ("{{secret.A|JSON}}", .unknownFilter("JSON")),
    ] as [(String, Placeholders.Problem)])
  func `a placeholder without a meaning is refused`(text: String, problem: Placeholders.Problem) {
    #expect(throws: problem) { try Placeholders.parse(text) }
  }

  @Test func `facts take the places of their names, and secrets stay`() {
    let values: [Placeholders.Name: String] = [.job: "backup", .outcome: "{{run}}"]
    #expect(
      Placeholders.expand("{{job}} {{outcome}}{{reason}} {{{{x}} {{secret.K}}", values)
        == "backup {{run}} {{x}} {{secret.K}}")
    #expect(Placeholders.expand("{{nothing}}", values) == "{{nothing}}")
    let value = ParameterValue.map(["{{job}}": .list([.string("{{job}}"), .integer(1)])])
    #expect(
      Placeholders.expand(value, values)
        == .map(["{{job}}": .list([.string("backup"), .integer(1)])]))
    #expect(Placeholders.secrets(in: .list([.string("{{secret.A}}{{secret.B}}")])) == ["A", "B"])
  }

  /// `the filters | the result for the value`
  @Test(arguments: [
    #"json ~ a \"b\"\n<c> 'd' & \\/ü"#,
    "url ~ a%20%22b%22%0A%3Cc%3E%20%27d%27%20%26%20%5C%2F%C3%BC",
    "html ~ a &quot;b&quot;\n&lt;c&gt; &#39;d&#39; &amp; \\/ü",
    #"shell ~ 'a "b"\#n<c> '\''d'\'' & \/ü'"#,
    #"html|json ~ a &quot;b&quot;\n&lt;c&gt; &#39;d&#39; &amp; \\/ü"#,
  ])
  func `a filter makes one value of a text`(row: String) throws {
    let parts = row.split(separator: " ~ ", maxSplits: 1).map(String.init)
    let value = "a \"b\"\n<c> 'd' & \\/ü"
    #expect(Placeholders.expand("{{output|\(parts[0])}}", [.output: value]) == parts[1])
    #expect(Placeholders.expand("{{reason|\(parts[0])}}", [:]) == (parts[0] == "shell" ? "''" : ""))
    // A secret keeps its filters until it is known.
    let secret = "{{secret.A|\(parts[0])}}"
    #expect(Placeholders.expand(secret, [:]) == secret)
    #expect(Placeholders.secrets(in: .string(secret)) == ["A"])
  }
}
