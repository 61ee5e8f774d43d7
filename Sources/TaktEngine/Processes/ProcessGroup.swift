import CTaktSystem
import Glibc
import TaktCore

/// The group of processes that began with one child; its number is that child's pid, and that of
/// its session.
///
/// The number stays taken as long as one member is not reaped, so that a signal sent to a group
/// that exists reaches no stranger.
struct ProcessGroup {
  let number: pid_t

  /// Reaps the members that have ended and that takt has adopted. To be called when the child
  /// itself has been.
  func reap(_ reaped: (pid_t) -> Void) {
    var exited = Int32(0)
    var status = Int32(0)
    while case let pid = csystem_reap(-1, number, &exited, &status), pid > 0 { reaped(pid) }
  }

  /// Whether a member is left: one whom a signal can reach, or one that has ended and is not reaped.
  var exists: Bool { kill(-number, 0) == 0 }

  /// Sends every member a signal.
  func send(_ signal: Int32) {
    _ = kill(-number, signal)
    // A stopped process takes no other signal before it goes on.
    if signal != SIGKILL { _ = kill(-number, SIGCONT) }
  }

  /// The members that live, found among all processes.
  func members() -> [ProcessStatus] {
    ProcessFile.numbers(inFolder: "/proc").compactMap { ProcessStatus.read($0) }
      .filter { $0.group == number && !$0.isZombie }
  }
}
