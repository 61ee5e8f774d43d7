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
    ] as [(String, [Placeholders.Part])])
  func `a text is taken to pieces`(text: String, parts: [Placeholders.Part]) throws {
    #expect(try Placeholders.parse(text) == parts)
  }

  @Test(
    arguments: [
      ("{{", .unclosed), ("a {{job} }", .unclosed), ("{{}}", .unknown("")),
      ("{{jobs}}", .unknown("jobs")), ("{{{job}}}", .unknown("{job")),
    ] as [(String, Placeholders.Problem)])
  func `what names nothing is told`(text: String, problem: Placeholders.Problem) {
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
}
