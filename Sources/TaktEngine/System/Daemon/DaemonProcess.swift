import Glibc
import TaktSystem

/// Identifies a daemon: its process number alone may be reused.
package enum DaemonProcess {
  /// A random word that identifies this process.
  package static let instance = randomWord()

  /// 64 random bits in 16 digits.
  static func randomWord() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Clock ticks since boot; nil if the system does not tell.
  package static var startTicks: UInt64? { ProcessStatus.read(getpid())?.startTicks }

  /// The PID namespace of this process. In another one a number means another process.
  package static var pidSpace: String? { SmallFile.link("/proc/self/ns/pid") }

  /// True if the process of a daemon that started at this time still runs, also if that is unknown.
  package static func isAlive(_ pid: Int32, startTicks: UInt64?) -> Bool {
    // This process has its number, so it is gone.
    guard pid != getpid() else { return false }
    guard let status = ProcessStatus.read(pid) else {
      return kill(pid, 0) == 0 || errno == EPERM
    }
    guard let startTicks else { return true }
    return status.startTicks == startTicks && !status.isZombie
  }
}

/// Identifies this boot of the machine, and the view of its clocks.
package enum BootIdentity {
  /// The kernel's boot id, and takt's time namespace: while both are the same, the monotonic clock
  /// has continued.
  package static func current() -> String {
    let path = "/proc/sys/kernel/random/boot_id"
    let bytes = (try? SmallFile.read(path, bytesMax: 128)) ?? []
    let word = String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
    let space = SmallFile.link("/proc/self/ns/time") ?? ""
    // Without a boot id nothing counts as the same.
    return word.isEmpty ? "unknown \(DaemonProcess.instance)" : "\(word) \(space)"
  }
}
