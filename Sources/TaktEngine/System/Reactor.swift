import CTaktSystem
import Glibc
import Synchronization

/// One thread that waits on descriptors: pidfds, pipes, signals, file changes.
///
/// Safe from any thread. Work handed to `perform` runs on the reactor's thread, in order, and must
/// not block.
package final class Reactor: Sendable {
  package typealias Work = @Sendable (ReactorLoop) -> Void

  private let wakeDescriptor: Int32
  private let epoll: Int32
  private let mailbox = Mutex<[Work]>([])

  /// Starts the thread. It lives as long as the process.
  package init() throws(SystemError) {
    epoll = csystem_epoll_create()
    if epoll < 0 { throw SystemError("epoll_create1") }
    wakeDescriptor = csystem_eventfd()
    if wakeDescriptor < 0 { throw SystemError("eventfd") }
    try Thread.start(name: "takt-reactor") { [self] in
      let loop = ReactorLoop(epoll: epoll)
      loop.watch(wakeDescriptor) { [self] loop in drainMailbox(loop) }
      while true { loop.turn() }
    }
  }

  /// Runs `work` on the reactor's thread, after all work handed over before it.
  package func perform(_ work: @escaping Work) {
    let isFirst = mailbox.withLock { queue in
      queue.append(work)
      return queue.count == 1
    }
    guard isFirst else { return }
    var one: UInt64 = 1
    write(wakeDescriptor, &one, 8)
  }

  private func drainMailbox(_ loop: ReactorLoop) {
    var count: UInt64 = 0
    read(wakeDescriptor, &count, 8)
    let works = mailbox.withLock { queue in
      defer { queue = [] }
      return queue
    }
    for work in works { work(loop) }
  }
}

/// The inside of the reactor: it exists on its thread alone.
package final class ReactorLoop {
  private let epoll: Int32
  private var watches: [UInt64: Watch] = [:]
  private var idByDescriptor: [Int32: UInt64] = [:]
  private var lastID: UInt64 = 0
  /// Called after every turn while it answers true, at least every 10 ms.
  private var pollers: [() -> Bool] = []

  private struct Watch {
    var handler: (ReactorLoop) -> Void
  }

  init(epoll: Int32) {
    self.epoll = epoll
  }

  /// Calls `handler` each time `descriptor` is readable or at its end, until `unwatch`. Returns
  /// false when the system refuses.
  @discardableResult
  func watch(_ descriptor: Int32, _ handler: @escaping (ReactorLoop) -> Void) -> Bool {
    watch(descriptor, isForWriting: false, handler)
  }

  /// Calls `handler` each time `descriptor` has room, until `unwatch`. Returns false when the system
  /// refuses.
  func watchWritable(_ descriptor: Int32, _ handler: @escaping (ReactorLoop) -> Void) -> Bool {
    watch(descriptor, isForWriting: true, handler)
  }

  private func watch(
    _ descriptor: Int32, isForWriting: Bool, _ handler: @escaping (ReactorLoop) -> Void
  ) -> Bool {
    lastID += 1
    guard csystem_epoll_add(epoll, descriptor, lastID, isForWriting ? 1 : 0) == 0 else {
      return false
    }
    watches[lastID] = Watch(handler: handler)
    idByDescriptor[descriptor] = lastID
    return true
  }

  /// To be called before the descriptor is closed. An event that has come already is dropped.
  func unwatch(_ descriptor: Int32) {
    guard let id = idByDescriptor.removeValue(forKey: descriptor) else { return }
    watches[id] = nil
    _ = csystem_epoll_remove(epoll, descriptor)
  }

  /// Calls `body` every 10 ms, or oftener, until it answers false: for what no descriptor tells.
  func poll(_ body: @escaping () -> Bool) {
    pollers.append(body)
  }

  func turn() {
    var ids = [UInt64](repeating: 0, count: 64)
    let count = csystem_epoll_wait(epoll, &ids, 64, pollers.isEmpty ? -1 : 10)
    for id in ids.prefix(Int(count)) { watches[id]?.handler(self) }
    if !pollers.isEmpty {
      let current = pollers
      pollers = []
      pollers += current.filter { $0() }
    }
  }
}
