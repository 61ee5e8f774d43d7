import TaktCore

/// Commands of programs that only `&&` joins.
enum CommandParts {
  /// Nil for a command with anything else between its programs.
  static func parts(of command: String) -> [String]? {
    var parts: [String] = []
    var current = String.UnicodeScalarView()
    var quote: Unicode.Scalar?
    var rest = command.unicodeScalars[...]
    while let sign = rest.popFirst() {
      switch sign {
      case "\\" where quote != "'":
        guard let next = rest.popFirst(), next != "\n" else { return nil }
        current.append(contentsOf: [sign, next])
        continue
      case "'" where quote != "\"", "\"" where quote != "'": quote = quote == nil ? sign : nil
      case "`" where quote != "'", "$" where quote != "'" && rest.first == "(": return nil
      case "&" where quote == nil && rest.first == "&":
        rest.removeFirst()
        parts.append(String(current))
        current = String.UnicodeScalarView()
        continue
      case "&" where quote == nil:
        // `2>&1`; dash takes the `&` of `&>file` for the end of a command.
        guard current.last == ">" else { return nil }
      case ";", "|", "\n", "(", ")", "{", "}", "#", "!":
        if quote == nil { return nil }
      default: break
      }
      current.append(sign)
    }
    parts = (parts + [String(current)]).map { trimmed($0) }
    return quote != nil || parts.contains("") ? nil : parts
  }

  private static func trimmed(_ text: String) -> String {
    var scalars = text.unicodeScalars[...]
    while let first = scalars.first, first == " " || first == "\t" { scalars.removeFirst() }
    while let last = scalars.last, last == " " || last == "\t" { scalars.removeLast() }
    return String(scalars)
  }

  /// The folder of a `cd` to a plain absolute path.
  static func folder(of part: String) -> String? {
    let words = part.split { $0 == " " || $0 == "\t" }.map(String.init)
    guard words.count == 2, words[0] == "cd", words[1].hasPrefix("/"), isPlainPath(words[1]),
      !words[1].split(separator: "/").contains("..")
    else { return nil }
    return words[1]
  }

  static func isPlainPath(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "/._+@%:,-".utf8.contains($0) }
  }

  /// True if the part may end the shell, or change how it proceeds.
  static func steersShell(_ part: String) -> Bool {
    let word = part.prefix { $0 != " " && $0 != "\t" }
    return [
      "exec", "exit", "return", "eval", ".", "source", "trap", "set", "time", "command", "builtin",
      "wait", "if", "while", "until", "for", "case",
    ].contains(String(word))
  }

  /// True if a process of the text may outlive it. Looks into quotes, which may contain a text for
  /// another shell.
  static func mayGoOn(_ text: String) -> Bool {
    var rest = text.unicodeScalars[...]
    var last: Unicode.Scalar?
    while let sign = rest.popFirst() {
      if sign == "&" {
        if rest.first == "&" {
          rest.removeFirst()
        } else if last != ">" && last != "<" {
          return true
        }
      }
      last = sign
    }
    let words = text.split { " \t\n;&|(){}<>'\"`=".contains($0) }
    return words.contains { word in
      word.split(separator: "/").last.map { leavers.contains(String($0)) } ?? false
    }
  }

  /// Programs and options that leave processes in the background, and words that run values as
  /// commands.
  private static let leavers: Set<String> = [
    "setsid", "nohup", "disown", "bg", "coproc", "daemon", "daemonize", "start-stop-daemon",
    "screen", "tmux", "at", "batch", "eval", "--daemon", "--daemonize", "--background", "--detach",
    "--fork",
  ]
}

/// A program with plain words, followed by redirections.
struct SimpleCommand {
  /// As passed to the program.
  let words: [String]
  let redirections: [String]
  /// The command without the redirections.
  private let text: String

  /// Nil for anything else.
  init?(_ part: String) {
    var tokens = part.split { $0 == " " || $0 == "\t" }
    var redirections: [String] = []
    while let last = tokens.last {
      if Self.isRedirection(last) {
        redirections.insert(String(last), at: 0)
        tokens.removeLast()
      } else if tokens.count > 1, Self.signs.contains(String(tokens[tokens.count - 2])),
        CommandParts.isPlainPath(String(last))
      {
        redirections.insert("\(tokens[tokens.count - 2]) \(last)", at: 0)
        tokens.removeLast(2)
      } else {
        break
      }
    }
    guard let last = tokens.last else { return nil }
    text = String(part[..<last.endIndex])
    guard let words = PlainCommand.words(of: text) else { return nil }
    self.words = words
    self.redirections = redirections
  }

