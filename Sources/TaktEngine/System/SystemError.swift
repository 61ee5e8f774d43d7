import Glibc

/// A call to the system that failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call's name.
  package let call: String
  /// The system's error number.
  package let number: Int32

  /// The failure of `call`, with the number that `errno` has now.
  package init(_ call: String, number: Int32 = errno) {
    self.call = call
    self.number = number
  }

  /// `open: No such file or directory`
  package var description: String { "\(call): \(String(cString: strerror(number)))" }
}
