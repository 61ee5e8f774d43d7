import Dispatch
import Glibc
import Synchronization
import TaktSystem
import TaktTime

/// A few threads of one nice value for work that may block. Threads are made when there is work for
/// them and end after a while without any; an idle pool causes no wake-ups.
///
/// Work is submitted for an owner, such as a job. An owner never has more than its share of the
/// threads; the rest of its work waits behind its own. A thread that takes longer than `patience`
/// is replaced, so that it delays no others, and counted in `StuckThreads`.
///
/// Not a use of `Patience`, which gives each call a thread and blocks its caller: here no caller
/// waits, threads serve one item after another, and an item that has been given up may still be
/// reported as stuck.
///
/// Never a concurrent queue of the system library: its first use starts a monitor that permanently
/// wakes the process every second. Safe from any thread; never blocks its caller.
final class WorkPool: Sendable {
  final class Item: Sendable {
    fileprivate let owner: String
    fileprivate let submittedAt: DispatchTime
    fileprivate let work: @Sendable () -> Void
    fileprivate let onGivenUp: Mutex<(@Sendable () -> Void)?>

    fileprivate init(
      _ owner: String, _ onGivenUp: (@Sendable () -> Void)?, _ work: @escaping @Sendable () -> Void
    ) {
      self.owner = owner
      self.work = work
      self.onGivenUp = Mutex(onGivenUp)
      submittedAt = .now()
    }
  }

  struct Bounds {
    /// The time for which work may keep its place in the pool; then another thread takes the place.
    var patience: Duration
    /// The time from the submission of work until `onGivenUp` is called.
    var limit: Duration
    /// The number of threads for one owner.
    var share: Int
    /// True if its replaced threads count as part of it.
    var sharesLost = true
    /// The number of threads that may hang before no more are made in their place.
    var lostMax = 128
    /// True if work that takes longer than `patience` is worth a report; false if it may be normal.
    var reportsSlowness = true
  }

  private struct Running {
    var item: Item
    var since: DispatchTime
    /// True once the thread has been replaced.
    var isLost = false
    /// True if the replacement was for slowness, and has been reported.
    var isStuck = false
  }

  private struct State {
    var waiting: [Item] = []
    var running: [ObjectIdentifier: Running] = [:]
    var threadsByOwner: [String: Int] = [:]
    /// Threads that count: at work, idle, or about to start.
    var threads = 0
    var idle = 0
    /// Threads that hang and have been replaced.
    var lost = 0
    var isSweepArmed = false
  }

  private enum Next {
    case work(Item)
    case wait, end
  }

  private static let idleTime = DispatchTimeInterval.seconds(10)

  private let name: String
  private let nice: Int32
  private let width: Int
  private let bounds: Bounds
  private let state = Mutex(State())
  private let arrived = DispatchSemaphore(value: 0)
  /// Finds work that takes too long; never blocked.
  private let sweeper = DispatchQueue(label: "takt.work.sweep")

  /// A pool of at most `width` threads besides those that hang.
  init(
    name: String, nice: Int32, width: Int,
    bounds: Bounds = Bounds(patience: .seconds(10), limit: .seconds(365 * 86_400), share: 4)
  ) {
    self.name = name
    self.nice = nice
    self.width = width
    self.bounds = bounds
  }

  /// Performs `work` as soon as a thread is free, in the order of the calls for this owner; nil if
  /// there is no thread and none can be made.
  ///
  /// - Parameter onGivenUp: called once if the work is not done within the pool's limit; it may
  ///   still be done later, or never return.
  func submit(
    for owner: String, onGivenUp: (@Sendable () -> Void)? = nil,
    _ work: @escaping @Sendable () -> Void
  ) -> Item? {
    let item = Item(owner, onGivenUp, work)
    let needsThread = state.withLock { state in
      state.waiting.append(item)
      return occupiesThread(&state)
    }
    if needsThread, !startThread() {
      let isHopeless = state.withLock { state in
        guard state.threads == 0, let index = state.waiting.firstIndex(where: { $0 === item })
        else { return false }
        state.waiting.remove(at: index)
        return true
      }
      if isHopeless { return nil }
    }
    arrived.signal()
    armSweep()
    return item
  }

  /// Takes back work that has not started; false if it has.
  func withdraw(_ item: Item) -> Bool {
    state.withLock { state in
      guard let index = state.waiting.firstIndex(where: { $0 === item }) else { return false }
      state.waiting.remove(at: index)
      return true
    }
  }

  /// Replaces the thread that does this work, which is no longer waited for.
  func abandon(_ item: Item) {
    let id = ObjectIdentifier(item)
    let (needsThread, isNew) = state.withLock { state in
      guard let running = state.running[id], running.isLost || lose(id, &state) else {
        return (false, false)
      }
      state.running[id]?.isStuck = true
      return (occupiesThread(&state), !running.isStuck)
    }
    // Work that waited behind it may be for an idle thread now.
    if needsThread { startReplacement() } else { arrived.signal() }
    if isNew {
      StuckThreads.began()
      Notices.post(
        "a thread (\(name)) is stuck in stopped work of '\(item.owner)'; "
          + "another thread replaces it. Check for a hung mount")
    }
  }

