import TaktCore

/// Recognizes a source by its place, and only then by its content.
struct SourceRecognition {
  let context: ImportContext

  /// Nil for a place that tells nothing.
  func kind(ofPlace path: String) -> SourceKind? {
    let parts = path.split(separator: "/")
    let name = parts.last.map(String.init) ?? ""
    if path.hasSuffix("/etc/crontab") || parts.dropLast().last == "cron.d" { return .cronD }
    if name == "cron.d" || name.hasSuffix(".cron.d") { return .cronD }
    if name == "anacrontab" { return .anacrontab }
    if owner(ofPlace: path) != nil { return .crontab }
    return nil
  }

  /// The crontab's user; nil if the place does not tell.
  func owner(ofPlace path: String) -> String? {
    for folder in ["/var/spool/cron/crontabs/", "/var/spool/cron/"] {
      guard let start = Self.end(of: folder, in: path) else { continue }
      let name = path[start...]
      if !name.isEmpty, !name.contains("/") { return String(name) }
    }
    return nil
  }

  private static func end(of part: String, in text: String) -> String.Index? {
    var start = text.startIndex
    while start < text.endIndex {
      if text[start...].hasPrefix(part) { return text.index(start, offsetBy: part.count) }
      start = text.index(after: start)
    }
    return nil
  }

  /// The kind of a text: a crontab without a user column, unless it clearly is something else.
  func kind(of text: SourceLines, path: String?) -> SourceKind {
    let lines = text.lines.compactMap { line -> String? in
      guard let trimmed = line.trimmed, line.scalars[trimmed.lowerBound] != "#" else { return nil }
      return line.text(trimmed)
    }
    let keys = SourceKeys(lines)
    if keys.isCronJob { return .kubernetes }
    if let kind = Self.kind(of: lines) ?? (keys.isWorkflow ? .github : nil) { return kind }
    if path?.hasSuffix(".yaml") == true || path?.hasSuffix(".yml") == true, lines.contains("jobs:")
    {
      return .yacron
    }
    if lines.contains("[Timer]") || lines.first == "[Unit]" { return .systemd }
    let entries = lines.filter { !Self.isVariable($0) }
    if !entries.isEmpty, entries.allSatisfy(Self.isAnacron) { return .anacrontab }
    noteUsers(entries, text)
    return .crontab
  }

  /// Recognizes files with distinctive contents in any place.
  private static func kind(of lines: [String]) -> SourceKind? {
    guard let first = lines.first else { return nil }
    if first.hasPrefix("<"), lines.contains(where: { $0.contains("<plist") }) { return .launchd }
    if lines.contains(where: Ofelia.isSection) || lines.contains(where: Ofelia.isLabel) {
      return .ofelia
    }
    if first.hasPrefix("{") || first.hasPrefix("["),
      lines.contains(where: { $0.contains("\"executor\"") })
    {
      return .dkron
    }
    return nil
  }

  private static func isVariable(_ line: String) -> Bool {
    guard let sign = line.firstIndex(of: "=") else { return false }
    return !line[..<sign].contains { $0 == " " || $0 == "*" }
      || line[..<sign].trimmed.contains(" ") == false
  }

  /// True for a period, a delay, a name, and a command that is no sixth time field.
  private static func isAnacron(_ line: String) -> Bool {
    let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
    guard words.count >= 4, Int(words[0]) != nil || words[0].hasPrefix("@"), Int(words[1]) != nil,
      words[2].first?.isLetter == true
    else { return false }
    return !words[3].allSatisfy { $0.isNumber || "*,-/".contains($0) }
  }

  /// Adds a note if there seems to be a user column, which is never guessed.
  private func noteUsers(_ entries: [String], _ text: SourceLines) {
    let starts = entries.prefix(100).map { line -> [String] in
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      return words.dropFirst(line.hasPrefix("@") ? 1 : 5).prefix(2).map(String.init)
    }
    guard !starts.isEmpty, starts.allSatisfy({ $0.count == 2 }) else { return }
    let isKnown = !context.accounts.isUnknown
    let sentence =
      if isKnown, starts.allSatisfy({ context.accounts.user(named: $0[0]) != nil }) {
        "each command starts with the name of a user"
      } else if starts.allSatisfy({ mayBeUser($0[0]) && startsCommand($0[1]) }) {
        "each command starts with a word that is no program here, such as '\(starts[0][0])', and "
          + "continues with one"
      } else {
        ""
      }
    guard !sentence.isEmpty else { return }
    context.report.note(
      "\(sentence): if that is a column for the user, import with --from cron.d",
      at: SourceLocation(file: text.file))
  }

  private func mayBeUser(_ word: String) -> Bool {
    ImportAccounts.isName(word) && !word.contains(".") && !CommandName.isKnown(word)
      && !isProgram(word)
  }

  /// True if a command can start with the word, rather than have it as an argument.
  private func startsCommand(_ word: String) -> Bool {
    if word.hasPrefix("/") {
      return context.tree.isExecutable(word) || word.split(separator: "/").contains("bin")
        || [".sh", ".py", ".pl", ".rb", ".php"].contains(where: word.hasSuffix)
    }
    return CommandName.isKnown(word) || isProgram(word)
  }

  private func isProgram(_ word: String) -> Bool {
    ["/usr/local/bin/", "/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"].contains {
      context.tree.isExecutable($0 + word)
    }
  }
}
