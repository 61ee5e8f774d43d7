package import TaktTime

/// The decision about a slot: made once, and final.
package enum Verdict: Hashable, Sendable, CustomStringConvertible {
  case ran
  /// Due, and not run.
  case skipped(SkipReason)
  /// A later slot, which was due as well, covers it.
  case coalesced(into: WallInstant)
  /// Its time passed while nothing could serve it.
  case missed(MissCause)
  /// Due when a reload, or a user, removed it.
  case cancelled(CancelReason)

  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case ran, skipped, coalesced, missed, cancelled

    /// The place among `allCases`; a switch, because it is read for every slot.
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

  /// The reason or the later slot: `overlap`, an instant, or nil.
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
  /// True if the slot counts as one that did not run, in every list, count and column of such
  /// slots: it was skipped, missed or cancelled, and the job was to run it here. A slot that a
  /// later one covers counts with that one.
  package var didNotRun: Bool {
    switch self {
    case .ran, .coalesced: false
    case .missed, .cancelled: true
    case .skipped(let reason): reason.countsAsNotRun
    }
  }
}

/// The reason why a due slot was not run.
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
  /// The job has run as often as its limit permits.
  case limit
  case stopping
  /// The ledger could not record it in time, and the job must run at most once.
  case ledger
  /// Another machine of the cluster has it.
  case elsewhere
  /// No machine of the cluster has the labels that the job needs.
  case unplaced
  /// The job's `only_if` did not hold.
  case condition

  /// False for suspensions, exclusions and limits, which a user intended, and for slots of another
  /// machine.
  package var countsAsNotRun: Bool {
    switch self {
    case .suspended, .excluded, .limit, .elsewhere: false
    case .overlap, .queueFull, .groupFull, .stopping, .ledger, .condition, .unplaced: true
    }
  }
}

/// The reason why nothing could serve a slot in its time.
package enum MissCause: String, CaseIterable, Hashable, Sendable {
  /// takt was not running, or did not know of the slot.
  case down
  case asleep
  /// The wall clock was set forward over it.
  case clock
  /// takt, or the whole machine, was stopped or too slow.
  case stalled
  /// The engine of its cluster did not answer in time.
  case engine
  /// takt was drained, and started no runs.
  case drained
  /// It could have run late, but not in the times in which its job allows that.
  case lateTimes = "only_on"
}

/// The reason why a slot was removed.
package enum CancelReason: String, CaseIterable, Hashable, Sendable {
  case removed
  /// The job has a new schedule, whose leeway no longer allows the slot, or which another machine
  /// of the cluster had before.
  case displaced
  /// A user has cancelled its run before it started.
  case byOperator = "operator"
}

/// The verdict on one slot, or on a series of slots without a gap. No two records overlap.
package struct VerdictRecord: Hashable, Sendable {
  package var job: JobName
  package var slots: SlotSeries
  package var verdict: Verdict
  package var at: WallInstant
  /// Nil for any other verdict than `ran`.
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
