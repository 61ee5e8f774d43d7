import TaktCore

/// A random wait before the work of a command.
struct RandomSleep {
  /// The command without the wait; the shortest time remains, as a plain `sleep`.
  private(set) var rest: String
  /// The longest wait minus the shortest.
  private(set) var seconds: Int
  /// True if the wait depends on `RANDOM`, which is 0 in a plain shell.
  private(set) var needsRandom: Bool

  /// Features of the shell that runs a command.
  enum Shell {
    /// dash and others: arithmetic, but no `RANDOM`.
    case plain
    /// bash: `$RANDOM` and `$[…]`, too.
    case bash
  }

  /// Nil without a random wait, and if a wait before the whole command may have another effect.
  init?(in command: String, shell: Shell) {
    // With an assignment, `RANDOM` is not random, or always the same.
    guard command.utf8.count <= CommandGuards.lengthMax, !command.contains("RANDOM=") else {
      return nil
    }
    for start in command.indices where "/bps".contains(command[start]) {
      let before = command[..<start]
      let inner = Self.withoutBash(before)
      guard Self.isGuard(inner ?? before) else { continue }
      var reader = RandomSleepReader(command[start...], shell: inner == nil ? shell : .bash)
      guard let wait = reader.statement(), inner == nil || !wait.text.contains("'"),
        let (sign, work) = Self.work(in: reader.rest)
      else { continue }
      // In `a && sleep; b`, `b` runs even if `a` fails.
      if sign == ";", (inner ?? before).trimmed.hasSuffix("&&"), inner == nil { continue }
      let end = sign == ";" ? ";" : " &&"
      let shortest = wait.time.least > 0 ? "sleep \(wait.time.least)\(end) " : ""
      rest = String(before) + shortest + work
      seconds = wait.time.span
      needsRandom = wait.needsRandom && shell == .plain && inner == nil
      return
    }
    return nil
  }

  /// True if some part of the command may wait for a random time.
  static func isMentioned(in command: String) -> Bool {
    command.utf8.count <= CommandGuards.lengthMax && command.contains("sleep")
      && ["RANDOM", "random.", "/dev/urandom", "/dev/random", "rand(", "rand ", "shuf "]
        .contains { command.contains($0) }
  }

  /// The text before `bash -c '` at the end; nil for another end.
  private static func withoutBash(_ before: Substring) -> Substring? {
    let lead = "bash -c '"
    guard before.hasSuffix(lead) else { return nil }
    let rest = before.dropLast(lead.count)
    for folder in ["/usr/bin/", "/bin/"] where rest.hasSuffix(folder) {
      return rest.dropLast(folder.count)
    }
    return rest
  }

  private static let guards: Set<Substring> = [
    "test", "[", "[[", "cd", "export", "set", "umask", "ulimit", "true", ":", "exit",
  ]

  /// True if a command can start after the text, and the text does no work.
  private static func isGuard(_ before: Substring) -> Bool {
    let text = before.trimmed
    let isSeparate = before.last == " " || before.last == "\t"
    guard
      text.isEmpty || ["&&", ";", "("].contains(where: text.hasSuffix)
        || isSeparate && ["{", " then", ";then"].contains(where: text.hasSuffix),
      !text.contains("`")
    else { return false }
    return text.split(whereSeparator: { "&|;{}()\n".contains($0) }).allSatisfy { segment in
      let words = segment.split { $0 == " " || $0 == "\t" }
        .drop { ["if", "!", "then"].contains($0) || $0.contains("=") && !$0.hasPrefix("[") }
      return words.first.map { guards.contains($0) } ?? true
    }
  }

  /// The separator after a wait and the command after that; nil if no work follows.
  private static func work(in rest: Substring) -> (sign: String, text: Substring)? {
    let sign = rest.hasPrefix("&&") ? "&&" : ";"
    guard rest.hasPrefix(sign) else { return nil }
    let work = rest.dropFirst(sign.count).drop { $0 == " " || $0 == "\t" }
    let word = work.prefix { !" \t;&|".contains($0) }
    guard let first = work.first, !"&|;)}'\"#\n".contains(first),
      !["fi", "done", "else", "elif", "esac", "then", "do"].contains(word),
      // `$?` may be the status of the wait.
      !work.contains("$?")
    else { return nil }
    return (sign, work)
  }
}

extension ImportContext {
  /// The shell of a job; `/bin/sh` is dash on Debian, and bash on machines with cronie.
  func shell(of job: JobDraft) -> RandomSleep.Shell {
    if case .text(let path)? = job[.shell] {
      return ["bash", "zsh"].contains(path.split(separator: "/").last) ? .bash : .plain
    }
    guard case .link(let target) = tree.kind(of: "/bin/sh", followsLast: false) else {
      return dialect == .cronie ? .bash : .plain
    }
    return target.hasSuffix("bash") ? .bash : .plain
  }
}
