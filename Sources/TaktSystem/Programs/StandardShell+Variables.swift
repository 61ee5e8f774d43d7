extension StandardShell {
  /// True if it is known what becomes of a variable: the shell passes it on as it is, drops it, or
  /// sets it. Otherwise only the shell itself can tell.
  ///
  /// - Parameter value: nil if it is not known yet.
  package func foresees(_ name: String, _ value: String?) -> Bool {
    foresees(name, bytes: value?.utf8)
  }

  /// The same for bytes that need not be text.
  package func foresees(_ name: String, bytes value: (some Collection<UInt8>)?) -> Bool {
    // A shell gives these a value of its own, or takes a function from them, which may have the
    // name of a command.
    if name.hasPrefix("BASH_FUNC_") || Self.ownOfAll.contains(name) { return false }
    switch self {
    case .dash: return true
    case .bash: return Self.bashForesees(name, value.map { String(decoding: $0, as: UTF8.self) })
    }
  }

  private static func bashForesees(
    _ name: String, _ value: @autoclosure () -> String?
  ) -> Bool {
    switch name {
    case "PWD": value().map(isPlainPath) ?? false
    // It counts itself, and takes that back for the command. From 1,000 on it warns.
    case "SHLVL":
      value().map { text in Int(text).map { 0..<999 ~= $0 && String($0) == text } ?? false }
        ?? false
    case "LC_ALL": value().map(localesOfAll.contains) ?? false
    case "BASH_ENV": true
    default:
      !name.isEmpty && !name.hasPrefix("BASH") && !changedByBash.contains(name)
        && name.utf8.allSatisfy { $0 < 0x80 }
    }
  }

  /// True if bash leaves the path as it is when it cleans it up.
  private static func isPlainPath(_ path: String) -> Bool {
    guard path.hasPrefix("/"), path != "/" else { return true }
    return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      .allSatisfy { !["", ".", ".."].contains($0) }
  }

  private static let ownOfAll: Set<String> = ["IFS", "LINENO", "OPTIND", "PPID"]

  /// bash changes or removes them, besides all of its own. It keeps an `OLDPWD` that is a folder.
  private static let changedByBash: Set<String> = [
    "COMP_WORDBREAKS", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "EUID", "FUNCNAME", "GROUPS",
    "HISTCMD", "OLDPWD", "OPTARG", "OPTERR", "POSIXLY_CORRECT", "POSIX_PEDANTIC", "PS1", "PS2",
    "PS4", "RANDOM", "SECONDS", "SHELLOPTS", "SRANDOM", "UID",
  ]

  /// bash warns of a locale that is not installed.
  private static let localesOfAll: Set<String> = ["", "C", "POSIX", "C.UTF-8", "C.utf8"]
}
