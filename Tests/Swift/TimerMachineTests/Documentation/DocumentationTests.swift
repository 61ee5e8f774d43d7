import Foundation
import Testing

/// Every example of the catalogue stands, word for word, in a test that runs it.
struct DocumentationTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
  /// The library's sources, here and where it is a package of its own.
  private static let library =
    ["../../../../Sources/Timers", "../../../Sources"]
    .map { tests.appending(path: "\($0)/TimerMachine").standardizedFileURL }
    .first { FileManager.default.fileExists(atPath: $0.path) } ?? tests
  static let catalogue = library.appending(path: "TimerMachine.docc")

  private static func words(_ text: some StringProtocol) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test(arguments: ["TimerMachine", "Recipes"])
  func `every example is run by a test`(page: String) throws {
    let text = try String(contentsOf: Self.catalogue.appending(path: "\(page).md"), encoding: .utf8)
    let examples = text.components(separatedBy: "```swift\n").dropFirst().map {
      Self.words($0.components(separatedBy: "```")[0])
    }
    let tests = try String(
      contentsOf: Self.tests.appending(path: "DocumentationExampleTests.swift"), encoding: .utf8)
    let source = Self.words(tests)
    #expect(!examples.isEmpty)
    for example in examples {
      #expect(source.contains(example), "no test runs: \(example)")
    }
  }

  @Test func `the state table of the catalogue is that of the code`() throws {
    let page = Self.catalogue.appending(path: "TimerMachine.md")
    let code = Self.library.appending(path: "Machine/TimerState.swift")
    let rows = { (url: URL) in
      try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        .filter { $0.contains("|") && $0.contains("running") }
        .map { Self.words($0.replacing("///", with: "")) }
    }
    let documented = try rows(page)
    #expect(documented.count == 4)
    #expect(try documented == rows(code))
  }
}
