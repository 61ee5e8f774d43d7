import TaktCore

/// A wait for a random time before the work of a command.
struct RandomSleep {
  /// The command without the wait; its shortest time is still in it, as a plain `sleep`.
  private(set) var rest: String
  /// How much longer than the shortest time the wait may be.
  private(set) var seconds: Int
  /// Whether it waits only where the shell has `RANDOM`, which is 0 in others.
  private(set) var needsRandom: Bool

  /// What the shell of a command knows.
  enum Shell {
    /// As dash does: arithmetic, and no `RANDOM`.
    case plain
    /// As bash does: `$RANDOM` and `$[…]`, too.
    case bash
  }

  /// Nil where there is none, and where a wait before the whole command may not be the same.
  init?(in command: String, shell: Shell) {
    // A value that the command sets is no random one, or always the same one.
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
      // In `a && sleep; b`, `b` runs without `a`, too.
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

  /// Whether something in the command may wait for a random time.
  static func isMentioned(in command: String) -> Bool {
    command.utf8.count <= CommandGuards.lengthMax && command.contains("sleep")
      && ["RANDOM", "random.", "/dev/urandom", "/dev/random", "rand(", "rand ", "shuf "]
        .contains { command.contains($0) }
  }

  /// What comes before `bash -c '` at the end; nil where the text does not end so.
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

  /// Whether a command may begin after the text, and nothing in it does any work.
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

  /// The sign after a wait and the command after that; nil where there is no work.
  private static func work(in rest: Substring) -> (sign: String, text: Substring)? {
    let sign = rest.hasPrefix("&&") ? "&&" : ";"
    guard rest.hasPrefix(sign) else { return nil }
    let work = rest.dropFirst(sign.count).drop { $0 == " " || $0 == "\t" }
    let word = work.prefix { !" \t;&|".contains($0) }
    guard let first = work.first, !"&|;)}'\"#\n".contains(first),
      !["fi", "done", "else", "elif", "esac", "then", "do"].contains(word),
      // It may be that of the wait.
      !work.contains("$?")
    else { return nil }
    return (sign, work)
  }
}

extension ImportContext {
  /// What the shell of a job knows; `/bin/sh` is dash on Debian, and bash where cronie is.
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
