import Foundation
import TaktConfig
import TaktCore
import TaktEngine
import TaktTime
import Testing

/// The golden weeks, through both cores.
@Suite struct GoldenWeekSamenessTests {
  private struct NoActions: ActionCatalogue {
    var actionNames: [String] { [] }
    func parameters(of action: String) -> [ParameterSchema]? { nil }
  }

  private struct NoAccounts: AccountSource {
    func account(for identity: RunIdentity) -> Account? { nil }
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../golden").standardizedFileURL

  @Test(arguments: [
    "berlin-spring 2026-03-26", "berlin-autumn 2026-10-22", "new-york-spring 2026-03-05",
    "new-york-autumn 2026-10-29", "lord-howe-spring 2026-10-01", "lord-howe-autumn 2026-04-02",
    "sao-paulo-spring 2018-11-01", "sao-paulo-autumn 2018-02-15",
  ])
  func `a golden week is the same in both cores`(row: String) throws {
    let parts = row.split(separator: " ").map(String.init)
    let loader = JobsLoader(
      catalogue: NoActions(), zones: ZoneFiles(), accounts: NoAccounts(),
      time: SystemTimeSource(), userID: 1, refusesWritableByOthers: false)
    let loaded = loader.load(path: Self.folder.appending(path: "\(parts[0]).yaml").path)
    let snapshot = try #require(loaded.snapshot, "\(loaded.diagnostics)")
    let written = try InstantText("\(parts[1])T06:00")
    guard case .once(let start) = snapshot.settings.zone.read(written.civil) else {
      preconditionFailure("06:00 comes once")
    }
    var week = TwinWeek(snapshot, from: start)
    week.run(for: .seconds(7 * 86_400))
    #expect(week.scheduler.difference == nil, "\(week.scheduler.difference?.description ?? "")")
    let table = try String(
      contentsOf: Self.folder.appending(path: "\(parts[0]).txt"), encoding: .utf8)
    #expect(week.verdicts.count == table.split(separator: "\n").count { $0.hasPrefix("20") })
  }
}

/// A week as `takt simulate` makes it, with both cores in it.
private struct TwinWeek {
  private(set) var scheduler: TwinScheduler
  private(set) var verdicts: [VerdictRecord] = []
  private let snapshot: Snapshot

  init(_ snapshot: Snapshot, from start: WallInstant) {
    self.snapshot = snapshot
    scheduler = TwinScheduler(
      at: Now(wall: start, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000)))
  }

  mutating func run(for duration: Duration) {
    let end = scheduler.now.monotonic + duration
    perform(scheduler.start(snapshot))
    scheduler.comparePreviews(after: FormerBooks(), count: 100)
    while scheduler.isSame, let due = scheduler.next(until: end) {
      for one in due { perform(scheduler.send(one.event)) }
    }
    perform(scheduler.passHeld())
  }

  private mutating func perform(_ effects: [SchedulerEffect]) {
    for effect in effects {
      switch effect {
      case .record(.verdict(let record)): verdicts.append(record)
      case .start(let request):
        scheduler.setEnd(
          of: request.run, .attempt(.exited(0)), at: scheduler.now.monotonic + .seconds(1))
      case .awaitLedger(let run): perform(scheduler.send(.kept(run)))
      case .arm, .disarm, .signal, .record, .served, .log, .finish: break
      }
    }
  }
}
