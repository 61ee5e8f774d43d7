import CTaktSystem
import Dispatch
import Glibc
import Synchronization
package import TaktCore
package import TaktSystem
package import TaktTime

package enum Guarding: Sendable {
  /// takt has not renewed its lease, or is gone.
  case untilLeaseLost
  /// takt is gone, and no sooner: another machine may have its slot by then.
  case untilTaktEnds

  /// Nil for a run without a claim, which the next daemon finds.
  init?(of request: AttemptRequest) {
    guard request.fence != nil else { return nil }
    self = request.spec.onLeaseLost == .stop ? .untilLeaseLost : .untilTaktEnds
  }

  fileprivate var kind: UInt32 {
    switch self {
    case .untilLeaseLost: UInt32(CGUARD_ADD)
    case .untilTaktEnds: UInt32(CGUARD_ADD_FINISHING)
    }
  }
}

/// A second process that ends the processes of claimed runs if takt cannot: because it was killed,
/// or because it is stopped and does not renew its lease in time.
///
/// It needs none of takt's memory, and is fed through a pipe that never blocks takt. A guard that
/// ends, or does not keep up, is replaced by another one with the same attempts.
///
/// Safe from any thread.
package final class Guard: Sendable {
  /// takt's connection to one guard process. A start in progress holds it, so that its descriptors
  /// are not reused meanwhile.
  final class Link: Sendable {
    let pid: pid_t
    fileprivate let handle: Int32
    fileprivate let pipe: Int32
    fileprivate let startedAt = ContinuousClock.now

    fileprivate init(pid: pid_t, handle: Int32, pipe: Int32) {
      self.pid = pid
      self.handle = handle
      self.pipe = pipe
    }

    deinit {
      close(pipe)
      close(handle)
    }
  }

  /// The message by which a child registers itself with the guard.
  struct Announcement {
    fileprivate let link: Link
    var request: csystem_guarded
  }

  private struct State {
    /// Nil while there is no guard process.
    var link: Link?
    var attempts: [ProcessID: cguard_record] = [:]
    /// Nanoseconds of `CLOCK_BOOTTIME`; 0 for none.
    var deadline: UInt64 = 0
    /// takt's member number in its cluster; 0 for none.
    var member: UInt64 = 0
    var isStopped = false
    var reportedAt: ContinuousClock.Instant?
  }

  /// A guard that ends sooner than this after its start is replaced only after the same time.
  private static let retryTime = Duration.seconds(1)
  /// The minimum time between two log lines on guards.
  private static let reportInterval = Duration.seconds(60)

  private let reactor: Reactor
  private let groups: ControlGroups?
  private let observer: (any Observer)?
  private let time: any TimeSource
  private let farewell: [String]
  private let state = Mutex(State())

  /// Starts a guard without attempts. Not to be called on the reactor's thread.
  ///
  /// - Parameters:
  ///   - reactor: Starts and watches the guard process on its thread.
  ///   - tracking: That of the process runner. Default by session and mark.
  ///   - observer: Gets records of guards that end. Default nil.
  ///   - farewell: The words of takt's own command that the guard executes once takt is gone and no
  ///     guarded process is left; the member is added as the last one. Default none.
  package static func start(
    on reactor: Reactor, tracking: ProcessTracking = .sessions, observer: (any Observer)? = nil,
    time: any TimeSource = SystemTimeSource(), farewell: [String] = []
  ) throws(SystemError) -> Guard {
    let guardian = Guard(reactor, tracking.groups, observer, time, farewell)
    let number = Mutex(Int32(0))
    let done = DispatchSemaphore(value: 0)
    reactor.perform { loop in
      let result = guardian.launch(loop)
      number.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    let result = number.withLock(\.self)
    if result != 0 { throw SystemError("clone", number: result) }
    return guardian
  }

  private init(
    _ reactor: Reactor, _ groups: ControlGroups?, _ observer: (any Observer)?,
    _ time: any TimeSource, _ farewell: [String]
  ) {
    self.farewell = farewell
    self.reactor = reactor
    self.groups = groups
    self.observer = observer
    self.time = time
  }

  package var pid: Int32? { state.withLock { $0.link?.pid } }

  /// Sets the deadline: unless it is set again in time, all guarded processes are killed then. A
  /// past one kills at once, including attempts added later.
  ///
  /// - Parameter bootNanoseconds: the instant on `CLOCK_BOOTTIME`; nil for no deadline.
  package func setDeadline(_ bootNanoseconds: UInt64?) {
    state.withLock { state in
      // 0 would mean none; 1 has passed as well.
      state.deadline = bootNanoseconds.map { max(1, $0) } ?? 0
      var record = cguard_record()
      record.kind = UInt32(CGUARD_DEADLINE)
      record.since = state.deadline
      send(record, &state)
    }
  }

  /// The member number for the farewell command; nil for none.
  package func setMember(_ member: UInt64?) {
    state.withLock { state in
      guard state.member != member ?? 0 else { return }
      state.member = member ?? 0
      var record = cguard_record()
      record.kind = UInt32(CGUARD_MEMBER)
      record.since = state.member
      send(record, &state)
    }
  }

  /// Ends the guard process, and nothing else: to be called when takt stops and no claimed run is
  /// left, before the process runner is closed. Waits at most a second for its end, then kills it.
  package func stop() {
    let link = state.withLock { state in
      state.isStopped = true
      var record = cguard_record()
      record.kind = UInt32(CGUARD_QUIT)
      send(record, &state)
      return state.link
    }
    guard let link else { return }
    var entry = pollfd(fd: link.handle, events: Int16(POLLIN), revents: 0)
    if poll(&entry, 1, 1000) == 0 { _ = cprocess_signal(link.handle, SIGKILL) }
  }

  /// The message by which the first process of an attempt, which is about to be started, registers
  /// itself before it executes anything; nil while there is no guard process.
  func announcement(
    of id: ProcessID, _ guarding: Guarding = .untilLeaseLost, mark: String, sinceTicks: UInt64,
    in group: ControlGroup?
  ) -> Announcement? {
    guard let link = state.withLock(\.link) else { return nil }
    let identity = ProcessIdentity(
      pid: 0, sinceTicks: sinceTicks, untilTicks: 0, mark: mark, controlGroup: group?.path)
    return Announcement(
      link: link,
      request: csystem_guarded(
        pipe: link.pipe, ticks_per_second: ProcessStatus.ticksPerSecond,
        record: cguard_record(id, identity, guarding)))
  }

  /// Guards an attempt from now on. A child that has registered itself is not added twice; it still
  /// has to be added, for the next guard process.
  package func add(
    _ id: ProcessID, _ identity: ProcessIdentity, _ guarding: Guarding = .untilLeaseLost
  ) {
    let record = cguard_record(id, identity, guarding)
    state.withLock { state in
      state.attempts[id] = record
      send(record, &state)
    }
  }

  /// Called when no process of an attempt is left, or when the rest may live on.
  package func remove(_ id: ProcessID) {
    state.withLock { state in
      guard state.attempts.removeValue(forKey: id) != nil else { return }
      var record = cguard_record()
      record.kind = UInt32(CGUARD_REMOVE)
      record.attempt = id.number
      send(record, &state)
    }
  }

  /// Never blocks. A record that cannot be sent is not lost: the next guard gets all of them.
  private func send(_ record: cguard_record, _ state: inout State) {
    guard let link = state.link else { return }
    var record = record
    guard cguard_send(link.pipe, &record) == EAGAIN else { return }
    // It does not keep up. After its end another one is started.
    _ = cprocess_signal(link.handle, SIGKILL)
  }

  /// Starts a guard process with all present attempts. Returns 0 or an error number.
  private func launch(_ loop: ReactorLoop) -> Int32 {
    let (link, number) = state.withLock { state -> (Link?, Int32) in
      let attempts = Array(state.attempts.values)
      var pid = pid_t(0)
      var handle = Int32(-1)
      var pipe = Int32(-1)
      let words = farewell.map { strdup($0) } + [nil]
      defer { for word in words { free(word) } }
      let number = attempts.withUnsafeBufferPointer { attempts in
        words.withUnsafeBufferPointer { words in
          // It copies them before it returns.
          var setup = cguard_setup(
            attempts: attempts.baseAddress, count: attempts.count, deadline: state.deadline,
            groups: groups?.folder ?? -1, member: state.member,
            farewell: farewell.isEmpty ? nil : words.baseAddress)
          return cguard_start(&setup, &pid, &handle, &pipe)
        }
      }
      guard number == 0 else { return (nil, number) }
      let link = Link(pid: pid, handle: handle, pipe: pipe)
      state.link = link
      return (link, 0)
    }
    guard let link else { return number }
    loop.watch(link.handle) { [self] loop in ended(link, loop) }
    return 0
  }

  private func ended(_ link: Link, _ loop: ReactorLoop) {
    loop.unwatch(link.handle)
    var exited = Int32(0)
    var status = Int32(0)
    // The reaping of orphans may have been faster.
    var use = csystem_use()
    _ = csystem_reap(CSYSTEM_HANDLE, link.handle, &exited, &status, &use)
    let isStopped = state.withLock { state in
      state.link = nil
      return state.isStopped
    }
    guard !isStopped else { return }
    report(.warning, "The guard process ended or did not keep up; takt replaced it.")
    replace(loop, isSoon: link.startedAt + Self.retryTime <= .now)
  }

  private func replace(_ loop: ReactorLoop, isSoon: Bool) {
    guard isSoon else {
      return loop.after(Self.retryTime) { [self] loop in replace(loop, isSoon: true) }
    }
    guard !state.withLock(\.isStopped) else { return }
    let number = launch(loop)
    guard number != 0 else { return }
    report(
      .error,
      "Cannot start the guard process (\(ErrorName.of(number))); takt keeps trying. "
        + "If takt is killed meanwhile, claimed runs go on.")
    replace(loop, isSoon: false)
  }

  private func report(_ level: LogLevel, _ message: String) {
    let isDue = state.withLock { state in
      if let last = state.reportedAt, last + Self.reportInterval > .now { return false }
      state.reportedAt = .now
      return true
    }
    guard isDue else { return }
    observer?.observe(
      LogRecord(at: time.wall, level, .scheduler, [LogField(.message, .text(message))]))
  }
}

extension cguard_record {
  fileprivate init(_ id: ProcessID, _ identity: ProcessIdentity, _ guarding: Guarding) {
    self.init()
    kind = guarding.kind
    pid = identity.pid
    attempt = id.number
    since = identity.sinceTicks
    until = identity.untilTicks
    Self.put(identity.mark, into: &mark)
    if let name = identity.controlGroup?.split(separator: "/").last {
      Self.put(name, into: &group)
    }
  }

  /// A text that does not fit is left out: half of it could be another's.
  private static func put<Bytes>(_ text: some StringProtocol, into bytes: inout Bytes) {
    withUnsafeMutableBytes(of: &bytes) { bytes in
      if text.utf8.count <= bytes.count { bytes.copyBytes(from: Array(text.utf8)) }
    }
  }
}
