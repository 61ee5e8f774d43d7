import FormerCore
import Testing

/// Reloads, commands and confusion, through both cores.
@Suite struct StormSamenessTests {
  @Test func `the former core does the same in storms of reloads and commands`() async {
    var census = await compareSeeds(0..<120) { seed in
      var storm = TwinStorm(seed: seed, size: 1 + Int(seed % 9), isSlow: false)
      storm.run(steps: 40)
      return SeedResult(seed: seed, storm.scheduler)
    }
    census.add(
      await compareSeeds(1000..<1080) { seed in
        var storm = TwinStorm(seed: seed, size: 1 + Int(seed % 9), isSlow: true)
        storm.run(steps: 40)
        return SeedResult(seed: seed, storm.scheduler)
      })
    // Many jobs, which run late one after the other.
    census.add(
      await compareSeeds(2000..<2004) { seed in
        var storm = TwinStorm(seed: seed, size: 24, isSlow: seed % 2 == 0)
        storm.run(steps: 60)
        return SeedResult(seed: seed, storm.scheduler)
      })
    print(census.table)
    #expect(census.counts["event"]?["reloaded"] ?? 0 >= 1000)
    #expect(gaps(in: census) == [])
  }

  /// What both cores can say and nobody has heard.
  private func gaps(in census: Census) -> [String] {
    let skips = FormerCore.SkipReason.allCases.map { "skipped(\($0.rawValue))" }
    let misses = FormerCore.MissCause.allCases.map { "missed(\($0.rawValue))" }
    let cancels = FormerCore.CancelReason.allCases.map { "cancelled(\($0.rawValue))" }
    return census.missing("verdict", of: ["ran", "coalesced"] + skips + misses + cancels)
      + census.missing("effect", of: effects) + census.missing("entry", of: entries)
      + census.missing("end", of: ends) + census.missing("event", of: events)
      + census.missing("reply", of: replies)
      + census.missing("job state", of: FormerCore.JobView.State.allCases.map(\.rawValue))
      + census.missing(
        "run state", of: ["queued", "running", "stopping", "killing", "backing_off"])
      + census.missing("began", of: FormerCore.RunHead.Kind.allCases.map(\.rawValue))
      + census.missing("start", of: ["run"] + FormerCore.HookKind.allCases.map(\.rawValue))
  }

  private let effects = [
    "arm job", "arm run", "arm expected", "arm shutdown", "disarm job", "disarm run",
    "disarm expected", "disarm shutdown", "start", "signal", "signal KILL", "record", "awaitLedger",
    "served", "log", "finish",
  ]
  private let entries = [
    "verdict", "pending", "mark", "schedule", "scheduleEnded", "claimed", "began", "attemptBegan",
    "backedOff", "attemptOutput", "ended", "settled", "clockStepped", "reloaded",
  ]
  private let ends = [
    "succeeded exit", "succeeded done", "succeeded descendants_left", "failed exit",
    "failed signal", "failed not_started", "failed reported", "failed fails_when",
    "timed_out timeout", "cancelled replaced", "cancelled operator", "cancelled removed",
    "cancelled shutdown", "cancelled ledger", "interrupted down", "with retry",
  ]
  private let events = [
    "started", "reloaded", "timerFired(job)", "timerFired(run)", "timerFired(expected)",
    "timerFired(shutdown)", "commanded", "obey", "attemptEnded", "groupEnded", "kept",
    "ledgerRenewed", "clockStepped", "changed", "dumpStatus", "stop", "crash",
  ]
  private let replies = [
    "done", "unknownJob", "unknownRun", "notSuspended", "past", "tooMany", "overlapping",
    "unavailable",
  ]
}
