import Foundation
import Testing

/// `scripts/retired-words`, which keeps retired phrases out of the docs and of comments, and retired
/// names out of the sources.
@Suite(.ownThreads) struct RetiredWordsTests {
  /// The script's findings in a page with this text, without the page's path.
  private func findings(
    in text: String, name: String = "page.md"
  ) throws -> TaktAnswer {
    let folder = try TemporaryFolder()
    try folder.write(text, to: name)
    let page = folder.url.appendingPathComponent(name).path
    let script = CommandTests.example.deletingLastPathComponent()
      .appendingPathComponent("scripts/retired-words").path
    var found = try folder.takt([page], program: script)
    found.output = found.output.replacing(page + ":", with: "")
    return found
  }

  @Test func `a retired phrase is reported with its place and a replacement`() throws {
    let found = try findings(in: "# Page\n\nThe job is suspended for\never. All else is fine.\n")
    #expect(found.status == 1)
    #expect(found.output == "3:22: 'for ever'; write: permanently\n")
  }

  @Test func `a source is searched in its texts, also joined ones, comments and names`() throws {
    let found = try findings(
      in: """
        // A takt in a comment.
        let joined = "the books "
          + "balance"
        let list = ["a", "takt"]
        print("set \\(name) anew") /* anew */
        print("\\(isOn ? "armed anew" : list.joined(separator: "takts")) takt")
        let long = \"""
          suspended for \\
          ever
          \"""
        func \("`all is told`")() {}
        """, name: "source.swift")
    #expect(found.status == 1)
    #expect(
      found.output == """
        1:4: 'A takt'; write: the daemon
        2:19: 'books balance'; write: every slot is accounted for
        5:20: 'anew'; write: again
        5:30: 'anew'; write: again
        6:24: 'anew'; write: again
        6:56: 'takts'; write: daemons
        8:13: 'for ever'; write: permanently
        11:11: 'is told'; write: is logged, is reported

        """)
  }

  @Test func `generated parts of a page are left to the sources`() throws {
    let found = try findings(
      in: "<!-- keys: begin -->\narmed anew\n<!-- keys: end -->\nset again\n")
    #expect(found.status == 0)
    #expect(found.output.isEmpty)
  }

  @Test func `a retired name is reported where a source declares it, and only there`() throws {
    let found = try findings(
      in: """
        // The former state is a comment.
        package struct FormerState {
          package var remark: String
          func take(_ line: String) { let former = takeoff(line) }
          func takeoff(_ line: String) -> String { line }
          case track
        }
        """, name: "source.swift")
    #expect(found.status == 1)
    #expect(
      found.output == """
        2:16: the name 'FormerState' (former); write: previous
        3:15: the name 'remark' (remark); write: a noun that says what it is; for the verb, markDirty
        4:8: the name 'take' (take()); write: a verb that says what is done: add, apply, consume, \
        receive, pop

        """)
  }
}
