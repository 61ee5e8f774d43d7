package import TaktTime

/// How a slot was decided: once, for ever.
package enum Verdict: Hashable, Sendable, CustomStringConvertible {
  /// Its run has started.
  case ran
  /// It was due and was passed over.
  case skipped(SkipReason)
  /// A later slot, which was due as well, stands for it.
  case coalesced(into: WallInstant)
  /// Its time went by while nothing could serve it.
  case missed(MissCause)
  /// It was due when a reload, or somebody, took it away.
  case cancelled(CancelReason)

  /// What became of the slot, without the why.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case ran, skipped, coalesced, missed, cancelled

    /// The place among `allCases`; a switch, because it is asked for every slot.
    package var place: Int {
      switch self {
      case .ran: 0
      case .skipped: 1
      case .coalesced: 2
      case .missed: 3
      case .cancelled: 4
      }
    }
  }

  package var kind: Kind {
    switch self {
    case .ran: .ran
    case .skipped: .skipped
    case .coalesced: .coalesced
    case .missed: .missed
    case .cancelled: .cancelled
    }
  }

  /// `ran`, `skipped`, `coalesced`, `missed` or `cancelled`.
  package var name: String { kind.rawValue }

  /// What the verdict says more: `overlap`, an instant, or nil.
  package var detail: String? {
    switch self {
    case .ran: nil
    case .skipped(let reason): reason.rawValue
    case .coalesced(let into): into.rfc3339()
    case .missed(let cause): cause.rawValue
    case .cancelled(let reason): reason.rawValue
    }
  }

  /// `skipped(overlap)`
  package var description: String { detail.map { "\(name)(\($0))" } ?? name }
}

extension Verdict {
  /// Whether the slot counts as one that did not run, in every list, count and column of such slots:
  /// it was skipped, missed or cancelled, and the job was to run it here. A slot that a later one stands
  /// for counts with that one.
  package var didNotRun: Bool {
    switch self {
    case .ran, .coalesced: false
    case .missed, .cancelled: true
    case .skipped(let reason): reason.countsAsNotRun
    }
  }
}

/// Why a slot that was due was passed over.
package enum SkipReason: String, CaseIterable, Hashable, Sendable {
  /// A run of the job was active.
  case overlap
  /// Too many runs of the job waited for a free place.
  case queueFull = "queue_full"
  /// All places of the job's group were taken, and the group does not wait.
  case groupFull = "group_full"
  /// The job was disabled or suspended.
  case suspended
  /// It lies in a time that the job excludes.
  case excluded
  /// The job has run as often as it may.
  case limit
  case stopping
  /// The ledger could not take it in time, and the job is to run at most once.
  case ledger
  /// Another machine of the cluster has it.
  case elsewhere
  /// No machine of the cluster has the labels that the job needs.
  case unplaced
  /// What `only_if` asks for did not hold.
  case condition

  /// Not where somebody has said that the job is not to run, nor where another machine has the slot.
  package var countsAsNotRun: Bool {
    switch self {
    case .suspended, .excluded, .limit, .elsewhere: false
    case .overlap, .queueFull, .groupFull, .stopping, .ledger, .condition, .unplaced: true
    }
  }
}

/// Why nothing could serve a slot in its time.
package enum MissCause: String, CaseIterable, Hashable, Sendable {
  /// takt did not run, or did not know of the slot.
  case down
  case asleep
  /// Somebody put the wall clock forward over it.
  case clock
  /// takt, or the whole machine, stood still or was too slow.
  case stalled
  /// The engine of its cluster did not answer until it was too late.
  case engine
  /// takt was drained, and started nothing.
  case drained
  /// It might have run late, but not in the times in which its job allows that.
  case lateTimes = "only_on"
}

/// How a slot was taken away.
package enum CancelReason: String, CaseIterable, Hashable, Sendable {
  case removed
  /// The job has a new schedule, whose leeway no longer allows the slot, or which another machine of
  /// the cluster had before.
  case displaced
  /// Somebody has cancelled its run before it started.
  case byOperator = "operator"
}

/// The verdict on one slot, or on a series of slots without a gap. No two records overlap.
package struct VerdictRecord: Hashable, Sendable {
  package var job: JobName
  package var slots: SlotSeries
  package var verdict: Verdict
  package var at: WallInstant
  /// The run that serves the slot; nil for any other verdict than `ran`.
  package var run: RunID?

  package init(
    job: JobName, slots: SlotSeries, verdict: Verdict, at: WallInstant, run: RunID? = nil
  ) {
    self.job = job
    self.slots = slots
    self.verdict = verdict
    self.at = at
    self.run = run
  }
}
