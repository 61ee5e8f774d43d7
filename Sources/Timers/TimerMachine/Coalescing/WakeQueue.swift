import Dispatch
import TaktTime

/// Serves many machines with one alarm: the table under one lock, the alarm underneath.
final class WakeQueue: Sendable {
  typealias Table = WakeTable<WakeClient>

  /// The most entries taken out under one hold of the lock, so that others get in between.
  private static let batchLimit = 1024

  private struct State {
    var table = Table()
    var alarm: (any TimerAdapter)?
    /// The present setting of the alarm.
    var alarmAt: MonotonicInstant?
    var ticket: UInt64 = 0
    /// A wake is serving; it sets the alarm once, at its end.
    var isServing = false
    var wakes: UInt64 = 0
    var served: UInt64 = 0
    var settings: UInt64 = 0
  }

  let time: any TimeSource
  private let home: DispatchQueue
  private let honorsLeeway: Bool
  private let state = Guarded(State())

  /// - Parameters:
  ///   - home: the alarm's queue; a machine whose queue this is gets its fires without a hop.
  ///   - underlying: makes the one alarm.
  init(home: DispatchQueue, underlying: any TimerFactory) {
    self.home = home
    time = underlying.time
    honorsLeeway = underlying.honorsLeeway
    let alarm = underlying.makeAdapter(queue: home) { _ in self.wake() }
    state.withLock { $0.alarm = alarm }
  }

  /// Releases the alarm, which holds the wake queue. A weak reference would do that by itself, but
  /// make each of the many strong ones more expensive.
  func close() {
    let previous = state.withLock { state -> (any TimerAdapter)? in
      state.alarm?.disarm()
      return state.alarm.take()
    }
    // Destroyed outside the lock.
    _ = previous
  }

  var statistics: WakeStatistics {
    state.withLock {
      WakeStatistics(
        armed: $0.table.count, wakes: $0.wakes, served: $0.served, alarmSettings: $0.settings,
        heapMoves: $0.table.moves)
    }
  }

  func arm(_ client: WakeClient, _ requested: TimerArming) {
    var arming = requested
    if arming.isStrict { arming.leewayNanoseconds = 0 }
    state.withLock { state in
      client.lastSlot = state.table.arm(client, lastSlot: client.lastSlot, arming)
      setAlarm(&state)
    }
  }

  func disarm(_ client: WakeClient) {
    state.withLock { state in
      // The caller holds the client, so nothing is destroyed under the lock.
      state.table.disarm(client, lastSlot: client.lastSlot)
      setAlarm(&state)
    }
  }

  func isHome(_ queue: DispatchQueue) -> Bool { queue === home }

  func perform(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
    // The alarm knows the home queue's time, which may be virtual.
    let alarm = isHome(queue) ? state.withLock { $0.alarm } : nil
    if let alarm { alarm.perform(work) } else { queue.async(execute: work) }
  }

  /// Sets the alarm for the next wake, unless it is already.
  private func setAlarm(_ state: inout State) {
    guard !state.isServing else { return }
    let next = state.table.nextWake
    guard next != state.alarmAt else { return }
    state.alarmAt = next
    if let next {
      state.ticket += 1
      state.settings += 1
      state.alarm?.arm(arming(until: next, state))
    } else {
      state.alarm?.disarm()
    }
  }

  /// For the window's end; or for the window, when the system may use it to wake for others as well.
  /// One that is open already is left to its end, so that it is shared.
  private func arming(until end: MonotonicInstant, _ state: borrowing State) -> TimerArming {
    var arming = TimerArming(deadline: end, ticket: state.ticket)
    if honorsLeeway, let opening = state.table.nextOpening, opening > time.monotonic {
      arming.deadline = opening
      arming.leeway = end - opening
    }
    return arming
  }

  /// The alarm rings: serves every window that is open, in the order of their due instants.
  private func wake() {
    let now = time.monotonic
    let open = state.withLock { state in
      state.isServing = true
      state.alarmAt = nil
      state.wakes += 1
      return state.table.count
    }
    // Entries that are armed during the wake and due at once are left to the next wake once every
    // entry of the start may have been served: a handler that re-arms itself cannot hold the wake.
    var passes = open / Self.batchLimit + 1
    var batch: [Table.Served] = []
    repeat {
      batch.removeAll(keepingCapacity: true)
      collectDue(into: &batch, at: now)
      deliver(batch)
      passes -= 1
    } while batch.count == Self.batchLimit && passes > 0
    batch.removeAll()
    state.withLock { state in
      state.isServing = false
      setAlarm(&state)
    }
  }

  private func collectDue(into batch: inout [Table.Served], at now: MonotonicInstant) {
    state.withLock { state in
      while batch.count < Self.batchLimit, let served = state.table.popDue(at: now) {
        // The memory of all clients is fetched side by side, and not one after the other when
        // they are called, which with many timers is much of a wake's cost.
        Prefetch.lines(3, from: Unmanaged.passUnretained(served.owner).toOpaque())
        batch.append(served)
      }
      state.served += UInt64(batch.count)
    }
  }

  /// Hands foreign queues their share in one block each, then serves the home queue itself.
  private func deliver(_ batch: [Table.Served]) {
    var foreign = 0
    for served in batch where !served.owner.isHome { foreign += 1 }
    if foreign > 0 { handOver(batch) }
    guard foreign < batch.count else { return }
    for served in batch where served.owner.isHome {
      served.owner.deadlineReached(ticket: served.ticket)
    }
  }

  private func handOver(_ batch: [Table.Served]) {
    var shares: [(queue: DispatchQueue, served: [Table.Served])] = []
    var places: [ObjectIdentifier: Int] = [:]
    for served in batch where !served.owner.isHome {
      let queue = served.owner.queue
      let place = places[ObjectIdentifier(queue)] ?? shares.count
      if place == shares.count {
        places[ObjectIdentifier(queue)] = place
        shares.append((queue, []))
      }
      shares[place].served.append(served)
    }
    for (queue, share) in shares {
      queue.async { for served in share { served.owner.deadlineReached(ticket: served.ticket) } }
    }
  }
}
