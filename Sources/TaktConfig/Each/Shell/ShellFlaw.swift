import TaktCore

/// The reason why the words of a shell do not run the command after them.
struct ShellFlaw {
  let message: String
  let hint: String

  /// Nil if they do, or the program is not known.
  init?(of words: [String]) {
    let inner = Wrapper.program(in: words)
    guard let program = inner.first, let option = TextOption(of: program) else { return nil }
    let wrappers = Array(words[..<inner.startIndex])
    switch option.place(in: inner.dropFirst()) {
    case .taken, .unknown: return nil
    case .missing:
      message = "'\(program.shortened)' takes a command only after '\(option.word)'"
      // The name of a shell alone implies `-c`.
      let others = inner.dropFirst().filter { $0 != "-c" && $0 != "--" }
      // Bash wants its long options first.
      var instead = wrappers + [program]
      instead += others.filter { $0.hasPrefix("--") }
      instead += others.filter { !$0.hasPrefix("--") }
      hint = Self.hint(instead + [option.word])
    case .before(let index):
      let text = words[index]
      guard !Self.usesArguments(text) else { return nil }
      message =
        "'\(program.shortened)' runs '\(text.shortened)', the text after '\(option.word)', "
        + "instead of the command"
      hint =
        text.hasPrefix("-")
        ? Self.hint(wrappers + inner.filter { $0 != option.word } + [option.word])
        : Self.hint(Array(words[..<index])) + ", and start the command with that text"
    }
  }

  private static func hint(_ words: [String]) -> String {
    "write \(JobKey.shell): [\(words.map(\.shortened).joined(separator: ", "))]"
  }

  /// True if a text may run the words after it: by `"$@"`, `sys.argv` or `shift`.
  private static func usesArguments(_ text: String) -> Bool {
    ["$@", "$*", "$0", "$1", "${@", "${*", "${0", "${1", "arg", "ARG", "shift", "..."].contains {
      text.contains($0)
    }
  }
}

private struct TextOption {
  enum Place {
    /// The next word is the text.
    case taken
    /// The word at this index is the text.
    case before(Int)
    case missing
    /// The words name a script, which may do anything.
    case unknown
  }

  let letter: Character
  private let isOfShell: Bool
  /// Other words before a text.
  private let others: Set<String>

  var word: String { "-\(letter)" }

  /// Nil for an unknown program.
  init?(of program: String) {
    let name = String(UsualShell.baseName(program).prefix { !$0.isNumber })
    isOfShell = UsualShell.names.contains(name)
    switch name {
    case _ where isOfShell: (letter, others) = ("c", [])
    case "python", "pypy", "csh", "tcsh": (letter, others) = ("c", [])
    case "fish": (letter, others) = ("c", ["--command"])
    case "perl": (letter, others) = ("e", ["-E"])
    case "node", "nodejs": (letter, others) = ("e", ["--eval", "--print", "-p"])
    case "ruby", "lua": (letter, others) = ("e", [])
    case "php": (letter, others) = ("r", ["--run"])
    default: return nil
    }
  }

  func place(in words: ArraySlice<String>) -> Place {
    if isOfShell { return placeInShell(words) }
    if let last = words.last, isOption(last) { return .taken }
    let place = words.firstIndex(where: isOption)
    guard words[..<(place ?? words.endIndex)].allSatisfy({ $0.hasPrefix("-") }) else {
      return .unknown
    }
    return place.map { .before($0 + 1) } ?? .missing
  }

  /// A shell reads all of its options before it takes the text.
  private func placeInShell(_ words: ArraySlice<String>) -> Place {
    var rest = words
    var hasOption = false
    while let word = rest.first, word.hasPrefix("-") || word.hasPrefix("+") {
      rest = rest.dropFirst()
      if word == "--" { break }
      if word.hasPrefix("--") {
        if word == "--rcfile" || word == "--init-file" { rest = rest.dropFirst() }
        continue
      }
      if word.hasPrefix("-"), word.contains(letter) { hasOption = true }
      // The name of an option follows, as in `-euo pipefail`.
      if word.hasSuffix("o") || word.hasSuffix("O") { rest = rest.dropFirst() }
    }
    if rest.isEmpty { return hasOption ? .taken : .missing }
    return hasOption ? .before(rest.startIndex) : .unknown
  }

  /// Letters after which the rest of a word is a value.
  private static let valued = "DFIMWXm"

  /// True if a word is the option, alone or as the last of several, such as `-ne`.
  private func isOption(_ word: String) -> Bool {
    if others.contains(word) { return true }
    return word.hasPrefix("-") && word.last == letter
      && word.dropFirst().allSatisfy {
        $0.isASCII && ($0.isLetter || $0.isNumber) && !Self.valued.contains($0)
      }
  }
}
