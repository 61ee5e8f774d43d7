import TaktTime

/// Events that make a job due, at once or some time later.
extension SchedulerCore {
  /// Something has happened that makes a job due at once.
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

  /// Makes the slots of events: one for those that wait equally long.
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

  /// Something has happened that makes a job due later. Its slot has the name of the instant at which
  /// it is due, and is held like one that is put off: whoever takes over knows when that is.
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
