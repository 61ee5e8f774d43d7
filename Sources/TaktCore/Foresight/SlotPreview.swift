package import TaktTime

/// The slots that a job will have, as far as anybody can foresee them.
package enum SlotPreview {
  /// At most `count` slots after the start, in order. A fixed delay is shown as if its runs took no
  /// time; slots that are excluded are left out.
  ///
  /// - Parameters:
  ///   - previous: how far the job has come; nil for one that takt loads for the first time.
  ///   - end: slots at or after it are not looked for; nil for no such bound.
  package static func slots(
    of spec: JobSpec, after previous: PreviousJob? = nil, startingAt now: Now, count: Int,
    before end: WallInstant? = nil
  ) -> [Slot] {
    let timing = spec.timing
    var cursor = ScheduleCursor(schedule: timing.schedule, at: now)
    var slots: [Slot] = []
    var delayed: [Slot] = []
    if let previous {
      cursor = ScheduleCursor(previous.checkpoint.cursor, isSameBoot: previous.isSameBoot, at: now)
      // One that is put off is still to come.
      let due = cursor.popDue(of: timing, for: spec.name, at: now)
      if let newest = due?.newest, newest.deadline > now.monotonic { slots.append(newest) }
      cursor.skip(to: now, from: previous.version.schedule, to: timing.schedule)
    } else if timing.schedule.isWithinBounds(now.wall), !timing.schedule.excludes(now.wall) {
      var causes: SlotCauses = []
      let delays = timing.schedule.delays
      for event in [LifecycleEvent.start, .boot] where timing.schedule.on.contains(event) {
        guard let delay = delays[event] else {
          causes.insert(event.cause)
          continue
        }
        let nominal = cursor.nameInstant(timing.schedule, ahead: delay, at: now)
        delayed.append(
          Slot(nominal: nominal, causes: [event.cause], deadline: now.monotonic + delay))
      }
      if !causes.isEmpty {
        let nominal = cursor.nameInstant(timing.schedule, at: now)
        slots.append(Slot(nominal: nominal, causes: causes, deadline: now.monotonic))
      }
    }
    let left =
      timing.schedule.limit.map { max(0, $0 - (previous?.checkpoint.ranCount ?? 0)) } ?? count
    let others = self.slots(
      of: spec, from: cursor, ran: (previous?.checkpoint.ranCount ?? 0) + slots.count,
      startingAt: now, count: count - slots.count, before: end)
    delayed.removeAll { timing.schedule.excludes($0.nominal) }
    let all =
      delayed.isEmpty ? slots + others : (slots + others + delayed).sorted { $0.due < $1.due }
    return Array(all.prefix(min(count, left)))
  }

  /// At most `count` slots of a job that has come to `cursor`.
  static func slots(
    of spec: JobSpec, from cursor: ScheduleCursor, ran: Int, startingAt now: Now, count: Int,
    before end: WallInstant? = nil
  ) -> [Slot] {
    let timing = spec.timing
    var cursor = cursor
    var slots: [Slot] = []
    let wanted = max(0, min(count, timing.schedule.limit.map { $0 - ran } ?? count))
    var clock = now
    // A job that excludes all that it names would be searched for ever.
    for _ in 0..<(wanted + Self.excludedMax) where slots.count < wanted {
      guard let slot = cursor.next(of: timing, for: spec.name, at: clock),
        end.map({ slot.nominal < $0 }) ?? true
      else { break }
      // Both clocks go on to the slot; the wall has not been stepped meanwhile.
      let nominal = slot.deadline - slot.offset
      clock = Now(
        wall: max(clock.wall + (nominal - clock.monotonic), slot.nominal),
        monotonic: max(nominal, clock.monotonic))
      if timing.schedule.excludes(slot.nominal) {
        // Those behind it are excluded, too, up to where that may end.
        guard let edge = timing.schedule.exclusionEdge(after: slot.nominal) else { break }
        let length = max(.zero, edge - slot.nominal - .milliseconds(1))
        clock = Now(wall: clock.wall + length, monotonic: clock.monotonic + length)
        cursor.decideAll(of: timing.schedule, at: clock)
        cursor.forgetNext()
      } else {
        slots.append(slot)
        _ = cursor.popDue(of: timing, for: spec.name, at: clock)
      }
      cursor.startDelay(timing.schedule, at: clock)
    }
    return slots
  }

  private static let excludedMax = 100_000
}

/// What is needed to foresee the slots of a job that runs, away from the scheduler.
package struct SlotPreviewInput: Sendable {
  let spec: JobSpec
  let cursor: ScheduleCursor
  let ran: Int
  let now: Now

  package var name: JobName { spec.name }

  /// The next slots, at most so many, as far as anybody can foresee them.
  package func slots(count: Int) -> [Slot] {
    SlotPreview.slots(of: spec, from: cursor, ran: ran, startingAt: now, count: count)
  }

  /// The same from an instant on, as if nothing happened until then.
  package func slots(from first: WallInstant, count: Int) -> [Slot] {
    let schedule = spec.timing.schedule
    guard first > now.wall else { return slots(count: count) }
    if schedule.limit != nil {
      // Each of them counts.
      return Array(slots(count: Self.countedMax).drop { $0.due < first }.prefix(count))
    }
    let start = first - .milliseconds(1)
    let then = Now(wall: start, monotonic: now.monotonic + (start - now.wall))
    var cursor = cursor
    cursor.decideAll(of: schedule, at: then)
    cursor.forgetNext()
    cursor.startDelay(schedule, at: then)
    return SlotPreview.slots(of: spec, from: cursor, ran: ran, startingAt: then, count: count)
  }

  private static let countedMax = 10_000
}
