import Glibc
import Dispatch
import Synchronization

/// A few threads of one nice value for work that may block. Threads are made when there is work
/// for them and end when there has been none for a while; an idle pool makes no wakes.
///
/// Never a concurrent queue of the system library: its first use starts a monitor that wakes the
/// process every second for ever. Safe from any thread; nothing here blocks its caller.
final class WorkPool: Sendable {
  /// One piece of work, waiting, in progress or over.
  final class Item: Sendable {
    fileprivate let work: @Sendable () -> Void
    fileprivate init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }

  private struct State {
    var waiting: [Item] = []
    var running: [ObjectIdentifier: Item] = [:]
    var threads = 0
    var idle = 0
    /// Threads whose work nobody waits for any more, and that may never come back.
    var lost = 0
  }

  /// What becomes of a thread that has done its work.
  private enum Next {
    case work(Item)
    case wait, end
  }

  private static let idleTime = DispatchTimeInterval.seconds(10)
  /// A pool that has lost so many threads makes no more in their place.
  private static let lostMax = 32

  private let name: String
  private let nice: Int32
  private let width: Int
  private let state = Mutex(State())
  private let arrived = DispatchSemaphore(value: 0)

  /// A pool of at most `width` threads.
  init(name: String, nice: Int32, width: Int) {
    self.name = name
    self.nice = nice
    self.width = width
  }

  /// Does `work` as soon as a thread is free, in the order of the calls; nil when there is no
  /// thread and none to be had.
  func submit(_ work: @escaping @Sendable () -> Void) -> Item? {
    let item = Item(work)
    let needsThread = state.withLock { state in
      state.waiting.append(item)
      return takesThread(&state)
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
    return item
  }

  /// Takes back work that has not begun; false when it has.
  func withdraw(_ item: Item) -> Bool {
    state.withLock { state in
      guard let index = state.waiting.firstIndex(where: { $0 === item }) else { return false }
      state.waiting.remove(at: index)
      return true
    }
  }

  /// No longer counts the thread that does this work, so that what hangs takes no place for ever.
  func abandon(_ item: Item) {
    let needsThread = state.withLock { state in
      guard state.lost < Self.lostMax,
        state.running.removeValue(forKey: ObjectIdentifier(item)) != nil
      else { return false }
      state.threads -= 1
      state.lost += 1
      return takesThread(&state)
    }
    if needsThread { _ = startThread() }
  }

  /// Counts a new thread in where one is needed and allowed.
  private func takesThread(_ state: inout State) -> Bool {
    guard state.waiting.count > state.idle, state.threads < width else { return false }
    state.threads += 1
    return true
  }

  private func startThread() -> Bool {
    do throws(SystemError) {
      try Thread.start(name: name) { [self] in
        // Of this thread alone, as Linux has it. From the scheduler's queue every class is within
        // reach; where it is not, the work is done at the nice value that the thread has.
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
      if !state.waiting.isEmpty {
        let item = state.waiting.removeFirst()
        state.running[ObjectIdentifier(item)] = item
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

  /// False when the thread has been given up in the meantime.
  private func finish(_ item: Item) -> Bool {
    state.withLock { state in
      if state.running.removeValue(forKey: ObjectIdentifier(item)) != nil { return true }
      state.lost -= 1
      return false
    }
  }
}
