import Glibc
import TaktSystem

/// The orphans that the kernel has given to takt.
///
/// It gives them to the first thread that lives, which is the main one as long as it does; children
/// that takt starts belong to the thread that starts them. So the main thread's children are
/// exactly the orphans: one read, and no search through all processes.
final class AdoptedProcesses {
  /// -1 if the kernel keeps no such list.
  private let descriptor: Int32

  init() {
    let own = getpid()
    descriptor = open("/proc/self/task/\(own)/children", O_RDONLY | O_CLOEXEC)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// True if `pids` leaves out the children that takt has started.
  var isExact: Bool { descriptor >= 0 }

  private static let listBytesMax = 8 * 1_048_576

  /// The orphans that are not reaped yet, including zombies. Without the kernel's list, all
  /// children of takt, found among all processes.
  ///
  /// None is missed: the kernel's list loses an entry only when takt reaps it, and takt reaps on
  /// the thread that calls this.
  func pids() -> [pid_t] {
    if descriptor >= 0 {
      return ProcessFile.numbers(
        SmallFile.head(descriptor, bytesMax: Self.listBytesMax) ?? [])
    }
    let own = getpid()
    return ProcessFile.numbers(inFolder: "/proc").filter { ProcessStatus.read($0)?.parent == own }
  }

  /// The living among `roots` and all their descendants; at most `limit` processes are read.
  func living(from roots: [pid_t], limit: Int) -> [ProcessStatus] {
    let children = isExact ? nil : Self.childrenOfAll()
    var result: [ProcessStatus] = []
    var queue = roots
    var index = 0
    while index < queue.count, index < limit {
      let pid = queue[index]
      index += 1
      guard let status = ProcessStatus.read(pid), !status.isZombie else { continue }
      result.append(status)
      queue += children.map { $0[pid] ?? [] } ?? Self.children(of: pid, limit: limit)
    }
    return result
  }

  private static func children(of pid: pid_t, limit: Int) -> [pid_t] {
    ProcessFile.numbers(inFolder: "/proc/\(pid)/task").flatMap { thread in
      let path = "/proc/\(pid)/task/\(thread)/children"
      return ProcessFile.numbers(SmallFile.head(path, bytesMax: limit * 8) ?? [])
    }
  }

  private static func childrenOfAll() -> [pid_t: [pid_t]] {
    let all = ProcessFile.numbers(inFolder: "/proc").compactMap { ProcessStatus.read($0) }
    return Dictionary(grouping: all, by: \.parent).mapValues { $0.map(\.pid) }
  }
}
