package import TaktTime

/// The slots that a job will have, as far as anybody can foresee them.
package enum SlotPreview {
  /// What was found, and how far it was looked.
  struct Found {
    var slots: [Slot] = []
    /// Up to where it was looked before the looks gave out; nil where they did not.
    var until: WallInstant?
    /// How many slots were looked at, those that are excluded among them.
    var looks = 0
  }

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
    find(of: spec, after: previous, startingAt: now, count: count, before: end).slots
  }

  /// - Parameter looks: so many slots are looked at, those that are excluded among them.
  static func find(
    of spec: JobSpec, after previous: PreviousJob?, startingAt now: Now, count: Int,
    before end: WallInstant?, looks: Int? = nil
  ) -> Found {
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
    var found = find(
      of: spec, from: cursor, ran: (previous?.checkpoint.ranCount ?? 0) + slots.count,
      startingAt: now, count: count - slots.count, before: end, looks: looks)
    delayed.removeAll { timing.schedule.excludes($0.nominal) }
    let all = slots + found.slots
    found.slots = Array(
      (delayed.isEmpty ? all : (all + delayed).sorted { $0.due < $1.due }).prefix(min(count, left)))
    return found
  }

  /// At most `count` slots of a job that has come to `cursor`.
  static func find(
    of spec: JobSpec, from cursor: ScheduleCursor, ran: Int, startingAt now: Now, count: Int,
    before end: WallInstant?, looks: Int? = nil
  ) -> Found {
    let timing = spec.timing
    var cursor = cursor
    var found = Found()
    let wanted = max(0, min(count, timing.schedule.limit.map { $0 - ran } ?? count))
    var clock = now
    // A job that excludes all that it names would be searched for ever.
    let looks = looks ?? wanted + Self.excludedMax
    while found.slots.count < wanted {
      guard found.looks < looks else {
        found.until = clock.wall
        break
      }
      found.looks += 1
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
        found.slots.append(slot)
        _ = cursor.popDue(of: timing, for: spec.name, at: clock)
      }
      cursor.startDelay(timing.schedule, at: clock)
    }
    return found
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
}

extension SlotPreviewInput {
  /// Of a job of a jobs file that has come as far as `previous`; nil for one that is new.
  init(_ spec: JobSpec, after previous: PreviousJob?, at now: Now) {
    let schedule = spec.timing.schedule
    var cursor = ScheduleCursor(schedule: schedule, at: now)
    if let previous {
      cursor = ScheduleCursor(previous.checkpoint.cursor, isSameBoot: previous.isSameBoot, at: now)
      cursor.skip(to: now, from: previous.version.schedule, to: schedule)
    }
    self.init(spec: spec, cursor: cursor, ran: previous?.checkpoint.ranCount ?? 0, now: now)
  }

  /// The next slots, at most so many, as far as anybody can foresee them.
  package func slots(count: Int) -> [Slot] { find(count: count, before: nil).slots }

  /// The same from an instant on, as if nothing happened until then, and before `end`.
  package func slots(from first: WallInstant, count: Int, before end: WallInstant? = nil) -> [Slot]
  {
    find(from: first, count: count, before: end).slots
  }

  /// - Parameter looks: so many slots are looked at, those that are excluded among them.
  func find(
    from first: WallInstant, count: Int, before end: WallInstant?, looks: Int? = nil
  ) -> SlotPreview.Found {
    let schedule = spec.timing.schedule
    guard first > now.wall else { return find(count: count, before: end, looks: looks) }
    if schedule.limit != nil {
      // Each of them counts.
      let all = min(Self.countedMax, looks ?? Self.countedMax)
      var found = find(count: all, before: end, looks: looks)
      if found.slots.count == all { found.until = found.slots.last?.due }
      found.slots = Array(found.slots.drop { $0.due < first }.prefix(count))
      return found
    }
    let start = first - .milliseconds(1)
    let then = Now(wall: start, monotonic: now.monotonic + (start - now.wall))
    var cursor = cursor
    cursor.decideAll(of: schedule, at: then)
    cursor.forgetNext()
    cursor.startDelay(schedule, at: then)
    return SlotPreview.find(
      of: spec, from: cursor, ran: ran, startingAt: then, count: count, before: end, looks: looks)
  }

  private func find(
    count: Int, before end: WallInstant?, looks: Int? = nil
  ) -> SlotPreview.Found {
    SlotPreview.find(
      of: spec, from: cursor, ran: ran, startingAt: now, count: count, before: end, looks: looks)
  }

  private static let countedMax = 10_000
}
