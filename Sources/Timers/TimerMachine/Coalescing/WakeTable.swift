import TaktTime

/// All armed entries, with the time of the next wake and the entries to serve then.
///
/// Each entry has a window from its due instant to its latest start, due + leeway less a guard of
/// min(5 ms, leeway / 10) for the way from the alarm to the handler. Sleeping until the earliest
/// latest start and then serving every open window gives, for fixed windows, the fewest wakes
/// possible. A pure value: the lock and the alarm are the wake queue's.
package struct WakeTable<Owner: AnyObject & Sendable>: Sendable {
  /// An entry whose window was open.
  package struct Served: Sendable {
    package var owner: Owner
    package var ticket: UInt64
  }

  private struct Entry {
    var owner: Owner?
    /// The arming's ticket; in a free entry, the number of the next free one.
    var link: UInt64
  }

  private static var noSlot: UInt32 { .max }

  private var entries: [Entry] = []
  private var firstFree = WakeTable.noSlot
  private var windows = WakeWindows()

  package init() {}

  package var count: Int { windows.count }

  /// Nodes that the heaps of windows have moved since the start.
  package var moves: UInt64 { windows.moves }

  /// The instant of the next wake; `nil` if nothing is armed.
  package var nextWake: MonotonicInstant? { windows.nextWake }

  /// The instant from which a wake makes the one at `nextWake` unnecessary; `nil` if nothing is
  /// armed.
  package var nextOpening: MonotonicInstant? { windows.nextOpening }

  /// The earliest due instant; `nil` if nothing is armed.
  package var nextDue: MonotonicInstant? { windows.nextDue }

  /// The end of a window, less the guard.
  package static func latestStart(due: Int64, leeway: Int64) -> Int64 {
    WakeWindows.latestStart(due: due, leeway: leeway)
  }

  /// Arms an owner: in its slot if it is armed there, else in a free one.
  ///
  /// A slot is freed without notifying its owner, whose memory would have to be fetched for that;
  /// so an owner keeps the number of its last slot, and the table the owner of each slot.
  ///
  /// - Parameter last: the owner's most recent slot.
  /// - Returns: the owner's slot.
  package mutating func arm(
    _ owner: Owner, lastSlot last: UInt32, _ arming: TimerArming
  ) -> UInt32 {
    guard holds(owner, last) else { return insert(owner, arming) }
    entries[Int(last)].link = arming.ticket
    windows.set(last, arming)
    return last
  }

  /// Disarms an owner; does nothing if its last slot is no longer its own.
  package mutating func disarm(_ owner: Owner, lastSlot last: UInt32) {
    guard holds(owner, last) else { return }
    windows.remove(last)
    _ = free(last)
  }

  private func holds(_ owner: Owner, _ slot: UInt32) -> Bool {
    Int(slot) < entries.count && entries[Int(slot)].owner === owner
  }

  private mutating func insert(_ owner: Owner, _ arming: TimerArming) -> UInt32 {
    let slot: UInt32
    if firstFree == Self.noSlot {
      slot = UInt32(entries.count)
      entries.append(Entry(owner: owner, link: arming.ticket))
    } else {
      slot = firstFree
      firstFree = UInt32(truncatingIfNeeded: entries[Int(slot)].link)
      entries[Int(slot)] = Entry(owner: owner, link: arming.ticket)
    }
    windows.set(slot, arming)
    return slot
  }

  /// Frees the slot of an entry that has no window any more and returns its contents.
  private mutating func free(_ slot: UInt32) -> Served? {
    // Moved out, not copied: a retain would fetch the owner's memory.
    var owner: Owner?
    swap(&owner, &entries[Int(slot)].owner)
    let ticket = entries[Int(slot)].link
    entries[Int(slot)].link = UInt64(firstFree)
    firstFree = slot
    return owner.map { Served(owner: $0, ticket: ticket) }
  }

  private func prefetch(_ slot: UInt32) {
    entries.withUnsafeBufferPointer { entries in
      Prefetch.lines(1, from: entries.baseAddress.map { $0 + Int(slot) })
    }
  }

  /// Disarms the entry due first if its window is open at `now`.
  package mutating func popDue(at now: MonotonicInstant) -> Served? {
    guard let slot = windows.first(openAt: now) else { return nil }
    // It arrives while the heap is reordered.
    prefetch(slot)
    windows.remove(slot)
    return free(slot)
  }

  /// True if the windows are in order, for tests.
  package var isConsistent: Bool { windows.isConsistent }
}
