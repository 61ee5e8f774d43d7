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

  /// Whether a member is left whom a signal can reach, after the ended ones that takt has adopted
  /// are reaped. To be asked when the child itself has been.
  func exists(reaped: (pid_t) -> Void) -> Bool {
    var exited = Int32(0)
    var status = Int32(0)
    while case let pid = csystem_reap(-1, number, &exited, &status), pid > 0 { reaped(pid) }
    return kill(-number, 0) == 0
  }

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
