import Testing

@testable import TaktCore

/// Slots counted whole days at once are as many as one by one.
@Suite struct CronCountTests {
  @Test(arguments: [
    "UTC", "Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Pacific/Apia",
    "Asia/Kolkata",
  ])
  func `long stretches have as many slots as are found one by one`(name: String) throws {
    let zone = try TestZones.named(name)
    var generator = CronGenerator(seed: 11)
    let changes = TestZones.changes(of: zone, from: 1_262_304_000, to: 1_893_456_000)
    for index in 0..<60 {
      let rule = ClockRule(
        .cron(try CronExpression(generator.next().text), days: .any), zone: zone,
        dst: DSTPolicy(
          gap: index % 3 == 0 ? .skip : .runAfter, overlap: DSTPolicy.Overlap.allCases[index % 3]))
      // From anywhere, from a midnight, or from a clock change; for three days to forty.
      var start = Int64(generator.number(1_262_304_000...1_893_456_000)) * 1000
      if index % 4 == 1 { start -= start % 86_400_000 }
      if index % 4 == 2, !changes.isEmpty {
        start = changes[generator.number(0...(changes.count - 1))] * 1000 - 86_400_000
      }
      let length = Int64(generator.number(3 * 86_400...40 * 86_400)) * 1000
      let end = start + length - (index % 5 == 0 ? (start + length) % 86_400_000 : 0)
      let (mark, last) = (ScheduleInstant(milliseconds: start), ScheduleInstant(milliseconds: end))
      #expect(
        rule.count(after: mark, through: last) == rule.countOneByOne(after: mark, through: last),
        "\(rule.text) from \(start) to \(end)")
    }
  }
}
