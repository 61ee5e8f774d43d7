import Glibc
import TaktCore
import TaktSystem

/// How a process says which attempt it descends from: by an environment variable that descendants
/// inherit.
///
/// Not by `TAKT_RUN`: of a hook that is the run that it is for, and of a job of a takt within takt
/// the number would be the same as of some run out here. A mark alone proves nothing, since others
/// hand environments on: a process is an attempt's only if takt has adopted it as well.
enum AttemptMark {
  /// A new mark: 128 random bits that nobody can guess.
  static func make() -> String {
    var bits: [UInt8] = Array(repeating: 0, count: 16)
    // One call for all of them.
    guard getentropy(&bits, bits.count) == 0 else {
      return DaemonProcess.randomWord() + DaemonProcess.randomWord()
    }
    return String(unsafeUninitializedCapacity: 2 * bits.count) { digits in
      // Twice as many digits as bytes, which is what there is room for.
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

  /// How much of an environment is looked through for the mark, which stands at its beginning
  /// unless a program has put it in an order of its own.
  private static let environmentBytesMax = 262_144

  private static let prefix = Array("\(TaktVariable.attemptMark.rawValue)=".utf8)

  /// What a process's environment says.
  enum Finding: Equatable {
    case mark(String)
    /// It has an environment, and no mark in it.
    case unmarked
    /// It shows no environment: it has cleared it, it is just executing another program, or it has
    /// become another user's.
    case nothing
  }

  /// The mark that a process bears.
  ///
  /// The kernel reads the environment from the process's own memory, and gives nothing where that
  /// lies in a file: nobody can make this wait for a file system.
  static func of(_ pid: pid_t) -> Finding {
    guard
      let bytes = SmallFile.head("/proc/\(pid)/environ", bytesMax: environmentBytesMax),
      !bytes.isEmpty
    else { return .nothing }
    return marks(in: bytes).first.map(Finding.mark) ?? .unmarked
  }

  /// All marks that a process bears, where a program has put one environment behind another.
  static func all(of pid: pid_t) -> [String] {
    SmallFile.head("/proc/\(pid)/environ", bytesMax: environmentBytesMax).map(marks) ?? []
  }

  private static func marks(in environment: [UInt8]) -> [String] {
    environment.split(separator: 0).lazy.filter { $0.starts(with: prefix) }
      .map { String(decoding: $0.dropFirst(prefix.count), as: UTF8.self) }
  }
}
