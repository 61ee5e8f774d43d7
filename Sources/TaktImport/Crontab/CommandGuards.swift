/// Parts of crontab commands that do no work: tests for another program, and waits.
enum CommandGuards {
  /// A note about a test that can end the command before it does anything.
  static func note(of command: String) -> String? {
    if command.contains("/run/systemd/system") {
      return
        "this does nothing on a machine with systemd, where a timer does the work: import that timer, "
        + "too"
    }
    if command.contains("-x /usr/sbin/anacron") {
      return "this does nothing where anacron is installed: import /etc/anacrontab there"
    }
    return nil
  }

  /// Longer commands are not examined.
  static let lengthMax = 4096

  /// True if a quote, a backquote or a `$(` is not closed.
  static func isCutShort(_ command: String) -> Bool {
    guard command.utf8.count <= lengthMax else { return false }
    var rest = command.unicodeScalars[...]
    var quote: Unicode.Scalar?
    var backquotes = 0
    // Quotes are counted afresh within `$(`.
    var outer: [Unicode.Scalar?] = []
    while let sign = rest.popFirst() {
      switch sign {
      case "\\" where quote != "'": _ = rest.popFirst()
      case "'" where quote != "\"", "\"" where quote != "'": quote = quote == nil ? sign : nil
      case "`" where quote != "'": backquotes += 1
      case "$" where quote != "'" && rest.first == "(":
        rest.removeFirst()
        outer.append(quote)
        quote = nil
      case ")" where quote == nil: quote = outer.popLast() ?? nil
      default: break
      }
    }
    return quote != nil || !outer.isEmpty || backquotes % 2 == 1
  }

  /// True if the command does nothing but start anacron.
  static func startsAnacron(_ command: String) -> Bool {
    command.contains("/etc/init.d/anacron") || command.contains("invoke-rc.d anacron")
      || command.contains("/usr/sbin/anacron -s") || command.hasSuffix("anacron start >/dev/null")
  }
}
