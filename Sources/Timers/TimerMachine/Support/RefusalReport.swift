#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes each mistake once to standard error, in debug builds alone.
enum RefusalReport {
  private static let written = Guarded<Set<String>>([])
  /// Takes the sentences instead of standard error, for a test.
  static let reader = Guarded<(@Sendable (String) -> Void)?>(nil)
  /// As many are written at most, so that a program with many timers is not flooded.
  private static let limit = 100

  static func note(_ sentence: String) {
    let reader = reader.withLock { $0 }
    let isNew = written.withLock {
      (reader != nil || $0.count < limit) && $0.insert(sentence).inserted
    }
    guard isNew else { return }
    if let reader { return reader(sentence) }
    let line = "TimerMachine: \(sentence).\n"
    #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
      // The pointer is used within the call alone. `stderr` is a variable that anybody may set.
      _ = line.utf8CString.withUnsafeBytes { write(2, $0.baseAddress, $0.count - 1) }
    #else
      print(line, terminator: "")
    #endif
  }
}
