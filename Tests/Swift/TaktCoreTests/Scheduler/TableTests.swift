import TaktTime
import Testing

@testable import TaktCore

/// The scheduler's tables of jobs and runs.
@Suite struct TableTests: MakesJobs {
  private static let now = Now(
    wall: SchedulerWorld.wall, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000))

  private func state(_ name: String) throws -> JobState {
    JobState(
      spec: try job(name, every(10)),
      cursor: ScheduleCursor(schedule: every(10), at: Self.now))
  }

  @Test func `a job that is not there is a bug in the log, and nothing else`() throws {
    var core = SchedulerCore()
    _ = core.handle(.started(Snapshot()), at: Self.now)
    core.jobs[JobID(index: 7)].failureStreak = 3
    #expect(core.runs[RunID(9)].transitionCount == 0)
    let lines = core.handle(.dumpStatus, at: Self.now).compactMap { effect in
      if case .log(let record) = effect { record[.message] } else { nil as LogValue? }
    }
    #expect(lines.count == 2)
    for (line, what) in zip(lines, ["missing job 7 in ", "missing run 9 in "]) {
      guard case .text(let text) = line else {
        Issue.record("\(line)")
        continue
      }
      #expect(text.hasPrefix("internal error: \(what)"))
    }
    #expect(core.jobCount == 0)
    #expect(core.handle(.dumpStatus, at: Self.now).isEmpty)
  }

  @Test func `a name keeps its number until nothing refers to it`() throws {
    var table = JobTable()
    let (a, b) = (table.insert(try state("a")), table.insert(try state("b")))
    table.follow(try #require(JobName("a")), b)
    table.remove(a)
    table.release(a)
    table.freeReleased()
    // Another job follows it.
    #expect(table.intern(try #require(JobName("a"))) == a)
    _ = table.unfollow(try #require(JobName("a")), b)
    table.release(a)
    // In the event that gives it up it still means the job.
    #expect(table.intern(try #require(JobName("c"))) != a)
    #expect(table.name(of: a).text == "a")
    table.freeReleased()
    #expect(table.intern(try #require(JobName("d"))) == a)
    #expect(table.count == 1)
  }

  @Test func `a run in the row of one that has ended has nothing of it`() throws {
    var table = RunTable()
    let spec = try job("a", every(10))
    let id = JobID(index: 1)
    let first = table.insert(
      of: id, spec, .manual(SchedulerWorld.wall), with: RunParameters(environment: ["x": "1"]),
      isForced: true)
    _ = table.claimPlace(first)
    table[first].begin(at: Self.now.monotonic)
    table[first].claim = ClaimGrant(token: ClaimToken(1), attempt: 1)
    table[first].parting = Shared(
      RetryPosition(attempt: 2, until: SchedulerWorld.wall, end: RunEnd(.failed, .exit(1))))
    table[first].timerToken = 7
    table[first].expectedToken = 8
    table[first].totals.add(Shared(ResourceUse(userMicroseconds: 5)))
    _ = table[first].note(RunMove(from: .queued, cause: .start), at: Self.now)
    table.giveUpPlace(first)
    table.remove(first)
    let second = table.insert(of: id, spec, .manual(SchedulerWorld.wall))
    #expect(first == second)
    var fresh = RunTable()
    fresh.lastRun = 1
    let place = fresh.insert(of: id, spec, .manual(SchedulerWorld.wall))
    #expect("\(table[second])" == "\(fresh[place])")
  }

  @Test func `runs are found however long some of them last`() {
    var index = RunIndex()
    for number in 1...100_000 as ClosedRange<UInt64> {
      index.append(RunID(number), at: Int(number))
      // Every ten thousandth never ends.
      if number % 10_000 != 0 { index.remove(RunID(number)) }
    }
    let left = stride(from: 10_000, through: 100_000, by: 10_000).map { RunID(UInt64($0)) }
    #expect(index.runs == left)
    #expect(left.allSatisfy { index[$0] == Int($0.number) })
    #expect(index[RunID(99_999)] == nil)
    for run in left { index.remove(run) }
    #expect(index.count == 0)
    #expect(index.runs.isEmpty)
  }
}
