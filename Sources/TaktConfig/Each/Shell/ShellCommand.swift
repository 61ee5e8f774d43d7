import TaktCore

/// A simple command of a shell's text: its name and its arguments, without variables set before it.
struct ShellCommand {
  enum Verdict {
    /// The name of the command: never a keyword.
    case name
    /// An argument that the command gets unchanged.
    case argument
    case refused(String)
  }

  private(set) var verdicts: [(word: CommandWord, verdict: Verdict)] = []
  /// The reason why later text may have another meaning.
  private(set) var lastingDoubt: String?

  private let evaluatesVariables: Bool
  private let isWhole: Bool

  /// - Parameters:
  ///   - evaluatesVariables: true if the text may evaluate the value of a variable.
  ///   - isWhole: false if the command may continue.
  init(_ words: ArraySlice<CommandWord>, evaluatesVariables: Bool, isWhole: Bool) {
    (self.evaluatesVariables, self.isWhole) = (evaluatesVariables, isWhole)
    check(words)
    refuseNestedCommands()
  }

  private mutating func check(_ words: ArraySlice<CommandWord>) {
    guard let name = words.first else { return }
    let arguments = words.dropFirst()
    guard let text = name.text else {
      // A word with `/` is always a program.
      guard name.hasSlash || name.innerValues.isEmpty else {
        return add(words, .refused("in a command whose name is not written out"))
      }
      verdicts.append((name, .name))
      return add(
        arguments,
        name.hasSlash ? .argument : .refused("behind the name of a command that is not written out")
      )
    }
    verdicts.append((name, .name))
    switch text {
    // zsh runs `eval` for `{eval`, and any shell for `eva?` if there is a file named `eval`.
    case _
    where name.oddSign != nil && text != "[" || name.hasPattern && !name.hasSlash:
      add(arguments, .refused("behind the name of a command that is not plain"))
    case _ where name.hasSlash: add(arguments, .argument)
    case "command", "exec", "builtin": checkPrefixed(arguments, by: text)
    case "[", "test": checkTest(arguments, text)
    case "printf": checkPrintf(arguments)
    case "for", "select": checkLoop(arguments, text)
    case "set": checkSet(arguments)
    case _ where ShellBuiltins.declaring.contains(text): checkDeclaration(arguments, text)
    case _ where text.hasPrefix("-"), _ where ShellBuiltins.evaluating.contains(text):
      refuseAll(arguments, text)
      if ShellBuiltins.changingSyntax.contains(text) { lastingDoubt = "behind '\(text)'" }
    default: add(arguments, .argument)
    }
  }

  private mutating func add(_ words: ArraySlice<CommandWord>, _ verdict: Verdict) {
    verdicts += words.map { ($0, verdict) }
  }

  private mutating func refuseAll(_ words: ArraySlice<CommandWord>, _ name: String) {
    add(words, .refused("in an argument of the shell's '\(name)'"))
  }

  /// Handles `command`, `exec` and `builtin`, before a command.
  private mutating func checkPrefixed(_ words: ArraySlice<CommandWord>, by name: String) {
    var words = words
    if name == "command", let option = words.first?.text {
      if option == "-v" || option == "-V" { return add(words, .argument) }
      if option == "-p" || option == "--" { verdicts.append((words.removeFirst(), .argument)) }
    }
    if words.first?.text?.hasPrefix("-") == true { return refuseAll(words, name) }
    check(words)
  }

  private static let fileOperators: Set<String> = [
    "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-p", "-r", "-s", "-u", "-w", "-x", "-L", "-O",
    "-G", "-S", "-N", "-n", "-z",
  ]

  /// Accepts `[ ]` in the forms that evaluate nothing: one text, a test of one text or file, and
  /// `=`.
  private mutating func checkTest(_ words: ArraySlice<CommandWord>, _ name: String) {
    var operands = Array(words)
    if name == "[" {
      if operands.last?.text == "]" { operands.removeLast() } else { operands = [] }
    }
    if operands.first?.text == "!" { operands.removeFirst() }
    let isPlain =
      switch operands.count {
      case 1: true
      case 2: operands[0].text.map(Self.fileOperators.contains) ?? false
      case 3: operands[1].text.map(["=", "==", "!="].contains) ?? false
      default: false
      }
    if isPlain, isWhole { add(words, .argument) } else { refuseOwn(words, name) }
  }

