import TaktTime

/// Everything that is armed, and the answer to "when must we wake, and whom do we serve then?".
///
/// Each entry has a window from its due instant to its latest start, due + leeway less a guard of
/// min(5 ms, leeway / 10) for the way from the alarm to the handler. To sleep until the earliest
/// latest start and then to serve every open window gives, for fixed windows, the fewest wakes
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

  /// How many entries are armed.
  package var count: Int { windows.count }

  /// Nodes that the heaps of windows have moved since the beginning.
  package var moves: UInt64 { windows.moves }

  /// When the next wake must be; `nil` when nothing is armed.
  package var nextWake: MonotonicInstant? { windows.nextWake }

  /// From when on a wake makes the one at `nextWake` unnecessary; `nil` when nothing is armed.
  package var nextOpening: MonotonicInstant? { windows.nextOpening }

  /// The earliest due instant; `nil` when nothing is armed.
  package var nextDue: MonotonicInstant? { windows.nextDue }

  /// The end of a window, less the guard.
  package static func latestStart(due: Int64, leeway: Int64) -> Int64 {
    WakeWindows.latestStart(due: due, leeway: leeway)
  }

  /// Arms an owner: in its slot when it is armed there, else in a free one.
  ///
  /// A slot is given back without a word to its owner, whose memory would have to be fetched for
  /// it; so an owner keeps the number of its last slot, and the owner of each slot is here.
  ///
  /// - Parameter last: the slot that the owner was given last.
  /// - Returns: the owner's slot.
  package mutating func arm(
    _ owner: Owner, lastSlot last: UInt32, _ arming: TimerArming
  ) -> UInt32 {
    guard holds(owner, last) else { return insert(owner, arming) }
    entries[Int(last)].link = arming.ticket
    windows.set(last, arming)
    return last
  }

  /// Disarms an owner; nothing happens when its last slot is not its own any more.
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

  /// Frees the slot of an entry that has no window any more and returns what stood in it.
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
    // It arrives while the heap is being put in order.
    prefetch(slot)
    windows.remove(slot)
    return free(slot)
  }

  /// Whether the windows are in order, for tests.
  package var isConsistent: Bool { windows.isConsistent }
}
