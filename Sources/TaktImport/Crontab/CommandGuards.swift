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

  /// A random sleep before the work.
  struct Sleep {
    /// The command without it.
    var rest: String
    var seconds: Int
  }

  /// `perl -e 'sleep int(rand(3600))' &&`, `sleep $((RANDOM % 3600));`
  static func sleep(in command: String) -> Sleep? {
    guard command.utf8.count <= lengthMax else { return nil }
    for (lead, tail) in [
      ("perl -e 'sleep int(rand(", "))'"), ("perl -e \"sleep int(rand(", "))\""),
      ("sleep $((RANDOM % ", "))"), ("sleep $(($RANDOM % ", "))"), ("sleep $(( RANDOM % ", " ))"),
      ("sleep $(( $RANDOM % ", " ))"), ("sleep $((RANDOM%", "))"), ("sleep $[RANDOM % ", "]"),
      ("sleep $[ $RANDOM % ", " ]"),
    ] {
      guard let start = range(of: lead, in: command[...]) else { continue }
      let digits = command[start.upperBound...].prefix { $0.isASCII && $0.isNumber }
      guard let number = Int(digits), number > 0, number <= 31_536_000,
        command[digits.endIndex...].hasPrefix(tail)
      else { continue }
      var rest = command[digits.endIndex...].dropFirst(tail.count)
      var seconds = number
      if let unit = rest.first, let scale = ["s": 1, "m": 60, "h": 3600][unit] {
        seconds *= scale
        rest.removeFirst()
      }
      while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
      guard rest.hasPrefix("&&") || rest.hasPrefix(";") else { continue }
      rest = rest.dropFirst(rest.hasPrefix(";") ? 1 : 2)
      while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
      guard !rest.isEmpty else { continue }
      return Sleep(rest: String(command[..<start.lowerBound] + rest), seconds: seconds)
    }
    return nil
  }

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

  private static func range(of part: String, in text: Substring) -> Range<Substring.Index>? {
    var start = text.startIndex
    while start < text.endIndex {
      if text[start...].hasPrefix(part) {
        return start..<text.index(start, offsetBy: part.count)
      }
      start = text.index(after: start)
    }
    return nil
  }
}
