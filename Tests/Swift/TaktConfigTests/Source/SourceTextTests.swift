import TaktCore
import TaktSystem
import Testing

@testable import TaktConfig

struct SourceTextTests {
  @Test func `lines end where libyaml ends them`() {
    let text = "a\nb\r\nc\rd\u{85}e\u{2028}f"
    let source = SourceText(file: "f", bytes: FileBytes(Array(text.utf8)))
    let lines = (1...7).map { source.place(of: YAMLMark(line: $0, column: 1)).line }
    #expect(lines.map { $0?.prefix(1) } == ["a", "b", "c", "d", "e", "f", nil])
  }

  @Test func `a byte order mark is no part of the text`() {
    let source = SourceText(file: "f", bytes: FileBytes(Array("\u{feff}ab".utf8)))
    #expect(source.withText(\.count) == 2)
    #expect(source.place(of: YAMLMark(line: 1, column: 2)).line == "ab")
  }

  @Test func `a column counts characters`() {
    let source = SourceText(file: "f", bytes: FileBytes(Array("e\u{301}👩‍👩‍👧x".utf8)))
    #expect(source.place(of: YAMLMark(line: 1, column: 8)).location.column == 3)
  }

  @Test func `the text ends before the line of a flaw`() throws {
    let source = SourceText(file: "f", bytes: FileBytes(Array("ab\ncdé".utf8) + [0xff, 0x0a]))
    let flaw = try #require(source.flaw)
    #expect(source.withText { $0.elementsEqual("ab\n".utf8) })
    #expect(source.mark(of: flaw) == YAMLMark(line: 2, column: 4))
    #expect(source.place(of: source.mark(of: flaw)).line == "cdé\u{fffd}")
  }

  @Test func `a line beyond all measure is not shown`() {
    let text = String(repeating: "x", count: 70_000) + "\ny"
    let source = SourceText(file: "f", bytes: FileBytes(Array(text.utf8)))
    #expect(source.place(of: YAMLMark(line: 1, column: 60_000)).line == nil)
    #expect(source.place(of: YAMLMark(line: 2, column: 1)).line == "y")
  }

  @Test(arguments: ["  token: [\n", "env:\n", "  a: {password: x\n"])
  func `very many keys of secrets are looked through once`(line: String) {
    // Each of them reaches to the end of the file: a search from each of them would take days.
    let text = "jobs:\n" + String(repeating: line, count: 300_000) + "  end: x\n"
    let source = SourceText(file: "f", bytes: FileBytes(Array(text.utf8)))
    #expect(!source.isSecret(1))
    #expect(source.isSecret(2) && source.isSecret(150_000) && source.isSecret(300_001))
  }
}
