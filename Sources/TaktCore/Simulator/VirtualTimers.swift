import TaktTime
import TimerMachine

/// The timers that exist in virtual time, fired or not, and the wake table in which they are armed.
struct VirtualTimers {
  private static let none = UInt32.max

  private var table = NumberedWakeTable()
  /// By their numbers in the table; nil for a free number.
  private var timers: [TimerID?] = []
  private var free: [UInt32] = []
  /// The numbers of the jobs' timers, and of all others.
  private var jobs: [UInt32] = []
  private var others: [TimerID: UInt32] = [:]

  var all: [TimerID] { timers.compactMap(\.self) }

  /// The deadline of the next wake; nil if nothing is armed.
  var nextWake: MonotonicInstant? { table.nextWake }

  /// Arms a timer, in place of any earlier arming.
  mutating func arm(
    _ timer: TimerID, _ deadline: MonotonicInstant, leeway: Duration, token: UInt64
  ) {
    let number = number(of: timer) ?? add(timer)
    table.arm(number, TimerArming(deadline: deadline, leeway: max(.zero, leeway), ticket: token))
  }

  /// Forgets a timer.
  mutating func remove(_ timer: TimerID) {
    guard let number = number(of: timer) else { return }
    table.disarm(number)
    setNumber(nil, of: timer)
    timers[Int(number)] = nil
    free.append(number)
  }

  /// Disarms the timer due first if its window is open at `now`.
  mutating func popDue(at now: MonotonicInstant) -> (timer: TimerID, token: UInt64)? {
    guard let (number, token) = table.popDue(at: now), let timer = timers[Int(number)] else {
      return nil
    }
    return (timer, token)
  }

  private mutating func add(_ timer: TimerID) -> UInt32 {
    let number = free.popLast() ?? UInt32(timers.count)
    if Int(number) == timers.count { timers.append(timer) } else { timers[Int(number)] = timer }
    setNumber(number, of: timer)
    return number
  }

  private func number(of timer: TimerID) -> UInt32? {
    guard case .job(let id) = timer else { return others[timer] }
    guard Int(id.index) < jobs.count else { return nil }
    return jobs[Int(id.index)] == Self.none ? nil : jobs[Int(id.index)]
  }

  private mutating func setNumber(_ number: UInt32?, of timer: TimerID) {
    guard case .job(let id) = timer else {
      others[timer] = number
      return
    }
    while jobs.count <= Int(id.index) { jobs.append(Self.none) }
    jobs[Int(id.index)] = number ?? Self.none
  }
}