  /// Counts a thread as lost, unless it already is or too many are.
  private func lose(_ id: ObjectIdentifier, _ state: inout State) -> Bool {
    guard state.lost < bounds.lostMax, state.running[id]?.isLost == false else { return false }
    state.running[id]?.isLost = true
    state.threads -= 1
    state.lost += 1
    if !bounds.sharesLost, let owner = state.running[id]?.item.owner {
      releaseThread(owner, &state)
    }
    return true
  }

  private func releaseThread(_ owner: String, _ state: inout State) {
    let count = state.threadsByOwner[owner, default: 1] - 1
    state.threadsByOwner[owner] = count == 0 ? nil : count
  }

  /// Counts a new thread if one is needed and allowed.
  private func occupiesThread(_ state: inout State) -> Bool {
    guard state.threads < width else { return false }
    var count = 0
    for item in state.waiting where state.threadsByOwner[item.owner, default: 0] < bounds.share {
      count += 1
      if count > state.idle { break }
    }
    guard count > state.idle else { return false }
    state.threads += 1
    return true
  }

  private func startReplacement() {
    if startThread() { arrived.signal() }
  }

  private func startThread() -> Bool {
    do throws(SystemError) {
      try Thread.start(name: name) { [self] in
        // On Linux this applies to this thread only. From the scheduler's queue every class can be
        // reached; otherwise the work is done at the nice value that the thread has.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice)
        loop()
      }
      return true
    } catch {
      state.withLock { $0.threads -= 1 }
      return false
    }
  }

  private func loop() {
    var isWoken = true
    while true {
      switch next(isWoken: isWoken) {
      case .work(let item):
        item.work()
        if !finish(item) { return }
        isWoken = true
      case .wait:
        isWoken = arrived.wait(timeout: .now() + Self.idleTime) == .success
        state.withLock { $0.idle -= 1 }
      case .end: return
      }
    }
  }

  private func next(isWoken: Bool) -> Next {
    state.withLock { state in
      let index = state.waiting.firstIndex {
        state.threadsByOwner[$0.owner, default: 0] < bounds.share
      }
      if let index {
        let item = state.waiting.remove(at: index)
        state.running[ObjectIdentifier(item)] = Running(item: item, since: .now())
        state.threadsByOwner[item.owner, default: 0] += 1
        return .work(item)
      }
      guard isWoken else {
        state.threads -= 1
        return .end
      }
      state.idle += 1
      return .wait
    }
  }

  /// False if the thread has been replaced in the meantime, and there is no work left for it.
  private func finish(_ item: Item) -> Bool {
    item.onGivenUp.withLock { $0 = nil }
    let (continues, wasStuck) = state.withLock { state in
      guard let running = state.running.removeValue(forKey: ObjectIdentifier(item)) else {
        return (true, false)
      }
      if !running.isLost || bounds.sharesLost { releaseThread(item.owner, &state) }
      guard running.isLost else { return (true, false) }
      state.lost -= 1
      return (occupiesThread(&state), running.isStuck)
    }
    if wasStuck { StuckThreads.ended() }
    // This thread ends: an idle one takes the work that waited behind it.
    if !continues { arrived.signal() }
    return continues
  }

  private func armSweep() {
    let isFirst = state.withLock { state in
      defer { state.isSweepArmed = true }
      return !state.isSweepArmed
    }
    guard isFirst else { return }
    // At most a quarter of it late.
    let period = min(max(bounds.patience / 4, .milliseconds(50)), .seconds(5))
    sweeper.asyncAfter(deadline: .now() + .nanoseconds(Int(period.nanosecondsSaturated))) {
      [weak self] in self?.sweep()
    }
  }

  private func sweep() {
    let now = DispatchTime.now()
    var replacements = 0
    var hasLost = false
    let (stuck, givenUp, isBusy) = state.withLock { state in
      state.isSweepArmed = false
      var stuck: [Item] = []
      for (id, running) in state.running
      where !running.isStuck && now.since(running.since) >= bounds.patience {
        guard running.isLost ? bounds.reportsSlowness : lose(id, &state) else { continue }
        hasLost = true
        if bounds.reportsSlowness {
          state.running[id]?.isStuck = true
          stuck.append(running.item)
        }
        if occupiesThread(&state) { replacements += 1 }
      }
      let late = (state.running.values.lazy.map(\.item) + state.waiting)
        .filter { [bounds] in now.since($0.submittedAt) >= bounds.limit }
      return (stuck, Array(late), !state.running.isEmpty || !state.waiting.isEmpty)
    }
    for _ in 0..<replacements { startReplacement() }
    if replacements == 0, hasLost { arrived.signal() }
    for item in stuck {
      StuckThreads.began()
      Notices.post(
        "a thread (\(name)) has waited \(bounds.patience) for the system, in work of "
          + "'\(item.owner)'; another thread replaces it. Check for a hung mount")
    }
    for item in givenUp { giveUp(item) }
    if isBusy { armSweep() }
  }

  private func giveUp(_ item: Item) {
    let onGivenUp = item.onGivenUp.withLock { handler in
      defer { handler = nil }
      return handler
    }
    guard let onGivenUp else { return }
    _ = withdraw(item)
    onGivenUp()
  }
}

extension DispatchTime {
  /// The time from `earlier` to here; zero if that is later.
  fileprivate func since(_ earlier: DispatchTime) -> Duration {
    guard uptimeNanoseconds > earlier.uptimeNanoseconds else { return .zero }
    return .nanoseconds(Int64(clamping: uptimeNanoseconds - earlier.uptimeNanoseconds))
  }
}
