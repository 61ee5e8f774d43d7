import TaktTime
import Testing

@testable import TaktCore

/// Runs and slots by day and hour.
@Suite struct HeatCountTests {
  /// 2026-10-24T00:00:00Z, the day before clocks in Berlin go back.
  private static let start = WallInstant(milliseconds: 1_792_800_000_000)
  private static let hour: Int64 = 3_600_000

  private static func count(
    hours: Int = 48, in zone: Zone = .utc, by step: HeatMap.Step = .hour,
    _ change: (inout HeatCount) -> Void
  ) -> [String] {
    var count = HeatCount(
      HeatQuery(since: start, until: start + .seconds(hours * 3600), zone: zone, step: step))
    change(&count)
    return count.map.cells.map { cell in
      let hour = cell.hour.map { " \($0)" } ?? ""
      let tally = cell.tally
      return "\(DayFilter.date(cell.day))\(hour): \(tally.runs) \(tally.failures) \(tally.notRun)"
    }
  }

  private static func at(_ hours: Int64, _ minutes: Int64 = 0) -> Int64 {
    start.milliseconds + hours * hour + minutes * 60_000
  }

  @Test func `runs are counted in the hour in which they begin, with their means`() throws {
    var count = HeatCount(
      HeatQuery(
        since: Self.start, until: Self.start + .seconds(86_400), zone: .utc, step: .hour))
    count.add(start: Self.at(3, 59), isFailure: false, duration: 1_000_000, cpu: 500_000)
    count.add(start: Self.at(3, 0), isFailure: true, duration: 3_000_000, cpu: nil)
    count.add(start: Self.at(3, 1), isFailure: true, duration: nil, cpu: nil)
    count.add(start: Self.at(30), isFailure: true, duration: nil, cpu: nil)
    let cell = try #require(count.map.cells.first)
    #expect(count.map.cells.count == 1 && cell.hour == 3)
    #expect(cell.tally.runs == 3 && cell.tally.failures == 2)
    #expect(cell.tally.meanDuration == .seconds(2) && cell.tally.cpu == .milliseconds(500))
  }

  @Test func `days are those of the zone, and a repeated hour is one cell`() {
    let berlin = Zone(
      name: "Europe/Berlin", initialOffsetSeconds: 7200,
      transitions: [Zone.Transition(start: 1_792_890_000, offsetSeconds: 3600)])
    let runs: [Int64] = [22, 24, 25]
    let add = { (count: inout HeatCount) in
      for hours in runs {
        count.add(start: Self.at(hours), isFailure: false, duration: nil, cpu: nil)
      }
    }
    #expect(Self.count(in: berlin, add) == ["2026-10-25 0: 1 0 0", "2026-10-25 2: 2 0 0"])
    #expect(Self.count(in: berlin, by: .day, add) == ["2026-10-25: 3 0 0"])
    #expect(
      Self.count(add) == [
        "2026-10-24 22: 1 0 0", "2026-10-25 0: 1 0 0", "2026-10-25 1: 1 0 0",
      ])
  }

  @Test func `slots of a series lie where they were due`() {
    #expect(
      Self.count { $0.add(notRun: Self.at(2), to: Self.at(26), count: 2) } == [
        "2026-10-24 2: 0 0 1", "2026-10-25 2: 0 0 1",
      ])
    // One a minute from 01:30 through 03:29, and a range that begins within another series.
    #expect(
      Self.count { $0.add(notRun: Self.at(1, 30), to: Self.at(3, 29), count: 120) } == [
        "2026-10-24 1: 0 0 30", "2026-10-24 2: 0 0 60", "2026-10-24 3: 0 0 30",
      ])
    #expect(
      Self.count(hours: 2) { $0.add(notRun: Self.at(-100), to: Self.at(100), count: 200 * 60 + 1) }
        == ["2026-10-24 0: 0 0 60", "2026-10-24 1: 0 0 60"])
    #expect(
      Self.count { $0.add(notRun: Self.at(5), to: Self.at(5), count: 3) } == ["2026-10-24 5: 0 0 3"]
    )
  }

  @Test func `numbers that a damaged ledger may hold end nothing`() {
    _ = Self.count {
      $0.add(notRun: 0, to: 1 << 52, count: 1 << 32)
      $0.add(notRun: 1 << 52, to: 0, count: 5)
      $0.add(notRun: Self.at(1), to: Self.at(2), count: 0)
      $0.add(start: .max, isFailure: true, duration: nil, cpu: nil)
      $0.add(start: .min, isFailure: true, duration: .max, cpu: .max)
    }
  }
}
