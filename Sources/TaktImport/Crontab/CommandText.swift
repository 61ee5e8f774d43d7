import TaktCore

/// The command of a crontab line, with its input.
struct CommandText {
  private(set) var command: String
  /// The text after the first unescaped `%`; nil without one.
  private(set) var input: String?

  /// - Parameter dialect: nil if `%` is an ordinary character.
  init(_ text: String, dialect: CronDialect?) {
    self.command = text
    guard let dialect else { return }
    var scalars = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    var isEscaped = false
    while let scalar = rest.first {
      rest.removeFirst()
      if isEscaped {
        // A backslash is removed before `%`, and by Debian's cron also before another backslash.
        if scalar == "%" || scalar == "\\" && dialect == .debian { scalars.removeLast() }
        scalars.append(scalar)
        isEscaped = false
        continue
      }
      if scalar == "%" {
        input = Self.input(rest)
        break
      }
      isEscaped = scalar == "\\"
      scalars.append(scalar)
    }
    command = String(scalars)
  }

  /// `%` is a line end, `\%` a `%`. The text gets a line end at its end, where cron ignores a
  /// backslash.
  private static func input(_ text: Substring.UnicodeScalarView) -> String {
    var input = String.UnicodeScalarView()
    var isEscaped = false
    var needsLineEnd = false
    for scalar in text {
      if isEscaped, scalar != "%" { input.append("\\") }
      let written: Unicode.Scalar = !isEscaped && scalar == "%" ? "\n" : scalar
      isEscaped = written == "\\"
      if isEscaped { continue }
      input.append(written)
      needsLineEnd = written != "\n"
    }
    if isEscaped { input.append("\\") }
    if needsLineEnd { input.append("\n") }
    return String(input)
  }

  /// The rest of a crontab line with which cron runs this command with this input; nil if there is
  /// none.
  ///
  /// - Parameter input: with a line end, or empty.
  static func line(_ command: String, input: String, dialect: CronDialect) -> String? {
    var line = String.UnicodeScalarView()
    var rest = command.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "%" { line.append("\\") }
      line.append(scalar)
      guard scalar == "\\", dialect == .debian else { continue }
      let next = rest.first ?? (input.isEmpty ? "." : "%")
      if next == "\\" || next == "%" { line.append("\\") }
    }
    if !input.isEmpty {
      // cron adds a line end to a line without one.
      var scalars = input.unicodeScalars
      if scalars.last == "\n", let previous = scalars.dropLast().last, previous != "\n" {
        scalars.removeLast()
      }
      line.append("%")
      line.append(
        contentsOf: String(scalars).replacing("%", by: "\\%").replacing("\n", by: "%")
          .unicodeScalars)
    }
    let text = String(line)
    let read = CommandText(text, dialect: dialect)
    let isRead =
      Array(read.command.utf8) == Array(command.utf8)
      && Array((read.input ?? "").utf8) == Array(input.utf8)
    return isRead ? text : nil
  }
}

extension CommandText {
  /// An equivalent that takt runs: takt refuses a text of white space alone. The shell does nothing
  /// for blanks, and looks for a program of that name otherwise.
  static func runnable(_ command: String) -> String {
    guard command.allSatisfy(\.isWhitespace) else { return command }
    let word = command.unicodeScalars.drop { SourceLine.isBlank($0) || $0 == "\n" }
    guard let first = word.first else { return ":" }
    return "'\(first)'" + String(word.dropFirst())
  }

  var suggestedName: String {
    CommandName(RandomSleep(in: command, shell: .bash)?.rest ?? command).text
  }
}
