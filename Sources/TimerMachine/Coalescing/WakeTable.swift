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
  private static var guardMax: Int64 { 5_000_000 }

  private var entries: ContiguousArray<Entry> = []
  private var firstFree = WakeTable.noSlot
  private var due = IndexedHeap()
  /// Empty as long as all entries have one leeway: their order is that of `due` then.
  private var latest = IndexedHeap()
  private var isMixed = false
  /// The leeway of all entries, unless they are mixed.
  private var commonLeeway: Int64 = 0

  package init() {}

  /// How many entries are armed.
  package var count: Int { due.count }

  /// Nodes that the two heaps have moved since the beginning.
  package var moves: UInt64 { due.moves + latest.moves }

  /// When the next wake must be; `nil` when nothing is armed.
  package var nextWake: MonotonicInstant? {
    let start =
      isMixed
      ? latest.minKey : due.minKey.map { Self.latestStart(due: $0, leeway: commonLeeway) }
    return start.map(MonotonicInstant.init(nanoseconds:))
  }

  /// The earliest due instant; `nil` when nothing is armed.
  package var nextDue: MonotonicInstant? {
    due.minKey.map(MonotonicInstant.init(nanoseconds:))
  }

  /// The end of a window, less the guard.
  package static func latestStart(due: Int64, leeway: Int64) -> Int64 {
    due.addingSaturated(leeway - min(guardMax, leeway / 10))
  }

  /// Arms an owner: in its slot when it is armed there, else in a free one.
  ///
  /// A slot is given back without a word to its owner, whose memory would have to be fetched for
  /// it; so an owner keeps the number of its last slot, and whose slot that is stands here.
  ///
  /// - Parameter last: the slot that the owner was given last.
  /// - Returns: the owner's slot.
  package mutating func arm(
    _ owner: Owner, lastSlot last: UInt32, _ arming: TimerArming
  ) -> UInt32 {
    guard holds(owner, last) else { return insert(owner, arming) }
    entries[Int(last)].link = arming.ticket
    setKeys(of: last, arming)
    return last
  }

  /// Disarms an owner; nothing happens when its last slot is not its own any more.
  package mutating func disarm(_ owner: Owner, lastSlot last: UInt32) {
    if holds(owner, last) { _ = remove(last) }
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
    setKeys(of: slot, arming)
    return slot
  }

  /// Disarms an entry, frees its slot and returns the owner.
  private mutating func remove(_ slot: UInt32) -> Owner? {
    due.remove(slot)
    if isMixed {
      latest.remove(slot)
      isMixed = latest.count > 0
    }
    // Moved out, not copied: a retain would fetch the owner's memory.
    var owner: Owner?
    swap(&owner, &entries[Int(slot)].owner)
    entries[Int(slot)].link = UInt64(firstFree)
    firstFree = slot
    return owner
  }

  /// Disarms the entry due first if its window is open at `now`.
  package mutating func takeDue(at now: MonotonicInstant) -> Served? {
    guard let key = due.minKey, key <= now.nanoseconds, let slot = due.minSlot else { return nil }
    let ticket = entries[Int(slot)].link
    return remove(slot).map { Served(owner: $0, ticket: ticket) }
  }

  private mutating func setKeys(of slot: UInt32, _ arming: TimerArming) {
    let start = arming.deadline.nanoseconds
    let leeway = arming.leewayNanoseconds
    if due.count == 0 {
      commonLeeway = leeway
    } else if !isMixed, leeway != commonLeeway {
      mix()
    }
    due.set(slot, key: start)
    if isMixed { latest.set(slot, key: Self.latestStart(due: start, leeway: leeway)) }
  }

  /// Begins to keep the latest starts in a heap of their own, until the table is empty: one copy of
  /// what is armed, once.
  private mutating func mix() {
    isMixed = true
    latest.copy(due) { [commonLeeway] in Self.latestStart(due: $0, leeway: commonLeeway) }
  }

  /// Whether both heaps hold the same entries and are in order, for tests.
  package var isConsistent: Bool {
    due.isConsistent && latest.isConsistent && latest.count == (isMixed ? due.count : 0)
  }
}
