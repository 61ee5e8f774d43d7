import TaktTime

/// Events of takt's own life that make a job due some time later.
extension SchedulerCore {
  /// Makes the slots of events: one for those that wait equally long.
  mutating func occurLater(_ causes: [LifecycleEvent], for id: JobID, at now: Now) {
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

extension LifecycleEvent {
  var cause: SlotCause {
    switch self {
    case .start: .start
    case .boot: .boot
    case .reload: .reload
    }
  }
}
