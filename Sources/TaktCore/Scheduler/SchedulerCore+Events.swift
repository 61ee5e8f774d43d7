package import TaktTime

/// Events that make a job due, at once or later.
extension SchedulerCore {
  /// An event that makes a job due at once.
  mutating func occur(_ causes: SlotCauses, for id: JobID, at now: Now) {
    let schedule = jobs[id].spec.timing.schedule
    guard schedule.isWithinBounds(now.wall) else { return }
    let nominal = jobs[id].cursor.nameInstant(schedule, at: now)
    markDirty(id)
    let slot = Slot(nominal: nominal, causes: causes, deadline: now.monotonic)
    var reason = phase == .running ? jobs[id].holdReason : .stopping
    if schedule.excludes(nominal) { reason = reason ?? .excluded }
    if let reason {
      decide(id, SlotSeries(nominal), .skipped(reason), at: now, causes: slot.causes)
    } else {
      coalesceLate(of: id, into: slot, at: now)
      // Like a slot that passes meanwhile, it is kept for the end of the drain.
      if drain != nil { return putOff(slot, of: id, until: nil) }
      serve(slot, of: id, at: now)
    }
  }

  mutating func changed(
    _ name: JobName, _ watch: PathWatch, _ paths: ChangedPaths, at now: Now
  ) {
    // A reload may have overtaken it.
    guard let id = jobs.id(of: name), jobs[id].spec.timing.schedule.watch.contains(watch) else {
      return
    }
    if !paths.isEmpty { watchChanges.add(paths, of: id) }
    occur([.watch], for: id, at: now)
  }

  // MARK: takt's own life

  /// Events of takt's own life: one slot, whichever of them the job waits for.
  mutating func occur(on lifecycleEvents: Set<LifecycleEvent>, for id: JobID, at now: Now) {
    let wanted = jobs[id].spec.timing.schedule.on
    if wanted.isEmpty { return }
    if jobs[id].spec.timing.schedule.hasDelays {
      return occurLater(lifecycleEvents.intersection(wanted).sorted(), for: id, at: now)
    }
    var causes: SlotCauses = []
    for lifecycleEvent in lifecycleEvents.intersection(wanted) {
      causes.insert(lifecycleEvent.cause)
    }
    if !causes.isEmpty { occur(causes, for: id, at: now) }
  }

  /// Makes the slots of events: one for those with the same delay.
  private mutating func occurLater(_ causes: [LifecycleEvent], for id: JobID, at now: Now) {
    let delays = jobs[id].spec.timing.schedule.delays
    var atOnce: SlotCauses = []
    var later: [Duration: SlotCauses] = [:]
    for event in causes {
      if let delay = delays[event] {
        later[delay, default: []].insert(event.cause)
      } else {
        atOnce.insert(event.cause)
      }
    }
    for (delay, causes) in later.sorted(by: { $0.key < $1.key }) {
      occur(causes, for: id, after: delay, at: now)
    }
    if !atOnce.isEmpty { occur(atOnce, for: id, at: now) }
    arm(id, at: now)
  }

  /// An event that makes a job due later. Its slot has the name of the instant at which it is due,
  /// and is held like one that is delayed: the next daemon knows that instant.
  private mutating func occur(
    _ causes: SlotCauses, for id: JobID, after delay: Duration, at now: Now
  ) {
    let schedule = jobs[id].spec.timing.schedule
    let then = Now(wall: now.wall + delay, monotonic: now.monotonic + delay)
    guard schedule.isWithinBounds(then.wall) else { return }
    let nominal = jobs[id].cursor.nameInstant(schedule, ahead: delay, at: now)
    markDirty(id)
    var reason = phase == .running ? jobs[id].holdReason : .stopping
    if schedule.excludes(nominal) { reason = reason ?? .excluded }
    if let reason {
      decide(id, SlotSeries(nominal), .skipped(reason), at: now, causes: causes)
    } else {
      putOff(
        Slot(nominal: nominal, causes: causes, deadline: then.monotonic), of: id,
        until: then.monotonic)
    }
  }
}

/// An event for the scheduler. The time comes with it.
package enum SchedulerEvent: Sendable {
  /// takt starts with this set of jobs, and continues from a previous daemon.
  indirect case started(Snapshot, after: PreviousState = PreviousState())
  /// A new set of jobs is valid; the plan leads to it from the present one.
  indirect case reloaded(ReloadPlan)
  /// The timer of this key has fired; `token` is the one it was armed with.
  case timerFired(TimerID, token: UInt64)
  indirect case commanded(SchedulerCommand)
  /// The process or work of an attempt's action has ended, or could not be started.
  case actionEnded(RunID, AttemptReport)
  /// No process of an attempt's group is left.
  case groupEnded(RunID, GroupReport = GroupReport())
  /// All entries of this run are kept for certain.
  case kept(RunID)
  indirect case claims(ClaimOutcome)
  /// The ledger was lost: the whole present state is recorded again.
  case ledgerRenewed
  /// The wall clock was set, or the machine has slept for this long.
  case clockStepped(slept: Duration)
  /// Files that a job watches have changed.
  indirect case changed(JobName, PathWatch, paths: ChangedPaths = ChangedPaths())
  /// A request to log the state of all jobs.
  case dumpStatus
  /// A request to stop; a second time: without waiting; a third time: at once.
  case stop
}

/// An effect of the scheduler. Effects are performed in their order.
package enum SchedulerEffect: Hashable, Sendable {
  /// Fire once between `deadline`, which people know as `due`, and `deadline + leeway`, in place of
  /// any earlier arming.
  case arm(
    TimerID, deadline: MonotonicInstant, due: WallInstant, leeway: Duration, token: UInt64)
  /// Fire no more, until it is armed again.
  case holdTimer(JobID, TimerHoldReason)
  /// Cancel the timer; it may be forgotten.
  case disarm(TimerID)
  case start(AttemptRequest)
  /// Send a run's process group a signal.
  case signal(RunID, StopSignal)
  /// Entries of one turn belong together.
  case record(LedgerEntry)
  /// Send `kept` once all entries of this run are kept for certain.
  case awaitLedger(RunID)
  /// Pass this to the cluster's engine, and send `claims` when it has answered or failed.
  indirect case claims(ClaimBatch)
  /// Runs under a claim must end this long after that batch was handed over, unless this is
  /// repeated.
  case leased(batch: UInt64, for: Duration)
  /// A slot's run starts; for measurements.
  case served(SlotStart)
  case log(LogRecord)
  /// The process may end.
  case finish
}
