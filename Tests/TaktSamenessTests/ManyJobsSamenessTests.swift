@testable import TaktCore
import TaktTime
import Testing

/// What only many jobs show.
@Suite struct ManyJobsSamenessTests {
  private static let wall = WallInstant(milliseconds: 1_790_000_000_000)

  private func jobs(_ count: Int, _ schedule: Schedule) -> [JobSpec] {
    (0..<count).compactMap { JobName("j\($0)") }.map {
      JobSpec(name: $0, timing: Timing(schedule: schedule), action: .argv(["true"]))
    }
  }

  private func twin() -> TwinScheduler {
    TwinScheduler(at: Now(wall: Self.wall, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000)))
  }

  private func entries(_ effects: [SchedulerEffect]) -> [LedgerEntry] {
    effects.compactMap { if case .record(let entry) = $0 { entry } else { nil } }
  }

  @Test func `more late jobs than a minute has turns for get the same turns`() {
    // Those that are not late count too: they may be late next.
    var snapshot = Snapshot(jobs: jobs(1500, Schedule()))
    for index in 0..<500 {
      snapshot.jobs[index].timing.schedule.every = Every(.seconds(100))
    }
    var scheduler = twin()
    var books = MemoryBooks()
    books.record(entries(scheduler.start(snapshot)))
    scheduler.crash()
    scheduler.pass(.seconds(250))
    books.record(entries(scheduler.start(snapshot, after: books.former)))
    let end = scheduler.now.monotonic + .seconds(2)
    while scheduler.isSame, let due = scheduler.next(until: end) {
      for one in due { _ = scheduler.send(one.event) }
    }
    #expect(scheduler.isSame, "\(scheduler.difference?.description ?? "")")
  }

  @Test func `the same removed jobs are forgotten`() {
    var schedule = Schedule()
    schedule.limit = 3
    let snapshot = Snapshot(jobs: jobs(TaktCore.JobMemories.countMax + 40, schedule))
    var scheduler = twin()
    _ = scheduler.start(snapshot)
    _ = scheduler.reload(to: Snapshot())
    _ = scheduler.reload(to: Snapshot(jobs: Array(snapshot.jobs.prefix(60))))
    #expect(scheduler.isSame, "\(scheduler.difference?.description ?? "")")
  }
}
