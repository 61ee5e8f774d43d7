import Glibc
import TaktSystem

/// The processes that have had a stop signal of a command: each process that existed gets it once.
/// One that a process starts after it has had the signal belongs to a clean-up, and gets none.
struct StopRound {
  private struct Sent {
    var startTicks: UInt64
    var atTicks: UInt64
  }

  private let beganTicks = ProcessStatus.ticksNow()
  private var sent: [pid_t: Sent] = [:]

  var isEmpty: Bool { sent.isEmpty }

  /// Records a process that has just had the signal.
  mutating func add(_ pid: pid_t, startTicks: UInt64) {
    sent[pid] = Sent(startTicks: startTicks, atTicks: ProcessStatus.ticksNow())
  }

  func contains(_ pid: pid_t, startTicks: UInt64) -> Bool {
    sent[pid]?.startTicks == startTicks
  }

  /// True if a process has not had the signal, and started before it, or before its parent had it.
  ///
  /// The kernel's ticks are 10 ms: a process that started in the tick of the signal counts as
  /// started after it.
  func misses(_ pid: pid_t, parent: pid_t, startTicks: UInt64) -> Bool {
    guard !contains(pid, startTicks: startTicks) else { return false }
    if let sent = sent[parent], sent.startTicks <= startTicks { return startTicks < sent.atTicks }
    return startTicks < beganTicks
  }
}

extension StopRound {
  mutating func add(_ status: ProcessStatus) { add(status.pid, startTicks: status.startTicks) }

  func contains(_ status: ProcessStatus) -> Bool {
    contains(status.pid, startTicks: status.startTicks)
  }

  func misses(_ status: ProcessStatus) -> Bool {
    misses(status.pid, parent: status.parent, startTicks: status.startTicks)
  }
}
