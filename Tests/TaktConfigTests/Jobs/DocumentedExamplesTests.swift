import TaktCore
import Testing

@testable import TaktConfig

/// Every YAML example of the docs is a jobs file that is taken.
struct DocumentedExamplesTests {
  @Test func `the examples in the docs are valid`() throws {
    let path = #filePath.replacing(
      "Tests/TaktConfigTests/Jobs/DocumentedExamplesTests.swift", with: "docs/jobs-file.md")
    let reader = FileReader(bound: 1 << 20, refusesWritableByOthers: false)
    let text = try reader.read(path).bytes.withBytes { String(decoding: $0, as: UTF8.self) }
    let examples = Self.examples(in: text)
    #expect(examples.count > 5)
    for example in examples {
      #expect(load(example).diagnostics.map(\.headline) == [])
    }
    let defaults = try #require(examples.first { $0.contains("defaults: {timeout: 10m, env:") })
    let environment = load(defaults).snapshot?.jobs.first?.execution.environment
    #expect(environment == ["LANG": "C", "X": "1"])
  }

  /// What stands in the fences of YAML.
  static func examples(in text: String) -> [String] {
    text.split(separator: "```yaml\n").dropFirst().compactMap {
      $0.split(separator: "```").first.map(String.init)
    }
  }
}
