/// The first words of a shell command, if they are literal.
enum ShellWord {
  /// Words that are in no folder of `PATH`, or only lead to the program.
  private static let builtins: Set<Substring> = [
    ".", ":", "[", "alias", "bg", "break", "case", "cd", "command", "continue", "declare", "do",
    "echo", "esac", "eval", "exec", "exit", "export", "false", "fg", "fi", "for", "function",
    "getopts", "hash", "if", "jobs", "kill", "let", "local", "mapfile", "popd", "printf", "pushd",
    "pwd", "read", "readonly", "return", "select", "set", "shift", "shopt", "source", "test",
    "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset",
    "until", "wait", "while",
  ]

  static func isShell(_ shell: [String]) -> Bool {
    guard let program = shell.first else { return false }
    return UsualShell.isUsual(program) && shell.last?.hasSuffix("c") == true
  }

  /// Nil if the command starts with anything but a plain word, or with one that the shell knows.
  static func program(of text: String) -> Substring? {
    let rest = start(of: text)
    let word = rest.prefix(while: isPlain)
    guard !word.isEmpty, endsWord(rest[word.endIndex...]), !builtins.contains(word) else {
      return nil
    }
    // It may be a function that the command defines.
    return word.contains("/") || !text.contains("()") ? word : nil
  }

  /// The plain words at the start of the first command, after `cd FOLDER &&`.
  static func words(of text: String) -> [String] {
    // A function may have any name.
    guard !text.contains("()") else { return [] }
    var rest = start(of: text)
    var words: [String] = []
    while true {
      let word = rest.prefix { isPlain($0) || "=:,".contains($0) }
      rest = rest[word.endIndex...]
      guard !word.isEmpty, endsWord(rest) else { break }
      words.append(String(word))
      rest = rest.drop(while: isBlank)
    }
    guard words.count == 2, words[0] == "cd", let sign = rest.first,
      sign == ";" || sign.isNewline || rest.hasPrefix("&&")
    else { return words }
    let inner = Self.words(of: String(rest.drop { "&;".contains($0) }))
    // A relative path is in the other folder.
    return inner.contains { $0.contains("/") && !$0.hasPrefix("/") } ? [] : inner
  }

  /// The first command, without its own variables.
  private static func start(of text: String) -> Substring {
    var rest = text.drop { isBlank($0) || $0.isNewline }
    while rest.hasPrefix("#") {
      rest = rest.drop { !$0.isNewline }.drop { isBlank($0) || $0.isNewline }
    }
    while let next = assignmentEnd(rest) { rest = rest[next...] }
    return rest
  }

  private static func isBlank(_ character: Character) -> Bool {
    character == " " || character == "\t"
  }

  private static func endsWord(_ rest: Substring) -> Bool {
    rest.first.map { " \t;|&><".contains($0) || $0.isNewline } ?? true
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII
      && (character.isLetter || character.isNumber || "_./+-".contains(character))
  }

  /// The rest of the text after `NAME=value` and blanks; nil if it starts otherwise.
  private static func assignmentEnd(_ text: Substring) -> Substring.Index? {
    let name = text.prefix { isPlain($0) && !"./+-".contains($0) }
    var rest = text[name.endIndex...]
    guard !name.isEmpty, rest.popFirst() == "=" else { return nil }
    rest = rest.drop { isPlain($0) || ":,".contains($0) }
    let end = rest.drop(while: isBlank)
    return end.startIndex > rest.startIndex ? end.startIndex : nil
  }
}
