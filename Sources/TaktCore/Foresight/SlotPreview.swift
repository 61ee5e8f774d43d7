package import TaktTime

/// The future slots of a job, as far as they can be foreseen.
package enum SlotPreview {
  struct Found {
    var slots: [Slot] = []
    /// The end of the search if it reached its bound; nil otherwise.
    var until: WallInstant?
    /// The number of slots examined, excluded ones included.
    var looks = 0
  }

  /// At most `count` slots after the start, in order. A fixed delay is shown as if its runs took no
  /// time; excluded slots are left out.
  ///
  /// - Parameters:
  ///   - previous: the job's position; nil for one that takt loads for the first time.
  ///   - end: exclusive; nil for no bound.
  package static func slots(
    of spec: JobSpec, after previous: PreviousJob? = nil, startingAt now: Now, count: Int,
    before end: WallInstant? = nil
  ) -> [Slot] {
    find(of: spec, after: previous, startingAt: now, count: count, before: end).slots
  }

  /// - Parameter looks: the most slots to examine, excluded ones included.
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
      // A delayed slot is still in the future.
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

  /// At most `count` slots of a job at the position `cursor`.
  static func find(
    of spec: JobSpec, from cursor: ScheduleCursor, ran: Int, startingAt now: Now, count: Int,
    before end: WallInstant?, looks: Int? = nil
  ) -> Found {
    let timing = spec.timing
    var cursor = cursor
    var found = Found()
    let wanted = max(0, min(count, timing.schedule.limit.map { $0 - ran } ?? count))
    var clock = now
    // A job that excludes all that it names would be searched without end.
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
      // Both clocks advance to the slot; the wall clock is not stepped meanwhile.
      let nominal = slot.deadline - slot.offset
      clock = Now(
        wall: max(clock.wall + (nominal - clock.monotonic), slot.nominal),
        monotonic: max(nominal, clock.monotonic))
      if timing.schedule.excludes(slot.nominal) {
        // Those behind it are excluded, too, until that may end.
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

/// The input to foresee the slots of a running job, away from the scheduler.
package struct SlotPreviewInput: Sendable {
  let spec: JobSpec
  let cursor: ScheduleCursor
  let ran: Int
  let now: Now

  package var name: JobName { spec.name }
}

extension SlotPreviewInput {
  /// For a job of a jobs file at the position `previous`; nil for a new one.
  init(_ spec: JobSpec, after previous: PreviousJob?, at now: Now) {
    let schedule = spec.timing.schedule
    var cursor = ScheduleCursor(schedule: schedule, at: now)
    if let previous {
      cursor = ScheduleCursor(previous.checkpoint.cursor, isSameBoot: previous.isSameBoot, at: now)
      cursor.skip(to: now, from: previous.version.schedule, to: schedule)
    }
    self.init(spec: spec, cursor: cursor, ran: previous?.checkpoint.ranCount ?? 0, now: now)
  }

  package func slots(count: Int) -> [Slot] { find(count: count, before: nil).slots }

  /// The same from an instant on, as if nothing happened until then, and before `end`.
  package func slots(from first: WallInstant, count: Int, before end: WallInstant? = nil) -> [Slot]
  {
    find(from: first, count: count, before: end).slots
  }

  /// - Parameter looks: the most slots to examine, excluded ones included.
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
