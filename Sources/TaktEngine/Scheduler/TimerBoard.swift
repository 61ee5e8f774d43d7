import Dispatch
import TaktCore
import TimerMachine
import TaktTime

/// The timer machines of the scheduler: those of jobs by the job's number, the few others by their
/// IDs. It lives on the scheduler's queue.
final class TimerBoard {
  private struct Timer {
    let machine: TimerMachine
    var token: UInt64
  }

  private let factory: any TimerFactory
  private let observer: any Observer
  private let log: TimerLog
  private let group: TimerGroup
  private var jobs: [Timer?] = []
  private var others: [TimerID: Timer] = [:]

  /// - Parameters:
  ///   - queue: the scheduler's.
  ///   - onFire: called on `queue` for each fire; `token(of:)` says for which arming it is.
  init(
    queue: DispatchQueue, factory: any TimerFactory, observer: any Observer,
    onFire: @escaping @Sendable (TimerID) -> Void
  ) {
    self.factory = factory
    self.observer = observer
    log = TimerLog(observer: observer)
    // The log knows the machines by their keys.
    group = TimerGroup(name: "", factory: factory, queue: queue, observer: log) { number, _ in
      onFire(TimerID(number: number))
    }
  }

  /// Arms the timer for one fire, in place of any earlier arming.
  ///
  /// - Parameter key: what the log calls the timer; asked for at the first arming alone.
  func arm(
    _ id: TimerID, at deadline: MonotonicInstant, leeway: Duration, token: UInt64,
    key: () -> TimerKey
  ) {
    let schedule: TimerSchedule
    do {
      schedule = try .once(at: deadline, leeway: max(.zero, leeway))
    } catch {
      TimerLog.refused(key(), error, at: factory.time.wall, to: observer)
      return
    }
    machine(of: id, token: token, key: key).start(schedule)
  }

  /// Cancels the timer and forgets it.
  func disarm(_ id: TimerID) {
    guard let machine = remove(id), !machine.isOver else { return }
    machine.cancel()
  }

  /// The token of the last arming; nil for a timer that was disarmed.
  ///
  /// A fire belongs to that one always: an arming drops the fires before it, and a machine claims a
  /// fire and calls its handler in one turn of the queue.
  func token(of id: TimerID) -> UInt64? {
    guard case .job(let job) = id else { return others[id]?.token }
    return Int(job.index) < jobs.count ? jobs[Int(job.index)]?.token : nil
  }

  /// The timer's machine, made when there is none, with its token set.
  private func machine(
    of id: TimerID, token: UInt64, key: () -> TimerKey
  ) -> TimerMachine {
    guard case .job(let job) = id else {
      let machine = others[id]?.machine ?? made(id, key())
      others[id] = Timer(machine: machine, token: token)
      return machine
    }
    let index = Int(job.index)
    while jobs.count <= index { jobs.append(nil) }
    let machine = jobs[index]?.machine ?? made(id, key())
    jobs[index] = Timer(machine: machine, token: token)
    return machine
  }

  private func made(_ id: TimerID, _ key: TimerKey) -> TimerMachine {
    log.name(id, key)
    return TimerMachine(number: id.number, in: group)
  }

  private func remove(_ id: TimerID) -> TimerMachine? {
    guard case .job(let job) = id else { return others.removeValue(forKey: id)?.machine }
    let index = Int(job.index)
    guard index < jobs.count else { return nil }
    defer { jobs[index] = nil }
    return jobs[index]?.machine
  }
}

extension TimerMachine {
  /// Whether there is nothing to cancel: it never ran, or its schedule is over.
  fileprivate var isOver: Bool {
    switch state {
    case .idle, .cancelled: true
    case .running, .suspended: false
    }
  }
}
