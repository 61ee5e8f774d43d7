import TaktCore
import TaktTime

@testable import TaktTesting

/// Commands of people who mean well, and of some who do not know what there is.
enum StormCommands {
  static func command(
    for job: JobSpec?, lastRun: UInt64, at now: Now, _ random: inout SplitMix64
  ) -> SchedulerCommand {
    let run = RunID(UInt64.random(in: 1...lastRun + 1, using: &random))
    let nobody = random.oneIn(8) ? JobName("nobody") : nil
    guard let name = nobody ?? job?.name else { return .cancelRun(run) }
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: return trigger(name, at: now, &random)
    case 2: return .trigger(name)
    case 3: return .resume(name)
    case 4: return .suspend(name, until: until(now, &random), reason: random.oneIn(2) ? "" : "why")
    case 5: return .cancelJob(name)
    default: return .cancelRun(run)
    }
  }

  private static func until(_ now: Now, _ random: inout SplitMix64) -> WallInstant? {
    random.oneIn(3) ? nil : now.wall + .milliseconds(Int.random(in: -900...9000, using: &random))
  }

  private static func trigger(
    _ name: JobName, at now: Now, _ random: inout SplitMix64
  ) -> SchedulerCommand {
    .trigger(
      name,
      slot: random.oneIn(2) ? now.wall - .seconds(Int.random(in: 0...99, using: &random)) : nil,
      parameters: RunParameters(
        values: random.oneIn(2) ? ["message": .string("by hand")] : [:],
        environment: random.oneIn(2) ? ["A": "9", "B": "1"] : [:]),
      isForced: random.oneIn(2))
  }
}
