import TaktCore

/// A folder of scripts, and the way in which a command starts run-parts for them.
struct ScriptFolder {
  var path: String
  /// Set by `nice` before run-parts; nil without it.
  private(set) var niceness: Int?
  /// The value for `ionice`; nil if the command sets none.
  private(set) var inputOutput: String?

  init(_ path: String) { self.path = path }

  /// Nil for a command that does anything but run the scripts of a folder.
  init?(command: String) {
    guard command.utf8.count <= CommandGuards.lengthMax,
      let start = command.firstRange(of: "run-parts "),
      let path = Self.path(in: command[start.upperBound...])
    else { return nil }
    self.path = path
    // Allowed before it: a change to the root, a guard, priorities, and the path of run-parts.
    var before = command[..<start.lowerBound]
    for folder in ["/usr/bin/", "/bin/"] where before.hasSuffix(folder) {
      before = before.dropLast(folder.count)
      break
    }
    guard before.last.map({ " \t{}();&|".contains($0) }) ?? true else { return nil }
    let lastSign = before.lastIndex { "{}();&|".contains($0) }
    let wrappers = lastSign.map { before[before.index(after: $0)...] } ?? before
    for part in before[..<wrappers.startIndex].split(whereSeparator: { "{}();&|".contains($0) }) {
      let words = part.split { $0 == " " || $0 == "\t" }
      guard words.isEmpty || words == ["cd", "/"] || words == ["test", "-x", "/usr/sbin/anacron"]
      else { return nil }
    }
    guard readWrappers(wrappers.split { $0 == " " || $0 == "\t" }[...]) else { return nil }
  }

  /// The only argument; options that only affect printing are skipped.
  private static func path(in arguments: Substring) -> String? {
    var path: String?
    var rest = arguments
    while !rest.isEmpty {
      let word = rest.prefix { !" \t;)}".contains($0) }
      rest = rest.dropFirst(word.count).drop { $0 == " " || $0 == "\t" }
      if word.isEmpty {
        guard rest.allSatisfy({ " \t;)}".contains($0) }) else { return nil }
        break
      }
      if word == "--report" || word == "-v" || word == "--verbose" { continue }
      guard path == nil, word.hasPrefix("/") else { return nil }
      path = String(word)
    }
    return path
  }

  /// Reads `nice`, `ionice` and their options; false for anything else.
  private mutating func readWrappers(_ words: ArraySlice<Substring>) -> Bool {
    var words = words
    while let word = words.popFirst() {
      switch word.split(separator: "/", omittingEmptySubsequences: false).last {
      case "nice":
        guard let added = Self.added(by: &words) else { return false }
        niceness = min(19, max(-20, (niceness ?? 0) + added))
      case "ionice":
        guard inputOutput == nil, let priority = Self.priority(&words) else { return false }
        inputOutput = priority
      default: return false
      }
    }
    return true
  }

  /// The increment of `nice`: 10, or `-n 5`, `-n5`, `-5`, `--adjustment=5`.
  private static func added(by words: inout ArraySlice<Substring>) -> Int? {
    guard let option = words.first, option.hasPrefix("-") else { return 10 }
    words.removeFirst()
    if option == "-n" { return words.popFirst().flatMap { Int($0) } }
    for lead in ["--adjustment=", "-n", "-"] where option.hasPrefix(lead) {
      return Int(option.dropFirst(lead.count))
    }
    return nil
  }

  /// The priority that `ionice` sets, of a class and an optional level: `-c3`, `-c 2 -n 7`.
  private static func priority(_ words: inout ArraySlice<Substring>) -> String? {
    var values: [Character: Int] = [:]
    while let option = words.first, option.hasPrefix("-") {
      words.removeFirst()
      guard let letter = option.dropFirst().first, letter == "c" || letter == "n" else {
        return nil
      }
      let attached = option.dropFirst(2)
      guard let value = Int(attached.isEmpty ? words.popFirst() ?? "" : attached),
        (0...7).contains(value)
      else { return nil }
      values[letter] = value
    }
    switch values["c"] {
    case 3: return "idle"
    case 2: return "best-effort:\(values["n"] ?? 4)"
    default: return nil
    }
  }

  func setPriorities(of draft: inout JobDraft) {
    if let niceness { draft[.nice] = .word("\(niceness)") }
    if let inputOutput { draft[.inputOutput] = .text(inputOutput) }
  }
}
