import TaktCore
import TaktTime

/// Turns programs at the start and at the end of a command into equivalent keys.
///
/// In case of doubt, the program stays in the command.
struct Idioms {
  /// True for a folder to which no link leads.
  let isFolder: (String) -> Bool
  /// True if another command, or another part of this one, names the same file.
  let isShared: (String) -> Bool

  /// - Returns: a sentence for each program removed from the command.
  func apply(to draft: inout JobDraft) -> [String] {
    guard case .text(let command)? = draft[.run], Self.hasPlainShell(draft),
      var parts = CommandParts.parts(of: command)
    else { return [] }
    var sentences: [String] = []
    if parts.count > 1, let folder = CommandParts.folder(of: parts[0]), isFolder(folder) {
      draft[.directory] = .text(folder)
      parts.removeFirst()
      sentences.append("'cwd' takes the place of cd")
    }
    if parts.count > 1, let last = parts.last,
      !parts.contains(where: CommandParts.steersShell),
      let url = PingCommand.url(of: last, isMailed: draft[.onSuccess] != nil), !Self.hasProxy(draft)
    {
      parts.removeLast()
      Self.addPing(url, to: &draft)
      sentences.append("a hook pings after a success; 'takt status' names one that fails")
    }
    if parts.count == 1 {
      while let sentence = takeOff(&parts[0], &draft) { sentences.append(sentence) }
    }
    if !sentences.isEmpty { draft[.run] = .text(parts.joined(separator: " && ")) }
    return sentences
  }

  private static func hasPlainShell(_ draft: JobDraft) -> Bool {
    guard case .text(let shell)? = draft[.shell] else { return draft[.shell] == nil }
    return ["sh", "bash", "dash", "ksh", "zsh"].contains(shell.split(separator: "/").last ?? "")
  }

  /// True if a program of the job would use a proxy, while takt has its own setting.
  private static func hasProxy(_ draft: JobDraft) -> Bool {
    guard case .map(let variables)? = draft[.environment] else { return false }
    return variables.contains { $0.key.lowercased().hasSuffix("_proxy") }
  }

  private static func addPing(_ url: String, to draft: inout JobDraft) {
    let ping = DraftValue.mapping([
      "use": .word("ping"), "with": .mapping(["url": .text(url), "output": .word("false")]),
    ])
    draft[.onSuccess] = draft[.onSuccess].map { DraftValue.list([$0, ping]) } ?? ping
  }

  /// Removes the program at the start of a command that starts another one.
  private func takeOff(_ text: inout String, _ draft: inout JobDraft) -> String? {
    guard let command = SimpleCommand(text),
      let name = command.words[0].split(separator: "/").last.map(String.init)
    else { return nil }
    var changed = draft
    let rest: String?
    let sentence: String
    switch name {
    case "flock":
      rest = lock(command, &changed)
      sentence =
        "'overlap: skip' takes the place of flock: it keeps runs of this job apart, and no other "
        + "program from the lock, and a program that is missing has the status 127"
    case "timeout":
      rest = Self.limit(command.words, &changed).flatMap(command.dropping)
      sentence =
        "'timeout' takes the place of timeout: its signal goes to all processes of the run, "
        + "and a run that it ends has the status 124"
    case "nice":
      rest = Self.nice(command.words, &changed).flatMap(command.dropping)
      sentence = "'nice' takes the place of nice"
    case "ionice":
      rest = Self.ionice(command.words, &changed).flatMap(command.dropping)
      sentence = "'ionice' takes the place of ionice"
    default: return nil
    }
    guard let rest else { return nil }
    draft = changed
    text = rest
    return sentence
  }

  // MARK: flock

  /// `overlap: skip` is equivalent only to a lock of the job's own for which nothing waits.
  private func lock(_ command: SimpleCommand, _ draft: inout JobDraft) -> String? {
    let words = command.words
    var index = 1
    var isWaiting = true
    /// True if the started command does not inherit the lock.
    var isOwn = false
    while index < words.count, words[index].hasPrefix("-") {
      switch words[index] {
      case "-n", "--nb", "--nonblock", "-xn", "-nx", "-en", "-ne": isWaiting = false
      case "-x", "-e", "--exclusive": break
      case "-o", "--close": isOwn = true
      case "-E", "--conflict-exit-code": index += 1
      default: return nil
      }
      index += 1
    }
    guard !isWaiting, index + 1 < words.count, words[index].hasPrefix("/"),
      !words[index].hasSuffix("/"), !isShared(words[index]),
      // The shell empties such a file before flock starts.
      !command.emptiesFile, [.word("allow"), .word("skip")].contains(draft[.overlap]),
      // A background process keeps the lock after the run.
      isOwn || !words[(index + 1)...].contains(where: CommandParts.mayGoOn)
    else { return nil }
    draft[.overlap] = .word("skip")
    index += 1
    guard ["-c", "--command"].contains(words[index]) else { return command.dropping(index) }
    guard words.count == index + 2, !words[index + 1].allSatisfy(\.isWhitespace),
      command.redirections.isEmpty || PlainCommand.words(of: words[index + 1]) != nil
    else { return nil }
    return ([words[index + 1]] + command.redirections).joined(separator: " ")
  }

