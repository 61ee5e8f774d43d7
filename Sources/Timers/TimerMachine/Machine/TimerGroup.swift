package import Dispatch
import TaktTime

/// The common state of many machines, so that each of them is small: the source of their alarms,
/// the place of their delivery, and their observer. A machine made alone has a group to itself.
///
/// `@unchecked Sendable`: all is constant but the handler of a machine made alone, which that machine
/// reads and takes away under its own lock.
package class TimerGroup: @unchecked Sendable {
  /// Takes the number of the machine that fires.
  package typealias Handler = @Sendable (_ machine: UInt64, _ fire: TimerFire) -> Void

  final let name: String
  final let factory: any TimerFactory
  final let queue: DispatchQueue
  final let observer: (any TimerObserver)?
  final private(set) var handler: MainHandler?
  /// The wake queue of a coalescing factory: it takes machines themselves, without an adapter.
  final let wakeQueue: WakeQueue?
  /// The schedule that a machine made alone was made with.
  var schedule: TimerSchedule? { nil }

  /// - Parameters:
  ///   - name: the name of all its machines in reports.
  ///   - queue: where the handler is called.
  ///   - observer: called for every transition of every machine.
  ///   - handler: called for each fire of each machine.
  package convenience init(
    name: String, factory: any TimerFactory, queue: DispatchQueue,
    observer: (any TimerObserver)?, handler: @escaping Handler
  ) {
    self.init(
      name: name, factory: factory, queue: queue, observer: observer, handler: .shared(handler))
  }

  init(
    name: String, factory: any TimerFactory, queue: DispatchQueue,
    observer: (any TimerObserver)?, handler: MainHandler?
  ) {
    self.name = name
    self.factory = factory
    self.queue = queue
    self.observer = observer
    self.handler = handler
    wakeQueue = (factory as? CoalescingTimerFactory)?.wakeQueue
  }

  /// The group of a machine made alone, with its schedule or with none.
  static func alone(
    name: String, factory: any TimerFactory, queue: DispatchQueue,
    observer: (any TimerObserver)?, handler: MainHandler?, schedule: TimerSchedule?
  ) -> TimerGroup {
    guard let schedule else {
      return TimerGroup(
        name: name, factory: factory, queue: queue, observer: observer, handler: handler)
    }
    return ScheduledGroup(
      name: name, factory: factory, queue: queue, observer: observer, handler: handler,
      schedule: schedule)
  }

  /// Takes the handler out, if it is that of one machine alone. Under that machine's lock.
  final func removeOwnHandler() -> MainHandler? {
    guard handler?.isOwn == true else { return nil }
    return handler.take()
  }

  /// Sets the handler of a machine made alone, before anybody else knows it.
  final func setOwnHandler(_ handler: MainHandler) {
    self.handler = handler
  }

  final var monotonic: MonotonicInstant {
    if let wakeQueue { wakeQueue.time.monotonic } else { factory.time.monotonic }
  }

  final var wall: WallInstant {
    if let wakeQueue { wakeQueue.time.wall } else { factory.time.wall }
  }

  /// A deadline on the clock that people read, or on the time since boot, as the monotonic clock will
  /// show it if no one sets the other.
  final func monotonic(_ deadline: Int64, ofWall isWall: Bool) -> MonotonicInstant {
    isWall
      ? monotonic + (WallInstant(nanoseconds: deadline) - wall)
      : MonotonicInstant(nanoseconds: deadline.subtractingSaturated(slept))
  }

  /// In nanoseconds.
  final var slept: Int64 { factory.time.slept.nanosecondsSaturated }
}

/// The group of a machine that was made with its schedule. A kind of its own, so that those of the
/// others are smaller.
///
/// `@unchecked Sendable`: as its superclass, and what it adds is constant.
final class ScheduledGroup: TimerGroup, @unchecked Sendable {
  private let madeWith: TimerSchedule

  init(
    name: String, factory: any TimerFactory, queue: DispatchQueue,
    observer: (any TimerObserver)?, handler: MainHandler?, schedule: TimerSchedule
  ) {
    madeWith = schedule
    super.init(name: name, factory: factory, queue: queue, observer: observer, handler: handler)
  }

  override var schedule: TimerSchedule? { madeWith }
}

/// The handler that a machine is made with: its own, or that of its group.
enum MainHandler: Sendable {
  case own(TimerHandler.Call)
  /// Its own, called in a task; the delivery ends with it.
  case task(TimerHandler.AsyncCall)
  /// Likewise, on an actor: one that has not reached it yet is dropped by `cancel` and `suspend`.
  case actor(ActorCall)
  case shared(TimerGroup.Handler)

  var isOwn: Bool {
    switch self {
    case .own, .task, .actor: true
    case .shared: false
    }
  }

  /// The identity of the call's thread if that is not the claiming one: zero for a task, or the
  /// actor.
  var thread: UInt? {
    switch self {
    case .own, .shared: nil
    case .task: 0
    case .actor(let handler): handler.actor
    }
  }

  /// The function that is called in a task.
  var asyncCall: TimerHandler.AsyncCall? {
    switch self {
    case .own, .shared: nil
    case .task(let call): call
    case .actor(let handler): handler.call
    }
  }

  /// True if `cancel` and `suspend` drop a delivery that has not begun.
  var isDroppable: Bool {
    switch self {
    case .own, .task, .shared: false
    case .actor: true
    }
  }

  /// Calls it at once; one of a task is started.
  func call(_ fire: TimerFire, of machine: UInt64) {
    switch self {
    case .own(let call): call(fire)
    case .task(let call): Task { await call(fire) }
    case .actor(let handler): Task { await handler.call(fire) }
    case .shared(let call): call(machine, fire)
    }
  }

  /// The handler as users see it.
  func named(of machine: UInt64) -> TimerHandler {
    switch self {
    case .own(let call): TimerHandler(name: TimerHandler.main, call: call)
    case .task, .actor: TimerHandler(name: TimerHandler.main) { call($0, of: machine) }
    case .shared(let call): TimerHandler(name: TimerHandler.main) { call(machine, $0) }
    }
  }
}

/// A handler's function that runs on an actor.
final class ActorCall: Sendable {
  /// Names the actor, which it does not keep alive.
  let actor: UInt
  let call: TimerHandler.AsyncCall

  init(on actor: any Actor, _ call: @escaping TimerHandler.AsyncCall) {
    self.actor = ThreadIdentity.of(actor)
    self.call = call
  }
}
