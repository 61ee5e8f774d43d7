import CTaktSystem
import Glibc
import Synchronization
import TaktCore

/// A child of takt that has been reaped, and its resource use.
struct ReapedChild {
  let pid: pid_t
  /// True if it exited with `status`; otherwise `status` is the signal that ended it.
  let exited: Bool
  let status: Int32
  let hasDumped: Bool
  /// Includes all its descendants that were waited for.
  let use: ResourceUse

  /// Nil if no such child has ended or exists.
  init?(_ which: csystem_children, _ id: Int32) {
    guard let child = Self.reap(which, id), let child else { return nil }
    self = child
  }

  /// The outer one is nil while the child lives, the inner one if there is none.
  static func ofHandle(_ handle: Int32) -> Self?? { reap(CSYSTEM_HANDLE, handle) }

  private static func reap(_ which: csystem_children, _ id: Int32) -> Self?? {
    var exited = Int32(0)
    var status = Int32(0)
    var use = csystem_use()
    let pid = csystem_reap(which, id, &exited, &status, &use)
    if pid == 0 { return .none }
    if pid < 0 { return .some(nil) }
    return Self(
      pid: pid, exited: exited == 1, status: status, hasDumped: exited < 0, use: ResourceUse(use))
  }

  private init(pid: pid_t, exited: Bool, status: Int32, hasDumped: Bool, use: ResourceUse) {
    self.pid = pid
    self.exited = exited
    self.status = status
    self.hasDumped = hasDumped
    self.use = use
  }
}

/// The resource use of a command's processes besides the one that takt has started.
enum MembersUse {
  /// Without the process that takt has started.
  case others(ResourceUse)
  /// All of the command, as far as its control group counts: processor time, memory, input and
  /// output.
  case all(ResourceUse)
}

extension ResourceUse {
  /// The unit of the kernel's accounting, whatever the device's block size.
  private static let blockBytes: Int64 = 512

  init(_ use: csystem_use) {
    self.init(
      userMicroseconds: use.user_us, systemMicroseconds: use.system_us,
      memoryPeakBytes: OwnMemoryPeak.isExceeded(byKiB: use.memory_peak_kib)
        ? use.memory_peak_kib * 1024 : nil,
      readBytes: use.read_blocks * Self.blockBytes,
      writtenBytes: use.written_blocks * Self.blockBytes,
      voluntarySwitches: use.voluntary_switches,
      involuntarySwitches: use.involuntary_switches)
  }

  /// Takes the larger of each value: both have counted the same processes, but neither all of them.
  mutating func raise(to other: Self) {
    if other.cpu > cpu {
      (userMicroseconds, systemMicroseconds) = (other.userMicroseconds, other.systemMicroseconds)
    }
    readBytes = max(readBytes, other.readBytes)
    writtenBytes = max(writtenBytes, other.writtenBytes)
    guard let peak = other.memoryPeakBytes else { return }
    memoryPeakBytes = max(memoryPeakBytes ?? peak, peak)
  }
}

/// The peak of takt's own memory.
///
/// A child shares takt's memory until it executes its program, and the kernel counts that as the
/// child's own: a value that is not clearly above it says nothing about the program.
private enum OwnMemoryPeak {
  /// The peak at the last query. It only ever grows.
  private static let kib = Atomic<Int64>(0)
  /// The kernel adds up counters of processors that are each a little behind.
  private static let toleranceKiB: Int64 = 1024

  static func isExceeded(byKiB peak: Int64) -> Bool {
    let least = peak - toleranceKiB
    guard least > kib.load(ordering: .relaxed) else { return false }
    if least > csystem_memory_peak_bound_kib() { return true }
    let now = csystem_own_memory_peak_kib()
    if now < .max { kib.store(now, ordering: .relaxed) }
    return least > now
  }
}
