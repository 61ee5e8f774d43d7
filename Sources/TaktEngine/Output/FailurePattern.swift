import Glibc

/// A POSIX extended regular expression that a line of standard output may match.
final class FailurePattern {
  /// Owned by this object alone, from `init` to `deinit`.
  private let compiled: UnsafeMutablePointer<regex_t>

  /// Nil when the C library refuses the expression, or has no memory for it, or would see only the
  /// part of it that stands before a NUL.
  convenience init?(_ text: String) {
    guard !text.utf8.contains(0) else { return nil }
    let compiled = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
    compiled.initialize(to: regex_t())
    guard regcomp(compiled, text, REG_EXTENDED | REG_NOSUB) == 0 else {
      compiled.deallocate()
      return nil
    }
    self.init(compiled)
  }

  private init(_ compiled: UnsafeMutablePointer<regex_t>) {
    self.compiled = compiled
  }

  deinit {
    regfree(compiled)
    compiled.deallocate()
  }

  /// Whether the line holds a match; it may hold any bytes.
  func matches(_ line: UnsafeRawBufferPointer) -> Bool {
    // The bounds are given, and nothing reads beyond them; an empty buffer may have no address.
    var bounds = regmatch_t(rm_so: 0, rm_eo: regoff_t(line.count))
    guard let start = line.baseAddress else {
      return regexec(compiled, "", 0, &bounds, REG_STARTEND) == 0
    }
    return regexec(compiled, start.assumingMemoryBound(to: CChar.self), 0, &bounds, REG_STARTEND)
      == 0
  }
}
