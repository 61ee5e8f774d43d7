import TaktCore

/// Texts that only a shell expands, without a shell: in a command that is a list, and in `env`.
extension SpecBuilder {
  /// Programs that expand such texts themselves, or pass them to a shell or to another machine.
  static let interpreters: Set<Substring> = [
    "ansible", "ash", "awk", "bash", "dash", "docker", "envsubst", "expr", "fish", "flock", "gawk",
    "jq", "ksh", "kubectl", "make", "mawk", "mosh", "mysql", "nawk", "node", "parallel", "pdsh",
    "perl", "php", "podman", "psql", "python", "python3", "ruby", "runuser", "screen", "script",
    "sed", "sh", "ssh", "su", "tmux", "watch", "zsh",
  ]

  static let matchers: Set<Substring> = [
    "7z", "aws", "egrep", "expr", "fgrep", "find", "git", "grep", "gsutil", "lftp", "locate",
    "pgrep",
    "pkill", "rclone", "rg", "rsync", "s3cmd", "tar", "unzip", "zip",
  ]

  /// Programs whose short options take no pattern.
  private static let fileTools: Set<Substring> = [
    "cat", "chgrp", "chmod", "chown", "cp", "du", "gzip", "head", "ls", "mv", "rm", "scp", "shred",
    "tail", "wc", "zcat",
  ]

  func warnOfUnexpanded(of raw: RawJob) {
    eachCommand(of: raw) { field, owner in
      if case .list(let items)? = field.value { checkList(items, owner: owner) }
    }
    for variable in raw.fields[.environment]?.value?.map ?? [] {
      guard case .text(let text)? = variable.value, !SensitiveText.isSensitive(variable.name),
        let part = Self.unexpanded(text)
      else { continue }
      reporter.report(
        .suspicious, severity: .warning, at: variable.mark,
        "'\(JobKey.environment)' is not read by a shell: '\(part)' stays as it is",
        hint: "write the value itself, or set the variable in the command", owner: raw.owner)
    }
  }

  private func checkList(_ items: [KeyValue.Located], owner: KeyOwner) {
    let texts = items.map { $0.value.text ?? "" }
    let programs = texts.map { $0.split(separator: "/").last ?? "" }
    if programs.contains(where: Self.interpreters.contains) { return }
    let takesPatterns = programs.contains(where: Self.matchers.contains)
    let isFileTool = programs.contains(where: Self.fileTools.contains)
    for (place, item) in items.enumerated().dropFirst() {
      let text = texts[place]
      var part = takesPatterns && text == "~" ? nil : Self.unexpanded(text)
      // After an option, it usually is a pattern for the program rather than for a shell.
      let option = texts[place - 1]
      let follows = option.hasPrefix("--") || option.hasPrefix("-") && !isFileTool
      if part == nil, !takesPatterns, !follows, Self.isFilePattern(text) { part = text.shortened }
      guard let part else { continue }
      reporter.report(
        .suspicious, severity: .warning, at: item.mark,
        "a list runs without a shell: '\(part)' stays as it is",
        hint: "write the command as one text: \(JobKey.run): \(Self.line(of: texts))", owner: owner)
      return
    }
  }

  /// `~`, or a variable such as `$HOME`, that a shell would expand; nil for none.
  private static func unexpanded(_ text: String) -> String? {
    if text == "~" || text.hasPrefix("~/") { return text.shortened }
    guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "$")) else { return nil }
    var rest = text[text.index(after: sign)...]
    let isBraced = rest.first == "{"
    if isBraced { rest = rest.dropFirst() }
    let name = rest.prefix { $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_") }
    guard name.utf8.count > 1, name.first?.isNumber == false else { return nil }
    let next = rest[name.endIndex...].first
    if isBraced { return next == "}" ? "${\(name)}" : nil }
    return next?.isLowercase == true ? nil : "$\(name)"
  }

  /// True for `*.log` or `/var/log/*.gz`, false for `host:/srv/*` or an option.
  private static func isFilePattern(_ text: String) -> Bool {
    guard text.utf8.contains(UInt8(ascii: "*")), !text.hasPrefix("-"), !text.contains(":") else {
      return false
    }
    return text.hasPrefix("*.") || text.hasPrefix("/") || text.hasPrefix("./") || text == "*"
  }
}
