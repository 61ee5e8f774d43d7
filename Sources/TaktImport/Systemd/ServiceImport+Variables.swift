import TaktCore

/// Variables that systemd sets, or splits into words.
extension ServiceImport {
  private static let folders: [(key: String, variable: String, specifier: Character)] = [
    ("RuntimeDirectory", "RUNTIME_DIRECTORY", "t"), ("StateDirectory", "STATE_DIRECTORY", "S"),
    ("CacheDirectory", "CACHE_DIRECTORY", "C"), ("LogsDirectory", "LOGS_DIRECTORY", "L"),
    ("ConfigurationDirectory", "CONFIGURATION_DIRECTORY", "E"),
  ]

  func folderVariables(in draft: inout JobDraft) -> [DraftEntry] {
    var variables: [DraftEntry] = []
    for (key, variable, specifier) in Self.folders {
      var all: [String] = []
      for entry in unit.list("Service", key) {
        guard let parent = manager.value(of: specifier), let words = UnitValue.words(entry.value),
          !entry.value.utf8.contains(UInt8(ascii: "\\"))
        else {
          disable(entry, "only systemd knows the value of $\(variable)", in: &draft)
          continue
        }
        var paths: [String] = []
        for word in words {
          // The rest are names of links to it.
          let name = word.prefix { $0 != ":" }
          let parts = expand(String(name), of: entry, in: &draft).split(
            separator: "/", omittingEmptySubsequences: false)
          // systemd ignores such a folder.
          if parts.first?.isEmpty == true || parts.contains("..") { continue }
          paths.append(
            ([parent] + parts.filter { !$0.isEmpty && $0 != "." }.map(String.init))
              .joined(separator: "/"))
        }
        sayMissing(paths, of: entry, in: draft)
        all += paths
      }
      if !all.isEmpty {
        variables.append(DraftEntry(key: variable, value: .text(all.joined(separator: ":"))))
      }
    }
    return variables
  }

  private func sayMissing(_ folders: [String], of entry: UnitEntry, in draft: JobDraft) {
    guard !folders.isEmpty else { return }
    let end = entry.key == "RuntimeDirectory" ? ", after each boot" : ""
    report.lose(
      entry,
      "takt makes no folders: make \(folders.joined(separator: " and ")) yourself\(end)",
      in: draft.name)
  }

  /// Disables a job with a command that uses a variable which takt lacks.
  func checkVariables(of command: Command, in draft: inout JobDraft) {
    let key = command.entry.key
    var names = [
      "INVOCATION_ID", "TRIGGER_UNIT", "TRIGGER_TIMER_REALTIME_USEC",
      "TRIGGER_TIMER_MONOTONIC_USEC",
    ]
    if unit.entries.contains(where: { $0.key.contains("Credential") }) {
      names.append("CREDENTIALS_DIRECTORY")
    }
    if key.hasPrefix("ExecStop") { names += ["SERVICE_RESULT", "EXIT_CODE", "EXIT_STATUS"] }
    if key.hasPrefix("ExecStop") || key == "ExecStartPost" { names.append("MAINPID") }
    for name in names where command.words.contains(where: { Self.mentions(name, in: $0) }) {
      if value(of: name, in: draft) == nil {
        disable(command.entry, "only systemd knows the value of $\(name)", in: &draft)
      }
    }
  }

  /// True if a text uses `$NAME` or `${NAME` without setting it itself.
  private static func mentions(_ name: String, in text: String) -> Bool {
    !text.contains(name + "=")
      && text.split(separator: "$", omittingEmptySubsequences: false).dropFirst().contains { part in
        let rest = part.hasPrefix("{") ? part.dropFirst() : part
        guard rest.hasPrefix(name) else { return false }
        let next = rest.dropFirst(name.count).first
        return next.map { !"a\($0)".isVariableName } ?? true
      }
  }

