import Foundation
import Testing

/// `scripts/retired-words`, which keeps retired phrases out of the docs.
@Suite struct RetiredWordsTests {
  /// What the script says of a page with this text; the page's path is left out.
  private func findings(
    in text: String, name: String = "page.md"
  ) throws -> (status: Int32, output: String) {
    let folder = try TemporaryFolder()
    try folder.write(text, to: name)
    let page = folder.url.appendingPathComponent(name).path
    let script = CommandTests.example.deletingLastPathComponent()
      .appendingPathComponent("scripts/retired-words").path
    let process = try TaktProcess([page], program: script, in: folder)
    let output = try process.text().replacing(page + ":", with: "")
    return (process.waitForExit(), output)
  }

  @Test func `a retired phrase is reported with its place and a replacement`() throws {
    let found = try findings(in: "# Page\n\nThe job is suspended for\never. All else is fine.\n")
    #expect(found.status == 1)
    #expect(found.output == "3:22: 'for ever'; write: permanently\n")
  }

  @Test func `of a source only its texts are read, also where they are joined`() throws {
    let found = try findings(
      in: """
        // A takt in a comment.
        let joined = "the books "
          + "balance"
        let list = ["a", "takt"]
        print("set \\(name) anew") /* anew */
        """, name: "source.swift")
    #expect(found.status == 1)
    #expect(
      found.output == """
        2:19: 'books balance'; write: every slot is accounted for
        5:20: 'anew'; write: again

        """)
  }

  @Test func `generated parts of a page are left to the sources`() throws {
    let found = try findings(
      in: "<!-- keys: begin -->\narmed anew\n<!-- keys: end -->\nset again\n")
    #expect(found.status == 0)
    #expect(found.output.isEmpty)
  }
}
