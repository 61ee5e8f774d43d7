import Dispatch
import TaktCore
import TaktTime
import TimerMachine

/// The timer machines of the scheduler: those of jobs by the job's number, the few others by their
/// IDs. Used on the scheduler's queue.
final class TimerBoard {
  private struct Timer {
    let machine: SafeTimer
    var token: UInt64
    var isSuspended = false
  }

  private let factory: any TimerFactory
  private let observer: any Observer
  private let log: TimerLog
  private let group: TimerGroup
  private var jobs: [Timer?] = []
  private var others: [TimerID: Timer] = [:]

  /// - Parameters:
  ///   - queue: the scheduler's.
  ///   - onFire: called on `queue` for each fire; `token(of:)` returns its arming.
  init(
    queue: DispatchQueue, factory: any TimerFactory, observer: any Observer,
    onFire: @escaping @Sendable (TimerID) -> Void
  ) {
    self.factory = factory
    self.observer = observer
    log = TimerLog(observer: observer)
    // The log identifies the machines by their keys.
    group = TimerGroup(name: "", factory: factory, queue: queue, observer: log) { number, _ in
      onFire(TimerID(number: number))
    }
  }

  /// Arms the timer for one fire, in place of any earlier arming; a suspended one is resumed first.
  ///
  /// - Parameters:
  ///   - due: the deadline as people read it, for the log.
  ///   - key: the timer's name in the log; called at the first arming only.
  func arm(
    _ id: TimerID, at deadline: MonotonicInstant, due: WallInstant, leeway: Duration,
    token: UInt64, key: () -> TimerKey
  ) {
    let schedule: TimerSchedule
    do {
      schedule = try .once(at: deadline, leeway: max(.zero, leeway))
    } catch {
      TimerLog.refused(key(), error, at: factory.time.wall, to: observer)
      return
    }
    let timer = set(id, token: token, key: key)
    if timer.isSuspended { timer.machine.resume(missed: .skip) }
    log.due = due
    // A machine lives as long as its job: a fire does not end it.
    _ = timer.machine.setSchedule(schedule.stayingOpen())
    log.due = nil
  }

  /// Stops a job's timer, but keeps its machine.
  ///
  /// - Parameter key: as for `arm`.
  func hold(_ job: JobID, _ rest: TimerHoldReason, key: () -> TimerKey) {
    let timer = set(.job(job), token: 0, isSuspended: rest == .suspended, key: key)
    switch rest {
    case .unarmed:
      if timer.isSuspended { timer.machine.resume(missed: .skip) }
      // After a fire it is not armed already.
      if timer.machine.isOver || timer.machine.deadline != nil {
        _ = timer.machine.setSchedule(.unarmed)
      }
    case .suspended:
      if timer.machine.isOver { _ = timer.machine.setSchedule(.unarmed) }
      timer.machine.suspend()
    case .over: cancel(timer.machine, as: .exhausted)
    }
  }

  /// Cancels the timer and forgets it.
  ///
  /// - Parameter end: the reason why a job's timer ends, for the log.
  func disarm(_ id: TimerID, as end: TimerEnd) {
    guard let machine = remove(id), !machine.isOver else { return }
    if case .job = id { cancel(machine, as: end) } else { machine.cancel() }
  }

  private func cancel(_ machine: SafeTimer, as end: TimerEnd) {
    log.end = end
    machine.cancel()
    log.end = nil
  }

  /// The token of the last arming; nil for a timer that was disarmed.
  ///
  /// A fire always belongs to that one: an arming drops earlier fires, and a machine claims a fire
  /// and calls its handler in one turn of the queue.
  func token(of id: TimerID) -> UInt64? {
    guard case .job(let job) = id else { return others[id]?.token }
    return Int(job.index) < jobs.count ? jobs[Int(job.index)]?.token : nil
  }

  /// Records the new state of a timer, and makes its machine if there is none. Returns its previous
  /// state.
  private func set(
    _ id: TimerID, token: UInt64, isSuspended: Bool = false, key: () -> TimerKey
  ) -> Timer {
    guard case .job(let job) = id else {
      let timer = others[id] ?? Timer(machine: made(id, key()), token: token)
      others[id] = Timer(machine: timer.machine, token: token)
      return timer
    }
    let index = Int(job.index)
    while jobs.count <= index { jobs.append(nil) }
    let timer = jobs[index] ?? Timer(machine: made(id, key()), token: token)
    jobs[index] = Timer(machine: timer.machine, token: token, isSuspended: isSuspended)
    return timer
  }

  private func made(_ id: TimerID, _ key: TimerKey) -> SafeTimer {
    log.name(id, key)
    return SafeTimer(number: id.number, in: group)
  }

  private func remove(_ id: TimerID) -> SafeTimer? {
    guard case .job(let job) = id else { return others.removeValue(forKey: id)?.machine }
    let index = Int(job.index)
    guard index < jobs.count else { return nil }
    defer { jobs[index] = nil }
    return jobs[index]?.machine
  }
}

extension SafeTimer {
  /// True if there is nothing to cancel: it never ran, or its schedule is over.
  fileprivate var isOver: Bool {
    switch state {
    case .idle, .cancelled: true
    case .running, .suspended: false
    }
  }
}
