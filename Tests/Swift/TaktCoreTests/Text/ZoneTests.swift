import Foundation
import Testing
import TaktTime

@Suite struct ZoneTests {
  private func zone(_ name: String) throws -> Zone {
    let data = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)"))
    return try #require(Zone(name: name, tzif: Array(data)))
  }

  @Test(arguments: [
    "Europe/Berlin | 2026-03-29T02:30 | skipped 2026-03-29T03:00:00.000+02:00",
    "Europe/Berlin | 2026-10-25T02:30 | twice 2026-10-25T02:30:00.000+02:00 2026-10-25T02:30:00.000+01:00",
    "Europe/Berlin | 2099-07-01T12:00 | once 2099-07-01T12:00:00.000+02:00",
    "Australia/Lord_Howe | 2026-10-04T02:15 | skipped 2026-10-04T02:30:00.000+11:00",
    "America/Sao_Paulo | 2018-11-04T00:30 | skipped 2018-11-04T01:00:00.000-02:00",
    "Pacific/Apia | 2011-12-30T12:00 | skipped 2011-12-31T00:00:00.000+14:00",
    "Asia/Kathmandu | 2026-01-01T00:00 | once 2026-01-01T00:00:00.000+05:45",
    "Europe/Dublin | 2026-07-01T12:00 | once 2026-07-01T12:00:00.000+01:00",
    "Antarctica/Troll | 2150-07-01T12:00 | once 2150-07-01T12:00:00.000+02:00",
  ])
  func `a local time is read as the zone has it`(row: String) throws {
    let parts = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    let zone = try zone(parts[0])
    let numbers = parts[1].split { "-T:".contains($0) }.compactMap { Int($0) }
    let civil = CivilTime(
      year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4])
    let found =
      switch zone.read(civil) {
      case .once(let instant): "once \(instant.rfc3339(in: zone))"
      case .skipped(let next): "skipped \(next.rfc3339(in: zone))"
      case .twice(let first, let second):
        "twice \(first.rfc3339(in: zone)) \(second.rfc3339(in: zone))"
      }
    #expect(found == parts[2])
  }

  /// Four weeks after the first Sunday of these months is the first day of the next month.
  @Test(arguments: [
    ("2018-03-25T01:00:00Z", 3600, 7200), ("2029-03-25T01:00:00Z", 3600, 7200),
    ("2026-10-25T01:00:00Z", 7200, 3600), ("2037-10-25T01:00:00Z", 7200, 3600),
  ])
  func `by its rule a zone changes on the last Sunday of a month`(
    change: String, before: Int, after: Int
  ) throws {
    let rule = try #require(ZoneRule(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
    let zone = Zone(name: "Europe/Berlin", initialOffsetSeconds: 3600, rule: rule)
    let instant = try #require(try InstantText(change).instant)
    #expect(zone.offsetSeconds(at: instant - .seconds(1)) == before)
    #expect(zone.offsetSeconds(at: instant) == after)
  }

  @Test func `dates and seconds agree with the system for two centuries`() {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    for day in stride(from: -40_000, to: 80_000, by: 37) {
      let civil = CivilTime(epochSeconds: Int64(day) * 86_400 + 4000)
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour], from: Date(timeIntervalSince1970: Double(day) * 86_400 + 4000)
      )
      #expect(
        [civil.year, civil.month, civil.day, civil.hour] == [
          parts.year, parts.month, parts.day, parts.hour,
        ])
      #expect(civil.epochSeconds == Int64(day) * 86_400 + 4000)
    }
  }

  @Test func `rubbish is no zone file`() {
    for bytes in [
      [], [UInt8](repeating: 0x54, count: 50),
      Array("TZif2".utf8) + [UInt8](repeating: 255, count: 60),
    ] {
      #expect(Zone(name: "x", tzif: bytes) == nil)
    }
  }
}
