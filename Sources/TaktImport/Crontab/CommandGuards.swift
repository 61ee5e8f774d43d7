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
  private static let lengthMax = 4096

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

  /// The folder whose scripts the command runs, and nothing else; nil for other commands.
  static func folderOfScripts(in command: String) -> String? {
    guard command.utf8.count <= lengthMax,
      let start = range(of: "run-parts ", in: command[...])
    else { return nil }
    var path: String?
    var rest = command[start.upperBound...]
    while !rest.isEmpty {
      let word = rest.prefix { $0 != " " && $0 != "\t" && $0 != ";" && $0 != ")" && $0 != "}" }
      rest = rest.dropFirst(word.count).drop { $0 == " " || $0 == "\t" }
      if word.isEmpty {
        let tail = rest.filter { !" \t;)}".contains($0) }
        guard tail.isEmpty else { return nil }
        break
      }
      if word == "--report" || word == "-v" || word == "--verbose" { continue }
      guard path == nil, word.hasPrefix("/") else { return nil }
      path = String(word)
    }
    // What comes before may be a change to the root, a guard, and the way to the program.
    let before = command[..<start.lowerBound]
      .split { " \t{}();&|".contains($0) }
      .filter {
        !["cd", "/", "test", "-x", "/usr/sbin/anacron", "nice", "-n", "19", "/usr/bin/"].contains(
          $0)
      }
    guard before.isEmpty else { return nil }
    return path
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
