import TaktCore

/// The command of a crontab's line, and what else it says.
struct CommandText {
  /// For the shell.
  private(set) var command: String
  /// What follows the first `%` that is not escaped; nil where there is none.
  private(set) var input: String?

  /// - Parameter dialect: nil where a `%` is a character like others.
  init(_ text: String, dialect: CronDialect?) {
    self.command = text
    guard let dialect else { return }
    var scalars = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    var isEscaped = false
    while let scalar = rest.first {
      rest.removeFirst()
      if isEscaped {
        // The backslash goes before a `%`, and in Debian's cron before another one, too.
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

  /// `%` is a line end, `\%` a `%`; text ends with a line end, behind whose last one cron does not count
  /// a backslash.
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

  /// What a line of a crontab says so that cron runs this command with this input; nil where no line
  /// says it.
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
  /// What the shell does the same with, and takt runs: a text of white space alone is none for takt.
  /// The shell does nothing where that is blanks, and looks for a program of that name otherwise.
  static func runnable(_ command: String) -> String {
    guard command.allSatisfy(\.isWhitespace) else { return command }
    let word = command.unicodeScalars.drop { SourceLine.isBlank($0) || $0 == "\n" }
    guard let first = word.first else { return ":" }
    return "'\(first)'" + String(word.dropFirst())
  }

  /// A name for the job.
  var suggestedName: String {
    CommandName(RandomSleep(in: command, shell: .bash)?.rest ?? command).text
  }
}
