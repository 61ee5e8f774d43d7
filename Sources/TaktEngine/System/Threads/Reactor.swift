import CTaktSystem
import Glibc
import Synchronization
package import TaktSystem
import TaktTime

/// One thread that waits on descriptors: pidfds, pipes, signals, file changes.
///
/// Safe from any thread. Work passed to `perform` runs on the reactor's thread, in order, and must
/// not block.
package final class Reactor: Sendable {
  package typealias Work = @Sendable (ReactorLoop) -> Void

  private struct Mailbox {
    var works: [Work] = []
    /// The thread sleeps, or is about to: new work has to wake it.
    var isAsleep = false
  }

  private let wakeDescriptor: Int32
  private let epoll: Int32
  private let mailbox = Mutex(Mailbox())

  /// Starts the thread, which lives as long as the process.
  package init() throws(SystemError) {
    epoll = csystem_epoll_create()
    if epoll < 0 { throw SystemError("epoll_create1") }
    wakeDescriptor = csystem_eventfd()
    if wakeDescriptor < 0 { throw SystemError("eventfd") }
    try Thread.start(name: "takt-reactor") { [self] in
      let loop = ReactorLoop(epoll: epoll)
      loop.watch(wakeDescriptor) { [wakeDescriptor] _ in
        var count: UInt64 = 0
        read(wakeDescriptor, &count, 8)
      }
      while true { turn(loop) }
    }
  }

  /// Runs `work` on the reactor's thread, after all earlier work. Work from its own thread runs at
  /// the end of the turn.
  package func perform(_ work: @escaping Work) {
    let mustWake = mailbox.withLock { mailbox in
      mailbox.works.append(work)
      defer { mailbox.isAsleep = false }
      return mailbox.isAsleep
    }
    guard mustWake else { return }
    var one: UInt64 = 1
    write(wakeDescriptor, &one, 8)
  }

  private func turn(_ loop: ReactorLoop) {
    let isIdle = mailbox.withLock { mailbox in
      mailbox.isAsleep = mailbox.works.isEmpty
      return mailbox.isAsleep
    }
    loop.wait(isIdle: isIdle)
    mailbox.withLock { $0.isAsleep = false }
    var waited: UInt32 = 0
    while isIdle, case let patience = loop.patience.rawValue, patience > waited {
      usleep(patience - waited)
      waited = patience
      loop.wait(isIdle: false)
    }
    loop.serve()
    let works = mailbox.withLock { mailbox in
      defer { mailbox.works = [] }
      return mailbox.works
    }
    for work in works { work(loop) }
  }
}

/// The time, in microseconds, that an event may wait for others, so that one turn serves them all.
enum ReactorPatience: UInt32 {
  case none = 0
  /// Just long enough to gather bytes that are written together.
  case short = 100
  /// A child that ends makes several descriptors ready in succession, and children that were
  /// started together end at about the same time.
  case long = 2_000
}

