import Foundation
import TaktTime
import Testing

@testable import TaktCore

@Suite struct CalendarLocalSearchTests {
  @Test func `in UTC both searches agree, where no repetition leaves its unit`() {
    var generator = CalendarGenerator(seed: 77)
    var checked = 0
    for _ in 0..<10_000 {
      guard let expression = try? CalendarExpression(generator.expression()),
        !CalendarUnit.allCases.contains(where: { expression[$0].contains(where: \.isOpen) })
      else { continue }
      let start = WallInstant(
        nanoseconds: Int64(generator.number(0...5_500_000_000)) * 1_000_000_000
          + Int64(generator.number(0...3)) * 250_000_000)
      let found = expression.next(after: start, in: .utc, dst: .cron)
      #expect(
        found == expression.next(after: start, in: .utc),
        "\(expression.normalized) after \(start.rfc3339())")
      checked += 1
    }
    #expect(checked > 4000)
  }

  @Test(arguments: [
    "*:3/27 | 2026-01-01T23:57:00 | 2026-01-02T00:03:00",
    "*-*-1/7 00:00 | 2026-02-27T00:00:00 | 2026-03-01T00:00:00",
    "*-*~8/7 00:00 | 2026-02-22T00:00:00 | 2026-02-28T00:00:00",
    "*-*~3 12:00 | 2026-02-26T12:00:00 | 2026-03-29T12:00:00",
    "*-*~2..4 12:00 | 2026-02-26T12:00:00 | 2026-02-27T12:00:00",
    "Sun *-*~1..7 06:00 | 2026-01-25T06:00:00 | 2026-02-22T06:00:00",
    "Mon *-02-29 | 2026-01-01T00:00:00 | 2044-02-29T00:00:00",
    "2199-12-31 23:59:59 | 2026-01-01T00:00:00 | 2199-12-31T23:59:59",
    "*-02-30 | 2026-01-01T00:00:00 | never",
    "2025-*-* | 2026-01-01T00:00:00 | never",
  ])
  func `a repetition ends with its unit`(row: String) throws {
    let parts = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    let numbers = parts[1].split { "-T:".contains($0) }.compactMap { Int($0) }
    let start = CivilTime(
      year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
      second: numbers[5])
    let found = CalendarLocalSearch(expression: try CalendarExpression(parts[0]))
      .first(from: start.epochSeconds * 1_000_000 + 1)
    let text = found.map { "\(CivilTime(epochSeconds: $0 / 1_000_000))".dropLast(4) }
    #expect(text ?? "never" == parts[2])
  }
}

extension CalendarTerm {
  /// True if it recurs without a last value.
  fileprivate var isOpen: Bool { step > 0 && stop == nil }
}
