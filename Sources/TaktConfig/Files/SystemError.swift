import Glibc

/// The system's errors as people read them.
enum SystemError {
  /// `No such file or directory`
  static func text(_ number: Int32) -> String {
    // The text is the thread's own or constant, and copied at once.
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
  }
}
