import Testing

@testable import TaktCore

/// The distribution of simulated runs.
@Suite struct RunPatternTests {
  /// Runs of a job, an hour apart, whose lengths `seconds` gives.
  private func history(
    _ count: Int, _ seconds: (_ index: Int, _ hour: Int) -> Double
  ) -> JobRunHistory {
    var history = JobRunHistory(of: "a")
    for index in 0..<count {
      // Runs never take exactly the same time.
      let noise = 1 + Double(index * 7 % 11) / 100
      history.add(
        PastRun(
          microseconds: Int64(seconds(index, index % 24) * noise * 1e6), hour: index % 24))
    }
    return history
  }

  private func drawn(_ pattern: RunPattern, hour: Int, count: Int = 200) -> [Double] {
    var numbers = SeededNumbers(seed: 7)
    return (0..<count).map { _ in pattern.draw(&numbers, hour: hour).attempt / .seconds(1) }
  }

  @Test func `a job that takes ten times as long at two is drawn so`() throws {
    let pattern = try #require(RunPattern(history(24 * 14) { $1 == 2 ? 20 : 2 }))
    #expect(pattern.dependsOnHour && pattern.trend == 1)
    #expect(drawn(pattern, hour: 2).allSatisfy { $0 >= 20 && $0 < 23 })
    #expect(drawn(pattern, hour: 3).allSatisfy { $0 >= 2 && $0 < 3 })
  }

  @Test(arguments: [24 * 14, 48, 3, 1])
  func `hours do not matter where runs differ by chance alone`(count: Int) throws {
    let pattern = try #require(
      RunPattern(history(count) { index, _ in [1, 5, 2][(index + index / 24) % 3] }))
    #expect(!pattern.dependsOnHour && pattern.trend == 1)
  }

  @Test(arguments: [0.1, 3, 10])
  func `a job that has become slower or faster is drawn as it is now`(factor: Double) throws {
    let pattern = try #require(
      RunPattern(history(24 * 14) { index, _ in index < 24 * 14 - 32 ? 4 : 4 * factor }))
    #expect(abs(pattern.trend / factor - 1) < 0.15, "\(pattern.trend)")
    #expect(
      drawn(pattern, hour: 5).allSatisfy { $0 > 3.5 * factor && $0 < 5.5 * factor })
  }

  @Test func `a daily job that has become slow a week ago is seen`() throws {
    var history = JobRunHistory(of: "a")
    for index in 0..<32 {
      history.add(
        PastRun(microseconds: (index < 24 ? 60 : 600) * 1_000_000 + Int64(index), hour: 3))
    }
    #expect(abs(try #require(RunPattern(history)).trend - 10) < 1)
  }

  @Test func `hours and a change are distinguished`() throws {
    let pattern = try #require(
      RunPattern(
        history(24 * 14) { index, hour in
          (hour == 2 ? 20 : 2) * (index < 24 * 14 - 32 ? 1 : 3)
        }))
    #expect(pattern.dependsOnHour && abs(pattern.trend - 3) < 0.5, "\(pattern.trend)")
    #expect(drawn(pattern, hour: 2).allSatisfy { $0 > 50 })
  }

  @Test func `a history is bounded, counts all runs, and is the same each time`() {
    let histories = (0..<2).map { _ in history(10_000) { index, _ in Double(index + 1) } }
    #expect(histories[0].runs == histories[1].runs)
    #expect(histories[0].count == 10_000)
    #expect(histories[0].runs.count == JobRunHistory.earlierMax + JobRunHistory.newestMax)
    // Early runs are as likely as late ones.
    let early = histories[0].runs.count { $0.microseconds < 5_000_000_000 }
    #expect(early > 350 && early < 700, "\(early)")
    #expect(histories[0].parts.newest.allSatisfy { $0.microseconds > 9_968_000_000 })
  }

  @Test func `runs fail as often as they did, and by their attempts`() throws {
    var history = JobRunHistory(of: "a")
    for index in 0..<100 {
      history.add(
        index % 4 == 0
          ? PastRun(microseconds: 9_000_000, attempts: 3, end: .failed)
          : PastRun(microseconds: 1_000_000, attempts: index % 4 == 1 ? 2 : 1))
    }
    let pattern = try #require(RunPattern(history))
    var numbers = SeededNumbers(seed: 1)
    let runs = (0..<4000).map { _ in pattern.draw(&numbers, hour: 0) }
    #expect(abs(runs.count { $0.failures == .max } - 1000) < 150)
    #expect(abs(runs.count { $0.failures == 1 } - 1000) < 150)
    #expect(history.failures == 25 && history.retried == 50 && history.rescued == 25)
  }

  @Test func `a run that timed out would have taken longer`() throws {
    var history = JobRunHistory(of: "a")
    for _ in 0..<10 { history.add(PastRun(microseconds: 60_000_000, end: .timedOut)) }
    var numbers = SeededNumbers(seed: 1)
    let run = try #require(RunPattern(history)).draw(&numbers, hour: 0)
    #expect(run.attempt == .seconds(120) && run.failures == .max)
  }

  @Test func `what a damaged ledger says traps nowhere`() throws {
    var history = JobRunHistory(of: "a")
    for number in [Int64.min, -1, 0, 1, .max] {
      history.add(
        PastRun(
          microseconds: number, cpuMicroseconds: number, memoryBytes: number,
          attempts: Int(clamping: number), hour: Int(clamping: number)))
    }
    let pattern = try #require(RunPattern(history))
    _ = drawn(pattern, hour: 0)
    #expect(RunPattern(JobRunHistory(of: "b")) == nil)
  }
}
