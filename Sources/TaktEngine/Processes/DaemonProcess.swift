import Glibc

/// How a daemon is known again: a process number alone may be another process's by then.
package enum DaemonProcess {
  /// When this process started, in clock ticks since the machine did; nil where the system does not
  /// say.
  package static var startTicks: UInt64? { ProcessStatus.read(getpid())?.startTicks }

  /// The namespace of process numbers in which this process is. In another one a number is another
  /// process's.
  package static var pidSpace: String? {
    var buffer = [CChar](repeating: 0, count: 128)
    let count = readlink("/proc/self/ns/pid", &buffer, buffer.count - 1)
    guard count > 0 else { return nil }
    return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

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
