import Foundation
import Testing

/// `scripts/retired-words`, which keeps retired phrases out of the docs.
@Suite struct RetiredWordsTests {
  /// What the script says of a page with this text; the page's path is left out.
  private func findings(in text: String) throws -> (status: Int32, output: String) {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "page.md")
    let page = folder.url.appendingPathComponent("page.md").path
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

  @Test func `generated parts of a page are left to the sources`() throws {
    let found = try findings(
      in: "<!-- keys: begin -->\narmed anew\n<!-- keys: end -->\nset again\n")
    #expect(found.status == 0)
    #expect(found.output.isEmpty)
  }
}
