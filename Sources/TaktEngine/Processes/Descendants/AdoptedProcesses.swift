import Glibc
import TaktSystem

/// The orphans that the kernel has given to takt.
///
/// It gives them to the first thread that lives, which is the main one as long as it does; children
/// that takt starts are those of the thread that starts them. So the main thread's children are the
/// orphans and nobody else: one read, and no search through all processes.
final class AdoptedProcesses {
  /// -1 on a kernel that keeps no such list.
  private let descriptor: Int32

  init() {
    let own = getpid()
    descriptor = open("/proc/self/task/\(own)/children", O_RDONLY | O_CLOEXEC)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether children that takt has started are kept out of `pids`.
  var isExact: Bool { descriptor >= 0 }

  /// A pid takes at most this much of the list.
  private static let listBytesMax = 8 * 1_048_576

  /// Those who are not yet reaped, ended ones too. Without the kernel's list all children of takt,
  /// found among all processes.
  ///
  /// None is left out: the kernel's list loses an entry only when takt reaps it, and takt reaps on
  /// the thread that calls this.
  func pids() -> [pid_t] {
    if descriptor >= 0 {
      return ProcessFile.numbers(
        SmallFile.head(descriptor, bytesMax: Self.listBytesMax) ?? [])
    }
    let own = getpid()
    return ProcessFile.numbers(inFolder: "/proc").filter { ProcessStatus.read($0)?.parent == own }
  }

  /// The living among `roots` and all who descend from them; not more than `limit` are looked at.
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

  /// As the kernel lists them.
  private static func children(of pid: pid_t, limit: Int) -> [pid_t] {
    ProcessFile.numbers(inFolder: "/proc/\(pid)/task").flatMap { thread in
      let path = "/proc/\(pid)/task/\(thread)/children"
      return ProcessFile.numbers(SmallFile.head(path, bytesMax: limit * 8) ?? [])
    }
  }

  /// The children of each process, found among all processes.
  private static func childrenOfAll() -> [pid_t: [pid_t]] {
    let all = ProcessFile.numbers(inFolder: "/proc").compactMap { ProcessStatus.read($0) }
    return Dictionary(grouping: all, by: \.parent).mapValues { $0.map(\.pid) }
  }
}
