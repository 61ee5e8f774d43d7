import Glibc

/// A call to the system that failed.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call's name.
  public let call: String
  /// The system's error number.
  public let number: Int32

  /// The failure of `call`, with the number that `errno` has now.
  public init(_ call: String, number: Int32 = errno) {
    self.call = call
    self.number = number
  }

  /// `open: No such file or directory`
  public var description: String { "\(call): \(String(cString: strerror(number)))" }
}
