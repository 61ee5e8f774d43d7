package import Glibc

/// A process as `/proc` describes it.
package struct ProcessStatus {
  package let pid: pid_t
  /// The name of its program; any bytes, at most 15 of them.
  package let name: String
  /// `R`, `S`, `D`, `T`, `Z` …
  package let state: UInt8
  package let parent: pid_t
  package let group: pid_t
  package let session: pid_t
  /// The time it was started, in the clock ticks of `ticksNow`.
  package let startTicks: UInt64

  /// Ended, and not yet reaped by its parent.
  package var isZombie: Bool { state == UInt8(ascii: "Z") || state == UInt8(ascii: "X") }

  /// Stopped by a signal, or by a debugger.
  package var isStopped: Bool { state == UInt8(ascii: "T") || state == UInt8(ascii: "t") }

  /// Reads `/proc/PID/stat`, which never waits for the process. Nil when there is no such process.
  package static func read(_ pid: pid_t) -> ProcessStatus? {
    SmallFile.head("/proc/\(pid)/stat", bytesMax: 1024).flatMap { parse($0, pid) }
  }

  /// The name may hold any character, brackets too: the fields start after the last bracket.
  package static func parse(_ bytes: [UInt8], _ pid: pid_t) -> ProcessStatus? {
    guard let start = bytes.firstIndex(of: UInt8(ascii: "(")),
      let end = bytes.lastIndex(of: UInt8(ascii: ")")), start < end
    else { return nil }
    let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 19, let state = fields[0].first else { return nil }
    return ProcessStatus(
      pid: pid, name: String(decoding: bytes[(start + 1)..<end], as: UTF8.self), state: state,
      parent: pid_t(clamping: number(fields[1])), group: pid_t(clamping: number(fields[2])),
      session: pid_t(clamping: number(fields[3])), startTicks: number(fields[19]))
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64 {
    digits.reduce(0) { $0 &* 10 &+ UInt64($1 &- UInt8(ascii: "0")) }
  }

  /// Reads the clock by which processes are dated, which also counts while the machine sleeps.
  package static func ticksNow() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return UInt64(time.tv_sec) * ticksPerSecond
      + UInt64(time.tv_nsec) / (1_000_000_000 / ticksPerSecond)
  }

  package static let ticksPerSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
}

package enum ProcessFile {
  /// The numbers that a file lists, with anything but digits between them.
  package static func numbers(_ bytes: [UInt8]) -> [pid_t] {
    var result: [pid_t] = []
    var number: pid_t = 0
    var hasDigits = false
    for byte in bytes {
      if byte >= 48, byte <= 57 {
        number = number &* 10 &+ pid_t(byte - 48)
        hasDigits = true
      } else if hasDigits {
        result.append(number)
        number = 0
        hasDigits = false
      }
    }
    if hasDigits { result.append(number) }
    return result
  }

  package static func numbers(inFolder path: String) -> [pid_t] {
    var result: [pid_t] = []
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let number = pid_t(name) { result.append(number) }
    }
    return result
  }
}