/// The inside of the reactor. Used on its thread only.
package final class ReactorLoop {
  private let epoll: Int32
  /// Memory that a handler may read into; its contents are valid until the handler returns. Owned
  /// by the loop, from `init` to `deinit`.
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  /// By the number of the descriptor.
  private var watches: [Watch?] = []
  private var lastID: UInt64 = 0
  /// Called after every turn while they return true, at least every 10 ms.
  private var pollers: [() -> Bool] = []
  /// Calls that are due later, each once; few.
  private var delayed: [(at: ContinuousClock.Instant, body: (ReactorLoop) -> Void)] = []
  /// The result of the last wait: the first `readyCount` entries.
  private var ready = [UInt64](repeating: 0, count: 64)
  private var readyCount = 0
  private(set) var turns: UInt64 = 0
  /// True if the descriptor in hand has no writer any more.
  private(set) var isHungUp = false

  private struct Watch {
    /// Unique among all watches: the number of a descriptor may be reused.
    var id: UInt64
    var patience: ReactorPatience
    var handler: (ReactorLoop) -> Void
  }

  init(epoll: Int32) {
    self.epoll = epoll
  }

  deinit { buffer.deallocate() }

  /// Calls `handler` each time `descriptor` is readable or at its end, until `unwatch`. Returns
  /// false if the system refuses.
  ///
  /// - Parameter patience: the delay that is allowed, to serve others as well. Default none.
  @discardableResult
  func watch(
    _ descriptor: Int32, patience: ReactorPatience = .none,
    _ handler: @escaping (ReactorLoop) -> Void
  ) -> Bool {
    watch(descriptor, isForWriting: false, patience: patience, handler)
  }

  func setPatience(of descriptor: Int32, to patience: ReactorPatience) {
    watches[Int(descriptor)]?.patience = patience
  }

  /// Calls `handler` each time `descriptor` has room, until `unwatch`. Returns false if the system
  /// refuses.
  func watchWritable(_ descriptor: Int32, _ handler: @escaping (ReactorLoop) -> Void) -> Bool {
    watch(descriptor, isForWriting: true, patience: .none, handler)
  }

  private func watch(
    _ descriptor: Int32, isForWriting: Bool, patience: ReactorPatience,
    _ handler: @escaping (ReactorLoop) -> Void
  ) -> Bool {
    lastID = (lastID + 1) & UInt64(UInt32.max)
    let id = lastID << 32 | UInt64(UInt32(descriptor))
    guard csystem_epoll_add(epoll, descriptor, id, isForWriting ? 1 : 0) == 0 else {
      return false
    }
    let place = Int(descriptor)
    while watches.count <= place { watches.append(nil) }
    watches[place] = Watch(id: id, patience: patience, handler: handler)
    return true
  }

  /// To be called before the descriptor is closed: a child that has not executed its program yet
  /// holds it, too, and for that long the kernel would keep reporting it. A pending event is
  /// dropped.
  func unwatch(_ descriptor: Int32) {
    let place = Int(descriptor)
    guard place >= 0, place < watches.count, watches[place] != nil else { return }
    watches[place] = nil
    _ = csystem_epoll_remove(epoll, descriptor)
  }

  /// Calls `body` every 10 ms, or oftener, until it returns false: for changes that no descriptor
  /// reports.
  func poll(_ body: @escaping () -> Bool) {
    pollers.append(body)
  }

  /// Calls `body` once, after this time or a little later.
  func after(_ delay: Duration, _ body: @escaping (ReactorLoop) -> Void) {
    delayed.append((.now + delay, body))
  }

  /// Waits until a descriptor is ready or a call is due; returns at once unless `isIdle`.
  func wait(isIdle: Bool) {
    let milliseconds = isIdle ? patienceMilliseconds : 0
    readyCount = Int(csystem_epoll_wait(epoll, &ready, Int32(ready.count), milliseconds))
  }

  /// The longest time that the events of the last wait may wait for others.
  var patience: ReactorPatience {
    var least: ReactorPatience?
    for id in ready[..<readyCount] {
      guard let watch = watch(of: id) else { continue }
      // The end of a child's output comes with that of the child.
      let isEnd = id & CSYSTEM_HUNG_UP != 0
      switch watch.patience {
      case .none: return .none
      case .short: least = isEnd ? least ?? .long : .short
      case .long: least = least ?? .long
      }
    }
    return least ?? .none
  }

  private func watch(of id: UInt64) -> Watch? {
    let id = id & ~CSYSTEM_HUNG_UP
    guard let watch = watches[Int(id & UInt64(UInt32.max))], watch.id == id else { return nil }
    return watch
  }

  /// The time until a call is due; -1 to wait for descriptors only.
  private var patienceMilliseconds: Int32 {
    guard let next = delayed.lazy.map({ $0.at }).min() else { return pollers.isEmpty ? -1 : 10 }
    // Rounded up: no call comes early.
    let left = Int32(clamping: max(0, ContinuousClock.now.duration(to: next).milliseconds + 1))
    return pollers.isEmpty ? left : min(left, 10)
  }

  func serve() {
    turns += 1
    for index in 0..<readyCount {
      guard let watch = watch(of: ready[index]) else { continue }
      isHungUp = ready[index] & CSYSTEM_HUNG_UP != 0
      watch.handler(self)
    }
    serveDelayed()
    guard !pollers.isEmpty else { return }
    let current = pollers
    pollers = []
    pollers += current.filter { $0() }
  }

  private func serveDelayed() {
    guard !delayed.isEmpty else { return }
    let now = ContinuousClock.now
    guard delayed.contains(where: { $0.at <= now }) else { return }
    let due = delayed.filter { $0.at <= now }
    delayed.removeAll { $0.at <= now }
    for entry in due { entry.body(self) }
  }
}