  // MARK: timeout

  private static let signals = [
    "TERM": "TERM", "15": "TERM", "INT": "INT", "2": "INT", "HUP": "HUP", "1": "HUP",
    "QUIT": "QUIT", "3": "QUIT", "KILL": "KILL", "9": "KILL", "USR1": "USR1", "USR2": "USR2",
  ]

  /// - Returns: the number of words to remove.
  private static func limit(_ words: [String], _ draft: inout JobDraft) -> Int? {
    guard draft[.timeout] == nil else { return nil }
    // Without `-k`, timeout waits for a command that ignores its signal.
    var grace = DurationText.format(StopPolicy.endlessGrace)
    var signal = "TERM"
    var index = 1
    while index < words.count, words[index].hasPrefix("-") {
      var parts = words[index].split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count == 1 {
        index += 1
        guard index < words.count else { return nil }
        parts.append(words[index])
      }
      switch parts[0] {
      case "-k", "--kill-after":
        guard let time = duration(parts[1]) else { return nil }
        grace = DurationText.format(time)
      case "-s", "--signal":
        let name = parts[1].hasPrefix("SIG") ? String(parts[1].dropFirst(3)) : parts[1]
        guard let known = signals[name] else { return nil }
        signal = known
      default: return nil
      }
      index += 1
    }
    guard index < words.count, let time = duration(words[index]) else { return nil }
    draft[.timeout] = .word(DurationText.format(time))
    draft.set(.kill, "grace", .word(grace))
    if signal != "TERM" { draft.set(.kill, "signal", .word(signal)) }
    return index + 1
  }

  /// A number with an optional unit, seconds by default; nil for anything else, and for no limit.
  private static func duration(_ text: String) -> Duration? {
    var digits = text[...]
    var scale = 1000.0
    if let last = digits.last, let unit = ["s": 1.0, "m": 60, "h": 3600, "d": 86400][last] {
      digits.removeLast()
      scale = unit * 1000
    }
    guard digits.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }),
      let number = Double(digits), number * scale >= 1, number * scale <= 31_536_000_000
    else { return nil }
    return .milliseconds(Int64(number * scale))
  }

  // MARK: Priorities

  private static func nice(_ words: [String], _ draft: inout JobDraft) -> Int? {
    guard draft[.nice] == nil, words.count > 1 else { return nil }
    var number = "10"
    var index = 1
    if words[1] == "-n" || words[1] == "--adjustment" {
      guard words.count > 2 else { return nil }
      number = words[2]
      index = 3
    } else if words[1].hasPrefix("--adjustment=") || words[1].hasPrefix("-n") {
      number = String(words[1].dropFirst(words[1].hasPrefix("-n") ? 2 : 13))
      index = 2
    } else if words[1].hasPrefix("-") {
      number = String(words[1].dropFirst())
      index = 2
    }
    guard let value = Int(number), (0...19).contains(value) else { return nil }
    draft[.nice] = .word("\(value)")
    return index
  }

  private static func ionice(_ words: [String], _ draft: inout JobDraft) -> Int? {
    guard draft[.inputOutput] == nil else { return nil }
    var kind = "2"
    var level = "4"
    var index = 1
    while index < words.count, words[index].hasPrefix("-") {
      var option = words[index]
      if option == "-t" || option == "--ignore" {
        index += 1
        continue
      }
      var value = ""
      if option == "-c" || option == "-n" {
        index += 1
        guard index < words.count else { return nil }
        value = words[index]
      } else if option.hasPrefix("-c") || option.hasPrefix("-n") {
        value = String(option.dropFirst(2))
        option = String(option.prefix(2))
      } else {
        return nil
      }
      if option == "-c" { kind = value } else { level = value }
      index += 1
    }
    guard index > 1, let number = Int(level), (0...7).contains(number) else { return nil }
    switch kind {
    case "3", "idle": draft[.inputOutput] = .word("idle")
    case "2", "best-effort": draft[.inputOutput] = .word("best-effort:\(number)")
    default: return nil
    }
    return index
  }
}
