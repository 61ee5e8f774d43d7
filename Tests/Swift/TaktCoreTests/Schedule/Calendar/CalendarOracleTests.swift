import TaktCore
import TaktTesting
import Testing
import TaktTime

@Suite struct CalendarOracleTests {
  private static let zones = [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo",
    "Europe/Dublin", "Asia/Kolkata", "UTC", "Pacific/Apia",
  ]
  private static let groupsPerZone = 10
  private static let expressionsPerGroup = 40
  private static let count = 10

  @Test func `calendar expressions agree with systemd, refused ones too`() throws {
    guard let systemd = SystemdCalendar() else {
      print("skipped: there is no systemd-analyze")
      return
    }
    var tally = Tally()
    for (index, name) in Self.zones.enumerated() {
      let zone = try TestZones.named(name)
      let changes = TestZones.changes(of: zone, from: 1_300_000_000, to: 2_100_000_000)
      for group in 0..<Self.groupsPerZone {
        var generator = CalendarGenerator(seed: UInt64(index * 1000 + group))
        let base = base(group, changes: changes, by: &generator)
        var expressions: [String] = []
        while expressions.count < Self.expressionsPerGroup {
          let next = generator.random.oneIn(4) ? generator.broken() : generator.expression()
          if !next.isEmpty, !expressions.contains(next) { expressions.append(next) }
        }
        let answers = try systemd.answers(
          to: expressions, zone: name, after: base, count: Self.count)
        for (expression, answer) in zip(expressions, answers) {
          let found = ours(expression, in: zone, after: base)
          tally.count(answer)
          if found != answer, answer?.hasGivenUp != true {
            Issue.record(
              """
              '\(expression)' in \(name) after \(base): takt \(text(found)), systemd \(text(answer))
              """)
          }
        }
      }
    }
    print(tally.line)
    #expect(tally.accepted >= 2000)
  }

  /// Every second group begins within three hours of a clock change.
  private func base(
    _ group: Int, changes: [Int64], by generator: inout CalendarGenerator
  ) -> Int64 {
    guard group % 2 == 0, !changes.isEmpty else {
      return Int64(generator.number(1_300_000_000...2_100_000_000))
    }
    let change = changes[generator.number(0...(changes.count - 1))]
    return change + Int64(generator.number(-10_800...10_800))
  }

  private func ours(_ text: String, in zone: Zone, after base: Int64) -> SystemdCalendar.Answer? {
    guard let expression = try? CalendarExpression(text) else { return nil }
    var zone = zone
    if let name = expression.zoneName {
      guard let named = try? TestZones.named(name) else { return nil }
      zone = named
    }
    var answer = SystemdCalendar.Answer(normalized: expression.normalized, times: [])
    var instant = WallInstant(milliseconds: base * 1000)
    while answer.times.count < Self.count, let next = expression.next(after: instant, in: zone) {
      #expect(next > instant, "\(text)")
      instant = next
      answer.times.append(Int64(next.nanoseconds / 1_000_000_000))
    }
    return answer
  }

  private func text(_ answer: SystemdCalendar.Answer?) -> String {
    guard let answer else { return "refuses it" }
    let times = answer.times.map { WallInstant(milliseconds: $0 * 1000).rfc3339() }
    return "\(answer.normalized) \(times)"
  }

  private struct Tally {
    var accepted = 0
    var refused = 0
    var times = 0
    var givenUp = 0

    mutating func count(_ answer: SystemdCalendar.Answer?) {
      guard let answer else {
        refused += 1
        return
      }
      if answer.hasGivenUp {
        givenUp += 1
        return
      }
      accepted += 1
      times += answer.times.count
    }

    var line: String {
      """
      calendar oracle: \(accepted) expressions with \(times) instants, \(refused) refused ones, \
      \(givenUp) on which systemd gave up
      """
    }
  }
}
