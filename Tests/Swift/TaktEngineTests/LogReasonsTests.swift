import Foundation
import TaktCore
import TestSupport
import Testing

/// The lists of reasons in `docs/reference/log.md` against those of the code.
@Suite struct LogReasonsTests {
  /// The rows under a heading: the first cell, or that of the row before if it is empty, and the
  /// words in backticks of the second.
  private static func rows(under heading: String) throws -> [(first: String, codes: [String])] {
    let text = try Repository.text("docs/reference/log.md")
    let section = text.components(separatedBy: "\n## \(heading)\n").last ?? ""
    let lines = section.components(separatedBy: "\n## ")[0].split(separator: "\n")
    var first = ""
    return lines.filter { $0.hasPrefix("| ") }.dropFirst().map { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(codes)
      first = cells[1].first ?? first
      return (first, cells[2])
    }
  }

  private static func codes(in cell: Substring) -> [String] {
    cell.matches(of: #/`([^`]+)`/#).map { String($0.1) }
  }

  @Test func `the log's page lists every reason of a verdict`() throws {
    let documented = try Self.rows(under: "Reasons of a verdict").flatMap { row in
      row.codes.isEmpty ? [row.first] : row.codes.map { "\(row.first)(\($0))" }
    }
    let known =
      ["ran", "coalesced"] + SkipReason.allCases.map { "skipped(\($0.rawValue))" }
      + MissCause.allCases.map { "missed(\($0.rawValue))" }
      + CancelReason.allCases.map { "cancelled(\($0.rawValue))" }
    #expect(Set(documented) == Set(known))
  }

  @Test func `the log's page lists every outcome and reason of a run`() throws {
    let rows = try Self.rows(under: "Reasons of a run")
    #expect(Set(rows.map(\.first)) == Set(Outcome.allCases.map(\.rawValue)))
    let documented = Set(rows.flatMap(\.codes).map { String($0.prefix { $0 != "(" }) })
    // The reason of a built-in or a plugin has a name of its own.
    let known = Set(RunReason.Code.allCases.map(\.rawValue)).subtracting(["reported"])
    #expect(documented == known)
  }
}
