import Foundation
import TaktTime

/// The program that reads calendar expressions for systemd.
struct SystemdCalendar {
  let path: String

  /// systemd's reading of one expression.
  struct Answer: Equatable {
    var normalized: String
    /// Seconds since the epoch, without their fractions; fewer than asked for when there are no
    /// more.
    var times: [Int64]
    /// It ran into an endless loop of its own, and says so.
    var hasGivenUp = false
  }

  init?() {
    guard let path = TestProgram.find("systemd-analyze"),
      TestProgram.run(path, ["calendar", "daily"])?.status == 0
    else { return nil }
    self.path = path
  }

  /// Its answers in order; nil for refused expressions. No two expressions are equal.
  func answers(
    to expressions: [String], zone: String, after base: Int64, count: Int
  ) throws -> [Answer?] {
    let civil = CivilTime(epochSeconds: base)
    let day = "\(civil.year)-\(civil.month)-\(civil.day)"
    let arguments = [
      "calendar", "--iterations=\(count)",
      "--base-time=\(day) \(civil.hour):\(civil.minute):\(civil.second) UTC", "--",
    ]
    guard
      let output = TestProgram.run(
        path, arguments + expressions, environment: ["TZ": zone, "LC_ALL": "C.UTF-8"])
    else { return [] }
    var blocks = output.text.split(separator: "\n\n").map { Self.answer(String($0)) }[...]
    return expressions.map { expression in
      if output.errors.contains("specification '\(expression)'") { return nil }
      if output.errors.contains("elapse for '\(expression)'") {
        return Answer(normalized: "", times: [], hasGivenUp: true)
      }
      return blocks.popFirst()
    }
  }

  private static func answer(_ block: String) -> Answer {
    var answer = Answer(normalized: "", times: [])
    let lines = block.split(separator: "\n").map { line -> (key: String, value: String) in
      let parts = line.split(separator: ":", maxSplits: 1)
      let value = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
      return (parts[0].trimmingCharacters(in: .whitespaces), value)
    }
    for (index, line) in lines.enumerated() {
      if line.key == "Normalized form" { answer.normalized = line.value }
      guard line.key == "Next elapse" || line.key.hasPrefix("Iter.") else { continue }
      let hasUTC = index + 1 < lines.count && lines[index + 1].key == "(in UTC)"
      if let time = seconds(hasUTC ? lines[index + 1].value : line.value) {
        answer.times.append(time)
      }
    }
    return answer
  }

  /// `Sun 2026-03-29 00:30:00 UTC`; nil for `never`.
  private static func seconds(_ text: String) -> Int64? {
    let numbers = text.split { " -:".contains($0) }.compactMap { Int($0) }
    guard numbers.count == 6 else { return nil }
    return CivilTime(
      year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
      second: numbers[5]
    ).epochSeconds
  }
}
