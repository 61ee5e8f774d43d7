package import TaktTime

/// A snapshot of a job in the scheduler.
package struct JobView: Sendable {
  package enum State: String, CaseIterable, Hashable, Sendable {
    case waiting
    case running
    /// A run of it waits for a place.
    case queued
    case backingOff = "backing_off"
    case suspended
    /// Disabled by its file.
    case disabled
    /// It has run as often as its limit permits.
    case limit
    /// Nothing is due, or only when something happens.
    case idle
  }

  package var spec: JobSpec
  package var state: State
  /// Nil if its timer waits for none.
  package var next: Slot?
  package var timer: TimerView
  /// Its runs that have not ended, the oldest first, without hooks.
  package var active: [RunView]
  package var failureStreak: Int
  /// Slots that have run since the anchor.
  package var ranCount: Int
  /// Nil if it is not suspended.
  package var suspension: Suspension?
  /// Set while no run has succeeded within `expect_success_within`.
  package var staleSince: WallInstant?
  /// The ends gathered for `after: {all: […]}`; nil for a job without it.
  package var gatheredEnds: GatheredEnds?
  /// The slot that waits for the job's condition; nil for none.
  package var checkedSlot: WallInstant?
  /// True if another machine of the cluster has a newer schedule of it, so that this one claims
  /// none of its slots.
  package var isDrifted: Bool
  /// The labels that it needs and that no machine of the cluster has, so that it runs nowhere; nil
  /// if a machine has them.
  package var missingLabels: [String: String]?
  /// The hooks, and the pings, that have failed and have not succeeded since.
  package var alarmFailures: [String: AlarmFailure]

  /// True if it is suspended although its state is another, such as `running`.
  package var isSuspendedBeside: Bool { suspension != nil && state != .suspended }
}

/// The state of a job's timer; the raw value is the state of its timer machine.
package enum TimerView: String, CaseIterable, Hashable, Sendable {
  /// The job has none: no slot of it has an instant.
  case idle
  /// Armed for the next slot, or will be once the next instant is known.
  case running
  /// Stopped, as the job is suspended or disabled.
  case suspended
  /// No slot is left.
  case cancelled
}

/// A snapshot of a run that has not ended.
package struct RunView: Hashable, Sendable {
  package var run: StoredRun
  package var state: RunState.Kind
  /// In words for people; nil if it does not wait to start.
  package var waitsFor: String?
}

/// A snapshot of the scheduler.
package struct SchedulerView: Hashable, Sendable {
  package var phase: SchedulerPhase
  package var jobs: Int
  /// Jobs that wait for a slot; runs of theirs may be active.
  package var waiting: Int
  package var suspended: Int
  package var disabled: Int
  /// Jobs whose last runs have failed.
  package var failing: Int
  /// Jobs without a success for longer than `expect_success_within` allows.
  package var stale: Int
  /// Jobs with a failed hook or ping that has not succeeded since.
  package var alarmFailed: Int
  /// Runs that have a place.
  package var running: Int
  /// Runs that wait for a place.
  package var queued: Int
  package var drain: Drain?
  package var settings: SchedulerSettings
}

extension SchedulerView {
  /// The runs that a stop or a drain waits for; nil for neither.
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
