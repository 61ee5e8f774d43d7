import Foundation
import TaktCore
import TestSupport
import Testing

@testable import TaktEngine

@Suite struct BuiltinReferenceTests {
  @Test func `the docs show the parameters as they are`() throws {
    let path = Repository.path("docs/reference/builtins.md")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let (begin, end) = ("<!-- builtins: begin -->\n", "<!-- builtins: end -->")
    let start = try #require(text.firstRange(of: begin)).upperBound
    let stop = try #require(text.firstRange(of: end)).lowerBound
    let reference = BuiltinRegistry.standard.reference
    if ProcessInfo.processInfo.environment["TAKT_WRITE_REFERENCE"] == "1" {
      try (text[..<start] + reference + text[stop...])
        .write(toFile: path, atomically: true, encoding: .utf8)
    } else {
      #expect(
        String(text[start..<stop]) == reference,
        "run the tests with TAKT_WRITE_REFERENCE=1 to write it anew")
    }
  }

  @Test func `no parameter and no reason stands twice, and each says something`() {
    for builtin in BuiltinRegistry.standard.sorted {
      let names = builtin.parameters.map(\.name)
      #expect(Set(names).count == names.count, "\(builtin.name)")
      let reasons = builtin.reasons.map(\.text)
      #expect(Set(reasons).count == reasons.count, "\(builtin.name)")
      #expect(builtin.parameters.allSatisfy { !$0.summary.isEmpty && !$0.summary.hasSuffix(".") })
    }
  }
}
