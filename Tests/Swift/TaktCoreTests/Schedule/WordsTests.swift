import TaktTime
import Testing

@testable import TaktCore

/// The words of expressions made by chance, read as a person reads them and held against the times that
/// the expressions give.
@Suite struct WordsTests {
  @Test func `the words of a cron expression say when it is due`() throws {
    var generator = CronGenerator(seed: 46)
    for _ in 0..<500 {
      let text = generator.next().text
      let expression = try CronExpression(text)
      let words = expression.words()
      let meaning = try #require(CronWords(words), "'\(text)': \(words)")
      let search = CronSearch(expression: expression, rule: .cron)
      let first = CivilTime.daysSinceEpoch(year: 2027, month: 3, day: 1)
      for day in first..<(first + 400) {
        let next = search.first(from: day * 86_400)
        let isDue = next.map { $0 < (day + 1) * 86_400 } ?? false
        guard isDue == meaning.days(SpokenDay(day)) else {
          Issue.record("'\(text)': \(words), on \(DayFilter.date(day))")
          break
        }
      }
      var from = search.first(from: first * 86_400) ?? 0
      let day = from / 86_400
      var found = 0
      while let next = search.first(from: from), next / 86_400 == day, found < 200 {
        #expect(meaning.times.contains(next % 86_400), "'\(text)': \(words), at \(next % 86_400)")
        (from, found) = (next + 1, found + 1)
      }
      let count =
        expression.hours.nonzeroBitCount * expression.minutes.nonzeroBitCount
        * expression.seconds.nonzeroBitCount
      #expect(meaning.times.count == count, "'\(text)': \(words)")
    }
  }

  @Test func `the words of a recurrence say when it is due`() throws {
    var generator = RecurrenceGenerator(seed: 46)
    var compared = 0
    while compared < 500 {
      let rule = generator.next()
      guard rule.isOfDays else { continue }
      compared += 1
      // Its end is said apart.
      let parts = rule.text.split(separator: ";").filter { part in
        !["COUNT=", "UNTIL="].contains { part.hasPrefix($0) }
      }
      let text = parts.joined(separator: ";")
      let recurrence = try Recurrence.read(text).recurrence
      let words = recurrence.words
      let start = recurrence.start
      let meaning = try #require(RecurrenceWords(words, from: start), "'\(text)': \(words)")
      let end = start + 1100 * 86_400
      var wanted = meaning.times(through: end)
      wanted.removeAll { $0 < start }
      var (found, from): ([Int64], Int64) = ([], start)
      while found.count <= 100, let next = recurrence.first(from: from), next <= end {
        found.append(next)
        from = next + 1
      }
      #expect(
        found.prefix(100) == wanted.prefix(100),
        "'\(text)': \(words); \(Self.differences(found, wanted))")
    }
  }

  private static func differences(_ found: [Int64], _ wanted: [Int64]) -> String {
    zip(found.prefix(100), wanted.prefix(100)).first { $0 != $1 }.map { pair in
      RecurrenceTime.text(pair.0) + " is said as " + RecurrenceTime.text(pair.1)
    } ?? "\(found.count) times are said as \(wanted.count)"
  }
}