  private static let signs: Set<String> = [">", ">>", "1>", "1>>", "2>", "2>>", "<"]

  private static func isRedirection(_ token: Substring) -> Bool {
    if token == "2>&1" || token == "1>&2" || token == ">&2" { return true }
    let target = token.drop { "12<>".contains($0) }
    return signs.contains(String(token[..<target.startIndex]))
      && CommandParts.isPlainPath(String(target))
  }

  /// True if a file is emptied before the program starts.
  var emptiesFile: Bool {
    redirections.contains {
      !$0.hasPrefix("<") && !$0.contains(">>") && !$0.contains(">&") && !$0.hasSuffix("/dev/null")
    }
  }

  /// The command from a later word on; nil if that is no simple command.
  func dropping(_ count: Int) -> String? {
    let tokens = text.split { $0 == " " || $0 == "\t" }
    guard tokens.count > count,
      tokens.prefix(count).map(String.init) == Array(words.prefix(count))
    else { return nil }
    let rest = String(text[tokens[count].startIndex...])
    guard PlainCommand.words(of: rest) != nil else { return nil }
    return ([rest] + redirections).joined(separator: " ")
  }
}

/// A command that reports a success to healthchecks.io.
enum PingCommand {
  /// Nil for another command.
  ///
  /// - Parameter isMailed: true if cron would mail its output.
  static func url(of part: String, isMailed: Bool) -> String? {
    guard let command = SimpleCommand(part), let program = command.words.first else { return nil }
    let isCurl = program == "curl" || program.hasSuffix("/curl")
    guard isCurl || program == "wget" || program.hasSuffix("/wget") else { return nil }
    var isSilent = command.redirections.contains {
      $0.hasSuffix("/dev/null") && !$0.hasPrefix("2") && !$0.hasPrefix("<")
    }
    guard command.redirections.allSatisfy({ $0.hasSuffix("/dev/null") || $0 == "2>&1" }) else {
      return nil
    }
    var url: String?
    var words = command.words.dropFirst()
    while let word = words.popFirst() {
      if !word.hasPrefix("-") {
        guard url == nil else { return nil }
        url = word
      } else if word == (isCurl ? "-o" : "-O") || isCurl && word == "--output" {
        guard words.popFirst() == "/dev/null" else { return nil }
        isSilent = true
      } else if (isCurl ? curlValues : ["-T", "-t"]).contains(word) {
        guard words.popFirst() != nil else { return nil }
      } else {
        guard isCurl ? isCurlFlag(word) : ["-q", "--quiet"].contains(word) else { return nil }
      }
    }
    // wget writes a file.
    guard isSilent || isCurl && !isMailed else { return nil }
    return url.flatMap(check)
  }

  private static let curlValues: Set<String> = [
    "-m", "--max-time", "--retry", "--connect-timeout", "--retry-delay", "--retry-max-time",
  ]

  private static func isCurlFlag(_ word: String) -> Bool {
    ["--fail", "--silent", "--show-error", "--location", "--retry-connrefused"].contains(word)
      || !word.hasPrefix("--") && word.dropFirst().allSatisfy { "fsSL46".contains($0) }
  }

  /// Accepts the URL of a success, such as `https://hc-ping.com/UUID`.
  private static func check(_ word: String) -> String? {
    let url = word.hasPrefix("hc-ping.com/") ? "http://" + word : word
    guard let scheme = ["https://", "http://"].first(where: url.hasPrefix) else { return nil }
    let parts = url.dropFirst(scheme.utf8.count).split(separator: "/")
    guard parts.count == 2 || parts.count == 3, parts[0] == "hc-ping.com",
      parts.dropFirst().allSatisfy({ part in
        part.utf8.allSatisfy {
          $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
      }), let last = parts.last, !["start", "fail", "log"].contains(last), Int(last) == nil
    else { return nil }
    return url
  }
}
