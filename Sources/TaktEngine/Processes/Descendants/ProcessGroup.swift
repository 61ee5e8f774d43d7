import CTaktSystem
import Glibc
import TaktCore
import TaktSystem

/// The group of processes that started with one child; its number is that child's pid, and that of
/// its session.
///
/// Signals go by the child's pidfd, which means this very group even after the child itself has
/// been reaped: none reaches a stranger with the same number.
struct ProcessGroup {
  let number: pid_t
  let pidfd: Int32

  /// Reaps the members that have ended and that takt has adopted. To be called after the child
  /// itself has been reaped.
  func reap(_ reaped: (pid_t, ResourceUse) -> Void) {
    while let child = ReapedChild(CSYSTEM_GROUP, number) { reaped(child.pid, child.use) }
  }

  /// True if a member is left that a signal can reach, or that has ended and is not reaped.
  var exists: Bool { cprocess_signal_group(pidfd, number, 0) == 0 }

  func send(_ signal: Int32) {
    _ = cprocess_signal_group(pidfd, number, signal)
    // A stopped process handles no other signal before it continues.
    if signal != SIGKILL { _ = cprocess_signal_group(pidfd, number, SIGCONT) }
  }

  /// The living members, found among all processes.
  func members() -> [ProcessStatus] {
    ProcessFile.numbers(inFolder: "/proc").compactMap { ProcessStatus.read($0) }
      .filter { $0.group == number && !$0.isZombie }
  }
}

/// One process by its number, signalled only through a handle.
enum ProcessHandle {
  /// Signals a process, and its group as well if it leads one, provided `isRight` still holds after
  /// the handle is open: from then on its number cannot be reused. Returns 0 or an error number.
  static func send(
    _ signal: Int32, to pid: pid_t, isGroupLeader: Bool = false, if isRight: () -> Bool = { true }
  ) -> Int32 {
    let handle = cprocess_open(pid)
    guard handle >= 0 else { return errno }
    defer { close(handle) }
    guard isRight() else { return ESRCH }
    if isGroupLeader { _ = cprocess_signal_group(handle, pid, signal) }
    // The signal to its group was its own too, unless it has moved to another group since.
    let hasSignal = isGroupLeader && ProcessStatus.read(pid)?.group == pid
    let result = cprocess_signal(handle, hasSignal ? 0 : signal)
    // A stopped process handles no other signal before it continues.
    if signal != SIGKILL, signal != 0 {
      _ = cprocess_signal(handle, SIGCONT)
      if isGroupLeader { _ = cprocess_signal_group(handle, pid, SIGCONT) }
    }
    return result
  }
}
