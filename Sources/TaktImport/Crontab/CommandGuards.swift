/// What commands of crontabs do beside their work: look whether something else does it, and wait.
enum CommandGuards {
  /// A note about a test by which the command may end without doing anything.
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

  /// Commands that are longer are not looked into.
  static let lengthMax = 4096

  /// Whether a quote, a backquote or a `$(` of the command does not end.
  static func isCutShort(_ command: String) -> Bool {
    guard command.utf8.count <= lengthMax else { return false }
    var rest = command.unicodeScalars[...]
    var quote: Unicode.Scalar?
    var backquotes = 0
    // Quotes begin anew within `$(`.
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

  /// Whether all that the command does is to start anacron.
  static func startsAnacron(_ command: String) -> Bool {
    command.contains("/etc/init.d/anacron") || command.contains("invoke-rc.d anacron")
      || command.contains("/usr/sbin/anacron -s") || command.hasSuffix("anacron start >/dev/null")
  }
}
