/// Shells that read quotes as POSIX says.
enum UsualShell {
  static let names: Set<String> = ["sh", "ash", "bash", "dash", "ksh", "mksh", "zsh"]

  /// Options with names that leave the meaning of a text alone.
  static let options: Set<String> = [
    "allexport", "dotglob", "errexit", "errtrace", "failglob", "functrace", "globstar",
    "inherit_errexit", "lastpipe", "noclobber", "noglob", "nounset", "nullglob", "pipefail",
    "posix", "verbose", "xtrace",
  ]

  static func baseName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The option after which a program takes its text; nil for a program that is not known.
  private static func textOption(of program: String) -> Character? {
    let name = baseName(program).prefix { !$0.isNumber }
    if names.contains(String(name)) { return "c" }
    return switch name {
    case "python", "pypy", "fish", "csh", "tcsh": "c"
    case "perl", "ruby", "node", "nodejs", "lua": "e"
    case "php": "r"
    default: nil
    }
  }

  /// The option that a shell needs before a text, where these words lack it; nil where they have it,
  /// or the program is not known.
  static func missingOption(in words: [String]) -> String? {
    guard let program = words.first, let option = textOption(of: program) else { return nil }
    let hasOption = words.dropFirst().contains { word in
      word.hasPrefix("-") && (word.hasPrefix("--") || word.contains(option))
    }
    return hasOption ? nil : "-\(option)"
  }

  static func isUsual(_ program: String) -> Bool { names.contains(baseName(program)) }

  /// Whether these words start a usual shell that reads the word after them as its text.
  static func readsText(after words: [String]) -> Bool {
    guard let program = words.first, isUsual(program), words.count > 1, let last = words.last,
      isOptions(last), last.hasSuffix("c")
    else { return false }
    var rest = words.dropFirst().dropLast()
    while let word = rest.popFirst() {
      if ["-o", "+o", "-O", "+O"].contains(word) || isOptions(word) && word.hasSuffix("o") {
        guard let name = rest.popFirst(), options.contains(name) else { return false }
      } else if !isOptions(word) || word.contains("c") {
        return false
      }
    }
    return true
  }

  /// Whether a word is options that leave the meaning of a text alone, such as `-euc`.
  private static func isOptions(_ word: String) -> Bool {
    word.utf8.count > 1 && word.hasPrefix("-")
      && word.dropFirst().allSatisfy { "abcefhlmnoprtuvxCET".contains($0) }
  }
}
