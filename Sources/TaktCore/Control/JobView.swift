package import TaktTime

/// A job as the scheduler knows it at one moment.
package struct JobView: Sendable {
  /// Where a job stands, in one word.
  package enum State: String, CaseIterable, Hashable, Sendable {
    /// It waits for its next slot.
    case waiting
    /// At least one run of it is in progress.
    case running
    /// A run of it waits for a place.
    case queued
    /// A run of it waits for its next attempt.
    case backingOff = "backing_off"
    case suspended
    /// Its file says so.
    case disabled
    /// It has run as often as it may.
    case limit
    /// Nothing is due, or only when something happens.
    case idle
  }

  package var spec: JobSpec
  package var state: State
  /// The slot that its timer waits for; nil without one.
  package var next: Slot?
  package var timer: TimerView
  /// Its runs that have not ended, the oldest first; hooks are not among them.
  package var active: [RunView]
  package var failureStreak: Int
  /// How many slots have run since the anchor.
  package var ranCount: Int
  /// Why it rests; nil when it does not.
  package var suspension: Suspension?
  /// Since when it is stale: no run has succeeded within `expect_success_within`. Nil while it is not.
  package var staleSince: WallInstant?
  /// What of `after: {all: […]}` there is; nil for a job without it.
  package var gatheredEnds: GatheredEnds?
  /// The slot that waits for the job's condition; nil for none.
  package var checkedSlot: WallInstant?
  /// Another machine of the cluster has a newer schedule of it, so that this one claims none of its
  /// slots.
  package var isDrifted: Bool
  /// The labels that it needs and that no machine of the cluster has, so that it runs nowhere; nil
  /// where one has them.
  package var missingLabels: [String: String]?
  /// The hooks, and the pings, that have failed and have not succeeded since.
  package var alarmFailures: [String: AlarmFailure]

  /// Whether it is suspended although its state says something else, such as `running`.
  package var isSuspendedBeside: Bool { suspension != nil && state != .suspended }
}

/// Where a job's timer is; the raw value is the state of its timer machine.
package enum TimerView: String, CaseIterable, Hashable, Sendable {
  /// The job has none: no slot of it has an instant.
  case idle
  /// It is armed for the next slot, or will be when the next instant is known.
  case running
  /// It stands still, as the job is suspended or disabled.
  case suspended
  /// No slot is left.
  case cancelled
}

/// A run that has not ended, as the scheduler knows it.
package struct RunView: Hashable, Sendable {
  package var run: StoredRun
  package var state: RunState.Kind
  /// What it waits for before it may start, for people; nil when it does not wait.
  package var waitsFor: String?
}

/// The scheduler at one moment.
package struct SchedulerView: Hashable, Sendable {
  package var phase: SchedulerPhase
  package var jobs: Int
  /// How many wait for a slot; runs of theirs may be active.
  package var waiting: Int
  package var suspended: Int
  package var disabled: Int
  /// Of how many the last runs have failed.
  package var failing: Int
  /// How many have not succeeded for longer than `expect_success_within` allows.
  package var stale: Int
  /// Of how many a hook or a ping has failed, and has not succeeded since.
  package var alarmFailed: Int
  /// How many runs have a place.
  package var running: Int
  /// How many runs wait for a place.
  package var queued: Int
  /// Nil while runs may start.
  package var drain: Drain?
  package var settings: SchedulerSettings
}

extension SchedulerView {
  /// What a stop or a drain waits for; nil for neither.
  package var stopWords: String? {
    let runs = running == 1 ? "1 active run" : "\(running) active runs"
    return switch phase {
    case .draining:
      "takt is stopping: no new runs; it waits up to \(DurationText.format(settings.shutdownGrace)) "
        + "(shutdown_grace) for \(runs)"
    case .stopping: "takt is stopping: it ends \(runs)"
    case .running: drain.map { Self.words(of: $0, running == 0 ? nil : runs) }
    case .starting, .finished: nil
    }
  }

  /// The drain comes last, as ` since …` follows.
  private static func words(of drain: Drain, _ runs: String?) -> String {
    if drain.isDone { return "no run starts: takt is drained" }
    let end = drain.stays ? "" : ", then the end"
    return "no new runs\(runs.map { ", waiting for \($0)\(end)" } ?? ""): takt is draining"
  }
}

/// What the scheduler is about.
package enum SchedulerPhase: String, CaseIterable, Hashable, Sendable {
  /// The jobs are not loaded yet.
  case starting
  /// It serves slots.
  case running
  /// No new runs; it waits for those in progress.
  case draining
  /// It stops those in progress.
  case stopping
  case finished
}
