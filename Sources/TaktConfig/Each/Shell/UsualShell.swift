/// Shells with POSIX quoting.
enum UsualShell {
  static let names: Set<String> = ["sh", "ash", "bash", "dash", "ksh", "mksh", "zsh"]

  /// Named options that do not change the meaning of a text.
  static let options: Set<String> = [
    "allexport", "dotglob", "errexit", "errtrace", "failglob", "functrace", "globstar",
    "inherit_errexit", "lastpipe", "noclobber", "noglob", "nounset", "nullglob", "pipefail",
    "posix", "verbose", "xtrace",
  ]

  static func baseName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  static func isUsual(_ program: String) -> Bool { names.contains(baseName(program)) }

  /// True if these words start a usual shell that takes the next word as its text.
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

  /// True for options that do not change the meaning of a text, such as `-euc`.
  private static func isOptions(_ word: String) -> Bool {
    word.utf8.count > 1 && word.hasPrefix("-")
      && word.dropFirst().allSatisfy { "abcefhlmnoprtuvxCET".contains($0) }
  }
}
