/// Where in a shell's text a value stands.
enum ShellContext {
  /// In a text that no shell reads.
  case plain
  /// Outside quotes: the value is quoted as a word of its own.
  case bare
  /// Where quotes of its own would mean something else; why, for people.
  case quoted(String)
}

/// Follows a shell's text from its start, as far as it takes to know whether a place is inside quotes.
///
/// Where it is not certain it says that it is: a value with special characters is then refused.
struct ShellScanner {
  private enum State {
    case bare, single, double, comment
  }

  private var state = State.bare
  private var isEscaped = false
  /// Whether the last character ends a word, so that `#` would begin a comment.
  private var isAtWordStart = true
  private var previous: UInt8 = 0
  /// What makes all that follows uncertain.
  private var doubt: String?
  private var isInBackquotes = false

  var context: ShellContext {
    if let doubt { return .quoted(doubt) }
    if isInBackquotes { return .quoted("inside backquotes") }
    switch state {
    case .bare: return isEscaped ? .quoted("behind a backslash") : .bare
    case .single, .double: return .quoted("inside quotes")
    case .comment: return .quoted("in a comment")
    }
  }

  /// A value stands here: what it has means nothing to the shell.
  mutating func passValue() {
    (isEscaped, isAtWordStart, previous) = (false, false, 0)
  }

  mutating func scan(_ text: Substring) {
    for byte in text.utf8 {
      scan(byte)
      previous = byte
    }
  }

  private mutating func scan(_ byte: UInt8) {
    let isAtWordStart = isAtWordStart
    self.isAtWordStart = " \t\n;&|()".utf8.contains(byte)
    if isEscaped {
      isEscaped = false
      return
    }
    switch (state, byte) {
    case (.comment, UInt8(ascii: "\n")): state = .bare
    case (.comment, _): break
    case (.single, UInt8(ascii: "'")): state = .bare
    case (.single, _): break
    case (_, UInt8(ascii: "\\")): isEscaped = true
    case (_, UInt8(ascii: "`")): isInBackquotes.toggle()
    case (.double, UInt8(ascii: "\"")): state = .bare
    case (.double, UInt8(ascii: "(")) where previous == UInt8(ascii: "$"),
      (.double, UInt8(ascii: "{")) where previous == UInt8(ascii: "$"):
      doubt = "behind an expansion inside quotes"
    case (.double, _): break
    case (.bare, UInt8(ascii: "\"")): state = .double
    case (.bare, UInt8(ascii: "'")):
      if previous == UInt8(ascii: "$") { doubt = "behind $'" }
      state = .single
    case (.bare, UInt8(ascii: "#")) where isAtWordStart: state = .comment
    case (.bare, UInt8(ascii: "<")) where previous == UInt8(ascii: "<"): doubt = "behind <<"
    case (.bare, UInt8(ascii: "{")) where previous == UInt8(ascii: "$"): doubt = "behind ${"
    case (.bare, _): break
    }
  }
}

extension String {
  /// Whether a shell takes it as it stands wherever it stands.
  var isPlainShellWord: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "_./:@%+,-".utf8.contains(byte)
        }
      }
  }

  /// As one word of a POSIX shell.
  var shellQuoted: String {
    if isPlainShellWord { return self }
    let parts = split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
  }
}
