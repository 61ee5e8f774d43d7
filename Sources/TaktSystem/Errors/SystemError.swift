import CTaktSystem
import Glibc

/// A call to the system that failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  package let call: String
  package let number: Int32

  package init(_ call: String, number: Int32 = errno) {
    self.call = call
    self.number = number
  }

  /// `open: No such file or directory`
  package var description: String { "\(call): \(Self.text(number))" }

  /// True if the process, or the machine, has no descriptor left.
  package var isWantOfDescriptors: Bool { number == EMFILE || number == ENFILE }

  /// The system's words for an error number: `No such file or directory`.
  package static func text(_ number: Int32 = errno) -> String {
    // The buffer outlives the call, which writes at most as many bytes as it has, with a zero at
    // their end.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let start = buffer.baseAddress else { return "error \(number)" }
      return String(cString: csystem_error_text(number, start, buffer.count))
    }
  }
}