  /// Refuses the values of words, but not those of commands in them.
  private mutating func refuseOwn(_ words: ArraySlice<CommandWord>, _ name: String) {
    for word in words {
      var own = word
      own.innerValues = []
      verdicts.append((own, .refused("in an argument of the shell's '\(name)'")))
    }
  }

  /// Accepts a format of texts only: some shells evaluate numbers.
  private mutating func checkPrintf(_ words: ArraySlice<CommandWord>) {
    guard let format = words.first?.text, !format.hasPrefix("-"), Self.hasTextsAlone(format) else {
      return refuseAll(words, "printf")
    }
    add(words, .argument)
  }

  private static func hasTextsAlone(_ format: String) -> Bool {
    var rest = Array(format.utf8)[...]
    while let sign = rest.firstIndex(of: UInt8(ascii: "%")) {
      rest = rest[(sign + 1)...].drop { $0.isDigit || "-.".utf8.contains($0) }
      guard let kind = rest.popFirst(), "sbc%".utf8.contains(kind) else { return false }
    }
    return true
  }

  /// Accepts `for NAME in WORDS`.
  private mutating func checkLoop(_ words: ArraySlice<CommandWord>, _ name: String) {
    guard let variable = words.first?.text, CommandWord.isName(variable.utf8), !evaluatesVariables,
      !ShellBuiltins.evaluatedVariables.contains(variable),
      words.dropFirst().first?.text == "in"
    else { return refuseAll(words, name) }
    add(words, .argument)
  }

  /// Accepts `set -- WORDS`; options other than the usual ones of scripts may change the reading of
  /// later text.
  private mutating func checkSet(_ words: ArraySlice<CommandWord>) {
    var rest = words
    while let word = rest.popFirst() {
      guard let text = word.text else { return doubtSet(words) }
      if text == "--" { return add(words, .argument) }
      guard text.hasPrefix("-") || text.hasPrefix("+"),
        text.dropFirst().allSatisfy({ "aefhmnuvxCET".contains($0) || $0 == "o" })
      else { return doubtSet(words) }
      if text.contains("o"), let option = rest.popFirst() {
        guard let name = option.text, UsualShell.options.contains(name) else {
          return doubtSet(words)
        }
      }
    }
    add(words, .argument)
  }

  private mutating func doubtSet(_ words: ArraySlice<CommandWord>) {
    refuseAll(words, "set")
    lastingDoubt = "behind 'set'"
  }

  /// Accepts `export NAME=VALUE`.
  private mutating func checkDeclaration(_ words: ArraySlice<CommandWord>, _ name: String) {
    let hasOptions = words.contains {
      $0.text.map { $0.hasPrefix("-") || $0.hasPrefix("+") } ?? false
    }
    for word in words {
      if let variable = word.assignedName, !hasOptions, !evaluatesVariables,
        !ShellBuiltins.evaluatedVariables.contains(variable)
      {
        verdicts.append((word, .argument))
      } else {
        refuseAll([word], name)
      }
    }
  }

  /// Programs whose option `-c` takes a command for a shell.
  private static let commandTakers = UsualShell.names.union([
    "su", "runuser", "sg", "flock", "script", "fish", "csh", "tcsh",
  ])

  /// The reader of an argument of a list, which no shell splits.
  static func reader(after words: [String]) -> EachText.Reader {
    guard let start = words.firstIndex(where: { commandTakers.contains(UsualShell.baseName($0)) }),
      let option = words.last, option.hasPrefix("-"),
      option.hasSuffix("c") || option == "--command",
      words.count > start + 1
    else { return .takt }
    return UsualShell.readsText(after: Array(words[start...])) ? .shell : .unknownShell
  }

  /// Refuses values in `sh -c "…"`, which a second shell reads.
  private mutating func refuseNestedCommands() {
    var hasTaker = false
    var isCommandNext = false
    for index in verdicts.indices {
      let word = verdicts[index].word
      guard hasTaker else {
        hasTaker = word.text.map { Self.commandTakers.contains(UsualShell.baseName($0)) } ?? false
        continue
      }
      let lead = String(decoding: word.lead, as: UTF8.self)
      if isCommandNext || lead.hasPrefix("--command")
        || word.text == nil && lead.first == "-" && lead.dropFirst().first != "-"
          && lead.contains("c")
      {
        verdicts[index].verdict = .refused("in a command that another shell reads")
      }
      isCommandNext =
        word.text.map { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.hasSuffix("c") } == true
        || word.text == "--command"
    }
  }
}
