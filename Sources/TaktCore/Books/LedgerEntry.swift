package import TaktTime

/// One thing that the ledger keeps.
package enum LedgerEntry: Hashable, Sendable {
  /// A verdict.
  case verdict(VerdictRecord)
  /// A slot that is behind its job's mark and has no verdict yet: its run waits for a place, or for
  /// its turn among those that run late.
  case pending(JobName, WallInstant)
  /// How far a job has come, in place of what was said of it before.
  case mark(JobMark)
  /// A job is due by this schedule from now on.
  case schedule(ScheduleVersion)
  /// A job is due no more: it has been removed.
  case scheduleEnded(JobName, ScheduleEdge)
  /// A run, or a further attempt of it, that must be known before it may start. What a former takt
  /// had left of it is taken up with this, as with `began`.
  case claimed(RunBeginning)
  /// The first attempt of a run starts.
  case began(RunBeginning)
  /// A further attempt of a run starts.
  case attemptBegan(RunID, attempt: Int, at: WallInstant)
  /// An attempt has failed, and another follows.
  case backedOff(RunID, RetryPosition, at: WallInstant)
  /// What an attempt has printed that another attempt of its run follows. What the last one has
  /// printed comes with the end of the run.
  case attemptOutput(RunID, attempt: Int, KeptOutput, at: WallInstant)
  /// A run has ended.
  case ended(RunRecord)
  /// What a former takt had left of a run, which another has taken up or given up.
  case settled(RunID)
  /// The process that does an attempt.
  case process(RunID, ProcessIdentity)
  /// Somebody has set the wall clock.
  case clockStepped(at: WallInstant, by: Duration)
  /// A reload.
  case reloaded(ReloadRecord)
}

/// A run that starts, or wants to.
package struct RunBeginning: Hashable, Sendable {
  /// What the run is for.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A slot, which is decided by it.
    case slot
    /// Somebody asked for it.
    case manual
    /// Another run has come to something.
    case hook
    /// A run that a former takt did not bring to its end; its slot has been decided.
    case resumed
  }

  /// The run.
  package var run: RunID
  /// Whose run it is.
  package var job: JobName
  /// The instant that it is told.
  package var slot: WallInstant
  /// What it is for.
  package var kind: Kind
  /// What a crash may do to it.
  package var delivery: Delivery
  /// The number of its first attempt; above 1 when it goes on where another has stopped.
  package var attempt: Int
  /// Of a hook which one, and for which run; of a resumed run that which it goes on with.
  package var hook: HookKind?
  /// See `hook`.
  package var parent: RunID?
  /// When.
  package var at: WallInstant

  /// A run that starts, or wants to.
  package init(
    run: RunID, job: JobName, slot: WallInstant, kind: Kind, delivery: Delivery, attempt: Int,
    hook: HookKind? = nil, parent: RunID? = nil, at: WallInstant
  ) {
    self.run = run
    self.job = job
    self.slot = slot
    self.kind = kind
    self.delivery = delivery
    self.attempt = attempt
    self.hook = hook
    self.parent = parent
    self.at = at
  }
}

/// Where a run stands between two attempts.
package struct RetryPosition: Hashable, Sendable {
  /// How many attempts it has had.
  package var attempt: Int
  /// When the next one is due.
  package var until: WallInstant
  /// How the last one ended.
  package var end: RunEnd

  /// A run that waits for its next attempt.
  package init(attempt: Int, until: WallInstant, end: RunEnd) {
    self.attempt = attempt
    self.until = until
    self.end = end
  }
}

/// How a process is known again: a number alone may be another's by then.
package struct ProcessIdentity: Hashable, Sendable {
  /// Its number, and that of its session and group.
  package var pid: Int32
  /// When it was made, in clock ticks since the machine started: not before the first, not after
  /// the second.
  package var sinceTicks: UInt64
  /// See `sinceTicks`.
  package var untilTicks: UInt64

  /// The random word in the environment of the attempt's processes; empty where none is known, as
  /// in a ledger of an earlier version.
  package var mark: String
  /// The path of the attempt's control group, from the root of its hierarchy; nil without one.
  package var controlGroup: String?

  /// A process by its number and the time of its start.
  package init(
    pid: Int32, sinceTicks: UInt64, untilTicks: UInt64, mark: String = "",
    controlGroup: String? = nil
  ) {
    self.pid = pid
    self.sinceTicks = sinceTicks
    self.untilTicks = untilTicks
    self.mark = mark
    self.controlGroup = controlGroup
  }
}

/// A reload, as the ledger keeps it.
package struct ReloadRecord: Hashable, Sendable {
  /// When.
  package var at: WallInstant
  /// How many jobs were kept; nil for a reload that was refused.
  package var kept: Int?
  /// What changed, a line for each job that was not kept: `rearmed backup`. Of a refused one the
  /// errors.
  package var lines: [String]

  /// A reload.
  package init(at: WallInstant, kept: Int?, lines: [String]) {
    self.at = at
    self.kept = kept
    self.lines = lines
  }
}
