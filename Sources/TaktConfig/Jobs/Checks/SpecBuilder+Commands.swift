import TaktCore

/// Commands with syntax that nothing reads.
extension SpecBuilder {
  func warnOfCommands(of raw: RawJob) {
    eachCommand(of: raw) { field, owner in
      switch field.value {
      case .text(let text): checkText(text, at: field.mark, owner: owner)
      case .list(let items):
        for item in items {
          if let text = item.value.text { checkText(text, at: item.mark, owner: owner) }
        }
        checkWords(items, owner: owner)
      default: break
      }
    }
  }

  /// Most commands are plain, which a scan of their bytes shows.
  private func checkText(_ text: String, at mark: YAMLMark, owner: KeyOwner) {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 >= 0x80 }) else { return }
    checkPlaceholders(in: text, at: mark)
    checkInvisible(text, at: mark, owner: owner)
  }

  /// Characters in every name that is more than a name.
  private static func isSign(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "|"), UInt8(ascii: ">"), UInt8(ascii: "<"), UInt8(ascii: ";"),
      UInt8(ascii: "&"), UInt8(ascii: "$"), UInt8(ascii: " "):
      true
    default: false
    }
  }

  /// True if a program's name is more than a name.
  static func isForShell(_ program: String) -> Bool {
    guard program.utf8.contains(where: isSign) else { return false }
    return program.contains { "|><;&$".contains($0) }
      || program.contains(" ") && !program.hasPrefix("/") || program.contains(" -")
  }

  /// A list runs without a shell, so that a pipe has no meaning in it.
  private func checkWords(_ items: [KeyValue.Located], owner: KeyOwner) {
    guard let first = items.first, let program = first.value.text else { return }
    let texts = items.map { $0.value.text ?? "" }
    if let place = Self.shellWord(in: texts) {
      reporter.report(
        .suspicious, severity: .warning, at: items[place].mark,
        "a list runs without a shell: '\(texts[place])' is an argument",
        hint: "write the command as one text: \(JobKey.run): \(Self.line(of: texts))",
        owner: owner)
    } else if Self.isForShell(program) {
      reporter.report(
        .suspicious, severity: .warning, at: first.mark,
        "a list runs without a shell: '\(program.shortened)' is the name of a program",
        hint: items.count == 1
          ? "write it without brackets: \(JobKey.run): \(Self.quoted(program.shortened))"
          : "make each word an item, or write the command as one text", owner: owner)
    }
  }

  private static let shellWords: Set<String> = [
    "|", "||", "&&", ";", "&", ">", ">>", "<", "2>&1", "2>", "|&",
  ]

  /// Programs that may have such a word as an argument, besides those that take patterns or code.
  private static let takers: Set<String> = [
    "[", "cut", "fzf", "paste", "sort", "test", "tr", "xargs",
  ]

  /// The place of the first word that is meant for a shell. After an option, it usually is the
  /// option's value.
  private static func shellWord(in texts: [String]) -> Int? {
    guard let place = texts.firstIndex(where: isShellWord), place > 0,
      !texts[place - 1].hasPrefix("-")
    else { return nil }
    let isTaken = texts[..<place].contains { text in
      let name = UsualShell.baseName(text)
      return takers.contains(name) || matchers.contains(name[...])
        || interpreters.contains(name[...])
    }
    return isTaken ? nil : place
  }

  /// The words as one text for a shell, quoted for YAML; operators of the shell stay.
  static func line(of texts: [String]) -> String {
    let words = texts.map { text in
      let isPlain = text.allSatisfy {
        $0.isASCII && ($0.isLetter || $0.isNumber || "_./+-=:,@%^~$*{}|&;<>".contains($0))
      }
      return isPlain && !text.isEmpty ? text : text.singleQuoted
    }
    return quoted(words.joined(separator: " ").shortened)
  }

  private static func quoted(_ line: String) -> String {
    line.contains("\"") || line.contains("\\")
      ? "'\(line.replacing("'", by: "''"))'" : "\"\(line)\""
  }

  private static func isShellWord(_ text: String) -> Bool {
    text.utf8.count <= 4 && text.utf8.contains(where: isSign)
      && shellWords.contains(text)
  }

  /// Placeholders are for parameters of actions; a command has variables.
  func checkPlaceholders(in text: String, at mark: YAMLMark) {
    guard text.utf8.contains(UInt8(ascii: "{")) else { return }
    for name in Placeholders.Name.allCases where Self.hasBraces(text, name.rawValue) {
      reporter.report(
        .suspicious, severity: .warning, at: mark,
        "'{{\(name.rawValue)}}' is not replaced in a command",
        hint: "use the variable $\(name.variable)")
      return
    }
    for start in text.indices
    where text[start...].hasPrefix("{{secret.") && !text[..<start].hasSuffix("{") {
      let name = text[start...].dropFirst("{{secret.".count).prefix { !"|}".contains($0) }
      reporter.report(
        .suspicious, severity: .warning, at: mark,
        "'{{secret.\(name)}}' is not replaced in a command", hint: "use the variable $\(name)")
      return
    }
  }

  /// True for `{{name}}` or `{{name|…}}` that is not part of `{{{{name}}}}`.
  private static func hasBraces(_ text: String, _ name: String) -> Bool {
    let word = "{{\(name)"
    guard text.contains(word) else { return false }
    return text.indices.contains { start in
      let rest = text[start...]
      guard rest.hasPrefix(word), !text[..<start].hasSuffix("{") else { return false }
      let end = rest.dropFirst(word.count)
      return end.hasPrefix("}}") || end.hasPrefix("|")
    }
  }

  /// Invisible characters get into a text by copying from a page or a chat.
  private func checkInvisible(_ text: String, at mark: YAMLMark, owner: KeyOwner) {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return }
    guard let scalar = text.unicodeScalars.first(where: \.isInvisible) else { return }
    reporter.report(
      .suspicious, severity: .warning, at: mark,
      "the command has an invisible character, \(scalar.code)",
      hint: text.invisibleHint, owner: owner)
  }

  private static let hookKeys = HookKind.allCases.map(\.key)

  /// Each `run` of the job, its steps, its condition and its hooks, with its owner. Those of
  /// `defaults` are passed with each job that inherits them, and reported once.
  func eachCommand(of raw: RawJob, _ body: (KeyFields.Field, KeyOwner) -> Void) {
    Self.eachCommand(in: raw.fields) { body($1, raw.owner) }
    for command in inheritedCommands where raw.inherits(command.key) {
      body(command.run, KeyOwner(part: .defaults))
    }
  }

  /// Each `run` among the keys of a job or of `defaults`, with the key to which it belongs.
  static func eachCommand(in keys: KeyFields, _ body: (JobKey, KeyFields.Field) -> Void) {
    let fields = keys.fields
    for index in fields.indices {
      guard let key = fields[index].entry.key else { continue }
      if key === JobKey.run {
        body(key, fields[index])
      } else if key === JobKey.onlyIf {
        if let run = fields[index].value?.object?[.run] {
          body(key, run)
        } else if fields[index].value?.list != nil {
          body(key, fields[index])
        }
      } else if key === JobKey.steps || hookKeys.contains(where: { $0 === key }) {
        // A hook may add to those of `defaults`.
        let items = fields[index].value?.list ?? []
        for item in items.first?.value.object?[Key.add]?.value?.list ?? items {
          if let run = item.value.object?[.run] { body(key, run) }
        }
      }
    }
  }
}