  /// Writes out the words of `$NAME` if it has quotes or backslashes, which a shell would take
  /// literally. Values from files may be secret, and stay there.
  func splitVariables(of command: inout Command, in draft: inout JobDraft) {
    guard command.expandsVariables else { return }
    var words: [String] = []
    for word in command.words {
      guard !words.isEmpty, let name = Self.variable(word) else {
        words.append(word)
        continue
      }
      guard let (value, isOfFile) = value(of: name, in: draft) else {
        if mayHaveQuotes(name, in: draft) {
          report.differ(
            command.entry, "$\(name) is split at blanks, even between quotes", in: draft.name)
        }
        words.append(word)
        continue
      }
      guard value.unicodeScalars.contains(where: "'\"\\\r".unicodeScalars.contains) else {
        words.append(word)
        continue
      }
      guard !isOfFile else {
        disable(
          command.entry, "systemd splits $\(name) of the file at its quotes, and a shell does not",
          in: &draft)
        words.append(word)
        continue
      }
      words += Self.split(value).map { $0.replacing("$", with: "$$") }
    }
    command.words = words
  }

  /// The value, if the import knows it; files override the unit.
  func value(of name: String, in draft: JobDraft) -> (text: String, isOfFile: Bool)? {
    if let text = fileVariables[name] { return (text, true) }
    guard case .map(let entries)? = draft[.environment] else { return nil }
    let entry = entries.last { $0.key == name }
    return entry?.value.texts.first.map { ($0, false) }
  }

  /// True if a variable without a known value may come from elsewhere, with quotes.
  private func mayHaveQuotes(_ name: String, in draft: JobDraft) -> Bool {
    let plain = ["HOME", "USER", "LOGNAME", "SHELL", "LANG", "PATH", "XDG_RUNTIME_DIR"]
    if plain.contains(name) { return false }
    // A file that does not exist now.
    let files = unit.list("Service", "EnvironmentFile").filter { $0.value.hasPrefix("-/") }
    return manager.user != nil || files.count > (draft[.environmentFile]?.texts.count ?? 0)
      || unit.list("Service", "PassEnvironment").contains {
        $0.value.split(separator: " ").contains { $0 == name }
      }
  }

  /// Splits a variable: a backslash makes the next character literal, even within quotes of both
  /// kinds, and the end closes a quote.
  static func split(_ value: String) -> [String] {
    var words: [String] = []
    var word: String.UnicodeScalarView?
    var quote: Unicode.Scalar?
    var rest = value.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\\" {
        word = (word ?? .init()) + (rest.popFirst().map { [$0] } ?? [])
      } else if let open = quote {
        if scalar == open { quote = nil } else { word?.append(scalar) }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
        word = word ?? .init()
      } else if " \t\n\r".unicodeScalars.contains(scalar) {
        if let done = word { words.append(String(done)) }
        word = nil
      } else {
        word = (word ?? .init()) + [scalar]
      }
    }
    if let word { words.append(String(word)) }
    return words
  }

  /// Sets systemd's search path for programs, which is also the `PATH` of the service.
  func setSearchPath(in draft: inout JobDraft) {
    let entries = unit.list("Service", "ExecSearchPath")
    guard !entries.isEmpty else { return }
    var folders: [String] = []
    for entry in entries {
      folders += expand(entry, in: &draft).split(separator: ":").map(String.init)
    }
    let isOther = value(of: "PATH", in: draft) != nil
    for entry in entries {
      if isOther {
        disable(entry, "takt looks for programs in the PATH of the job", in: &draft)
      } else if folders.contains(where: { !$0.hasPrefix("/") }) {
        disable(entry, "systemd wants the whole path of a folder", in: &draft)
      } else {
        report.keep(entry, as: "env", in: draft.name)
      }
    }
    if !isOther, !folders.isEmpty {
      draft.set(.environment, "PATH", .text(folders.joined(separator: ":")))
    }
  }
}
