package import TaktCore
import TaktTime

/// What the explorer begins with, and what may go wrong.
package struct ExplorerScene: Sendable {
  /// One mistake of the world.
  package enum Fault: String, CaseIterable, Sendable {
    /// The engine has done a batch, and its answer does not come.
    case lostAnswer = "lost-answer"
    /// The engine does a batch when the lease of its sender is over.
    case lateBatch = "late-batch"
    /// takt is killed, and back at once, with its ledger.
    case crash
    /// takt is killed, and back when others have decided for it.
    case longCrash = "long-crash"
    /// takt is killed, and back at once without its ledger.
    case crashWithoutLedger = "crash-without-ledger"
    /// The machine stands still until others have decided for it.
    case freeze
    /// Another version of the file reaches this machine, and a second later the others.
    case reload
    /// The machine leaves and does not come back.
    case leave
  }

  package var name: String
  package var machines = 2
  /// The versions of the jobs file.
  package var versions: [[JobSpec]]
  package var faults = Set(Fault.allCases)
  package var faultsMax: Int
  /// How long a run may take: each is tried.
  package var lengths: [Duration] = [.milliseconds(300), .seconds(3)]
  package var lease = Duration.seconds(6)
  package var grace = Duration.seconds(1)
  /// How long after the start all must be decided.
  package var horizon = Duration.seconds(120)
  package var plant: MemoryEngine.Plant?

  static let start = WallInstant(milliseconds: 1_790_000_000_000)

  /// One job whose slots come at these instants after the start.
  package static func one(
    _ overlap: Overlap, _ delivery: Delivery, machines: Int = 2, faults: Int,
    slots: [Duration] = [.milliseconds(1500), .milliseconds(3500)]
  ) -> Self {
    var job = JobSpec(
      name: ClaimScene.name("job"), timing: Timing(schedule: schedule(slots)),
      action: .argv(["true"]), overlap: overlap)
    job.delivery = delivery
    job.missed.within = .seconds(30)
    var changed = job
    changed.timing.schedule = schedule(slots.dropLast() + [slots[slots.count - 1] + .seconds(1)])
    return Self(
      name: "\(machines) machines, 1 job, \(slots.count) slots, \(overlap), \(delivery)",
      machines: machines, versions: [[job], [changed]], faultsMax: faults)
  }

  private static func schedule(_ slots: [Duration]) -> Schedule {
    var schedule = Schedule()
    schedule.at = slots.map { start + $0 }
    return schedule
  }
}
