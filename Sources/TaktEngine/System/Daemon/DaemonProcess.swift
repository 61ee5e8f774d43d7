import Glibc
import TaktSystem

/// How a daemon is known again: a process number alone may be another process's by then.
package enum DaemonProcess {
  /// A random word of this process's own.
  package static let instance = randomWord()

  /// 64 random bits in 16 digits.
  static func randomWord() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// When this process started, in clock ticks since the machine did; nil where the system does not
  /// say.
  package static var startTicks: UInt64? { ProcessStatus.read(getpid())?.startTicks }

  /// The namespace of process numbers in which this process is. In another one a number is another
  /// process's.
  package static var pidSpace: String? { SmallFile.link("/proc/self/ns/pid") }

  /// Whether the process of a daemon that started at this time still runs. What cannot be told is
  /// taken for yes.
  package static func isAlive(_ pid: Int32, startTicks: UInt64?) -> Bool {
    // This process has its number: that one is gone.
    guard pid != getpid() else { return false }
    guard let status = ProcessStatus.read(pid) else {
      return kill(pid, 0) == 0 || errno == EPERM
    }
    guard let startTicks else { return true }
    return status.startTicks == startTicks && !status.isZombie
  }
}

/// What tells this start of the machine from others, and this view of its clocks.
package enum BootIdentity {
  /// The kernel's word for this start, and the name space of clocks in which takt is: as long as
  /// both are the same, the monotonic clock has gone on.
  package static func current() -> String {
    let path = "/proc/sys/kernel/random/boot_id"
    let bytes = (try? SmallFile.read(path, bytesMax: 128)) ?? []
    let word = String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
    let space = SmallFile.link("/proc/self/ns/time") ?? ""
    // Without a word from the kernel nothing is taken for the same.
    return word.isEmpty ? "unknown \(DaemonProcess.instance)" : "\(word) \(space)"
  }
}
