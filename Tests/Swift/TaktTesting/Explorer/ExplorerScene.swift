package import TaktCore
import TaktTime

/// The explorer's initial state, and its faults.
package struct ExplorerScene: Sendable {
  /// One mistake of the world.
  package enum Fault: String, CaseIterable, Sendable {
    /// The engine has performed a batch, and its answer is lost.
    case lostAnswer = "lost-answer"
    /// The engine performs a batch when the lease of its sender is over.
    case lateBatch = "late-batch"
    /// takt is killed, and back at once, with its ledger.
    case crash
    /// takt is killed, and back when others have decided for it.
    case longCrash = "long-crash"
    /// takt is killed, and back at once without its ledger.
    case crashWithoutLedger = "crash-without-ledger"
    /// The machine stands still until others have decided for it.
    case freeze
    /// The machine stands still past its lease, and continues before others decide for it.
    case pause
    /// Another version of the file reaches this machine, and a second later the others.
    case reload
    /// The machine leaves and does not come back.
    case leave
    /// An operator suspends the first job, for two seconds.
    case suspend
    case resume
    case trigger
    /// Active runs fail now.
    case fail

    /// The faults to try with a cluster.
    package static let ofCluster: Set<Self> = [
      .lostAnswer, .lateBatch, .crash, .longCrash, .crashWithoutLedger, .freeze, .pause, .reload,
      .leave,
    ]
    /// The faults to try with one machine that shares nothing.
    package static let ofOneMachine: Set<Self> = [
      .crash, .reload, .suspend, .resume, .trigger, .fail,
    ]
  }

  package var name: String
  package var machines = 2
  /// There is one machine, and no engine.
  package var isAlone = false
  /// The versions of the jobs file.
  package var versions: [[JobSpec]]
  package var faults = Fault.ofCluster
  package var faultsMax: Int
  /// The possible lengths of a run: each is tried.
  package var lengths: [Duration] = [.milliseconds(300), .seconds(3)]
  package var lease = Duration.seconds(6)
  /// The time after a machine's lease at which others decide for it.
  package var grace = Duration.zero
  /// The time after the start by which all must be decided.
  package var horizon = Duration.seconds(120)
  package var plant: MemoryEngine.Plant?
  /// The group that all jobs are in, of which one may run at a time.
  var group: String?

  static let start = WallInstant(milliseconds: 1_790_000_000_000)
  static let begin = MonotonicInstant(nanoseconds: 1_000_000_000)

  func clock(at instant: MonotonicInstant) -> Now {
    Now(wall: Self.start + (instant - Self.begin), monotonic: instant)
  }

  func snapshot(_ version: Int) -> Snapshot {
    var settings = SchedulerSettings()
    if let group { settings.concurrency[group] = 1 }
    return Snapshot(settings: settings, jobs: versions[version])
  }

  /// Runs of these two jobs may not meet where one of them is to be alone.
  func excludes(_ one: JobName, _ other: JobName) -> Bool { group != nil || one == other }

  /// The slots of a version that were still to come when it replaced another.
  func slots(of version: Int, after instant: WallInstant?) -> [ExplorerSlot] {
    versions[version].flatMap { job in
      job.timing.schedule.at.filter { slot in instant.map { slot > $0 } ?? true }
        .map { ExplorerSlot(job.name, $0) }
    }
  }

  /// One job whose slots come at these instants after the start.
  ///
  /// - Parameter stopGrace: the time that its runs may take to end.
  package static func one(
    _ overlap: Overlap, _ delivery: Delivery, machines: Int = 2, faults: Int,
    slots: [Duration] = [.milliseconds(1500), .milliseconds(3500)], stopGrace: Duration = .zero
  ) -> Self {
    var job = JobSpec(
      name: ClaimScene.name("job"), timing: Timing(schedule: schedule(slots)),
      action: .argv(["true"]), overlap: overlap)
    job.delivery = delivery
    job.missed.within = .seconds(30)
    job.execution.stop.grace = stopGrace
    var changed = job
    changed.timing.schedule = schedule(slots.dropLast() + [slots[slots.count - 1] + .seconds(1)])
    return Self(
      name: "\(machines) machines, 1 job, \(slots.count) slots, \(overlap), \(delivery)",
      machines: machines, versions: [[job], [changed]], faultsMax: faults,
      // As the scheduler counts it.
      grace: stopGrace + .seconds(2))
  }

  /// Two jobs of a group in which one runs at a time, with a slot each; the second one's comes while
  /// a long run of the first one goes on.
  package static func group(
    _ overlap: Overlap, _ delivery: Delivery, machines: Int = 2, faults: Int
  ) -> Self {
    var scene = one(
      overlap, delivery, machines: machines, faults: faults, slots: [.milliseconds(1500)])
    scene.name = "\(machines) machines, 2 jobs of a group, \(overlap), \(delivery)"
    scene.group = "group"
    for version in scene.versions.indices {
      scene.versions[version][0].policies.concurrencyGroup = scene.group
      var other = scene.versions[version][0]
      other.name = ClaimScene.name("other")
      other.timing.schedule = schedule([.milliseconds(version == 0 ? 2500 : 3500)])
      scene.versions[version].append(other)
    }
    return scene
  }

  /// One machine that shares nothing, with a job that tries twice, and one that follows it if
  /// `isFollowed`.
  package static func alone(
    _ overlap: Overlap, _ delivery: Delivery, isFollowed: Bool = false, faults: Int
  ) -> Self {
    var scene = one(overlap, delivery, machines: 1, faults: faults)
    scene.name = "1 machine, \(isFollowed ? 2 : 1) jobs, 2 slots, \(overlap), \(delivery)"
    scene.isAlone = true
    scene.faults = Fault.ofOneMachine
    for version in scene.versions.indices {
      scene.versions[version][0].execution.retry.attempts = 2
      scene.versions[version][0].execution.retry.delay = .milliseconds(500)
      guard isFollowed else { continue }
      let parent = scene.versions[version][0]
      var schedule = Schedule()
      schedule.after = [Following(parent.name)]
      var follower = JobSpec(
        name: ClaimScene.name("follower"), timing: Timing(schedule: schedule),
        action: .argv(["true"]), overlap: .allow)
      follower.delivery = delivery
      scene.versions[version].append(follower)
    }
    return scene
  }

  private static func schedule(_ slots: [Duration]) -> Schedule {
    var schedule = Schedule()
    schedule.at = slots.map { start + $0 }
    return schedule
  }
}
