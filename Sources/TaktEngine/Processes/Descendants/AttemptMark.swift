import Glibc
import TaktSystem

/// An environment variable that identifies the attempt of a process, because descendants inherit
/// it.
///
/// `TAKT_RUN` would not do: in a hook it is the run that the hook is for, and in a job of a daemon
/// within a job of takt the number could equal that of a run out here. A mark alone proves nothing,
/// since environments are passed on: a process belongs to an attempt only if takt has adopted it as
/// well.
enum AttemptMark {
  /// A new mark: 128 random bits that cannot be guessed.
  static func make() -> String {
    var bits: [UInt8] = Array(repeating: 0, count: 16)
    guard getentropy(&bits, bits.count) == 0 else {
      return DaemonProcess.randomWord() + DaemonProcess.randomWord()
    }
    return String(unsafeUninitializedCapacity: 2 * bits.count) { digits in
      // The capacity is exactly two digits for each byte.
      for (index, byte) in bits.enumerated() {
        digits[2 * index] = Self.digit(byte >> 4)
        digits[2 * index + 1] = Self.digit(byte & 15)
      }
      return 2 * bits.count
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  /// Bytes of an environment that are searched for the mark, which is at the start unless a program
  /// has sorted its environment.
  private static let environmentBytesMax = 262_144

  private static let prefix = Array("\(TaktVariable.attemptMark.rawValue)=".utf8)

  enum Finding: Equatable {
    case mark(String)
    /// It has an environment without a mark.
    case unmarked
    /// It shows no environment: it has cleared it, it is just executing another program, or it has
    /// become another user's.
    case nothing
  }

  /// The first mark in the environment of a process.
  ///
  /// The kernel reads the environment from the process's own memory, and returns nothing if that is
  /// mapped from a file: no process can make this wait for a file system.
  static func of(_ pid: pid_t) -> Finding {
    guard
      let bytes = SmallFile.head("/proc/\(pid)/environ", bytesMax: environmentBytesMax),
      !bytes.isEmpty
    else { return .nothing }
    return marks(in: bytes).first.map(Finding.mark) ?? .unmarked
  }

  /// All marks of a process, because a program may put one environment after another.
  static func all(of pid: pid_t) -> [String] {
    SmallFile.head("/proc/\(pid)/environ", bytesMax: environmentBytesMax).map(marks) ?? []
  }

  private static func marks(in environment: [UInt8]) -> [String] {
    environment.split(separator: 0).lazy.filter { $0.starts(with: prefix) }
      .map { String(decoding: $0.dropFirst(prefix.count), as: UTF8.self) }
  }
}
