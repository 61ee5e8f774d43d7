import TaktCore

/// A name for a job: that of the script that does the work, or else the last telling word.
struct CommandName {
  let text: String

  /// - Parameter command: without a sleep before the work.
  init(_ command: String) {
    let words = CommandWords(command)
    text =
      Self.program(of: words, depth: 0) ?? Self.lastWord(of: words.segments.joined())
      ?? Self.firstProgram(of: words) ?? "job"
  }

  /// True for a word of the shell's language, or a program with special treatment.
  static func isKnown(_ word: String) -> Bool {
    silent.contains(word) || wrappers[word] != nil || interpreters.contains(word)
      || interpreters.contains(word.trimmingVersion)
  }

  private typealias Word = CommandWords.Word

  /// The program of the first command that does more than test, wait or print.
  private static func program(of words: CommandWords, depth: Int) -> String? {
    // Bounds the depth of shell texts within shell texts.
    guard depth < 4 else { return nil }
    for segment in words.segments {
      if let name = program(in: segment.filter { !$0.isTarget }[...], depth: depth) { return name }
    }
    return nil
  }

  private static func program(in words: ArraySlice<Word>, depth: Int) -> String? {
    var words = words
    while let word = words.popFirst() {
      if isAssignment(word.text) { continue }
      let name = base(word.text)
      if let wrapper = wrappers[name] {
        if let inner = skip(wrapper, &words) {
          return program(of: CommandWords(inner), depth: depth + 1)
        }
        continue
      }
      if silent.contains(name) || word.isExpanded && name.has("$") { return nil }
      let kind = name.trimmingVersion
      if interpreters.contains(kind) { return script(of: kind, in: words, depth: depth) }
      guard let found = file(word.text) else { return nil }
      return carriers.contains(found) ? carried(by: found, words) : found
    }
    return nil
  }

  /// Skips the options and operands of a program that starts another one.
  ///
  /// - Returns: the text for a shell that some take instead.
  private static func skip(
    _ wrapper: Wrapper, _ words: inout ArraySlice<Word>
  ) -> String? {
    var operands = wrapper.operands
    while let next = words.first?.text {
      if wrapper.takesText, next == "-c" || next == "--command" {
        return words.dropFirst().first?.text
      }
      let isOption = next.hasPrefix("-") && next.count > 1
      guard isOption || operands > 0 || isAmount(next) else { return nil }
      words.removeFirst()
      if isOption {
        if wrapper.options.contains(next) { _ = words.popFirst() }
      } else {
        operands -= 1
      }
    }
    return nil
  }

  /// The script that an interpreter runs; nil for code in its arguments.
  private static func script(of kind: String, in words: ArraySlice<Word>, depth: Int) -> String? {
    var words = words
    let isShell = shells.contains(kind)
    while let word = words.popFirst()?.text {
      guard word.hasPrefix("-"), word.count > 1 else {
        guard let found = file(word) else { return nil }
        return carriers.contains(found) ? carried(by: found, words) : found
      }
      if isShell, !word.hasPrefix("--"), word.has("c") {
        return words.first.flatMap { program(of: CommandWords($0.text), depth: depth + 1) }
      }
      if kind == "python", word == "-m" { return words.first.flatMap { file($0.text) } }
      if kind == "php", word == "-f" { continue }
      if code[kind]?.contains(word) == true { return nil }
      if options[kind]?.contains(word) == true { _ = words.popFirst() }
    }
    return nil
  }

  /// The name of a general-purpose program, with its last word.
  private static func carried(by name: String, _ words: ArraySlice<Word>) -> String {
    guard let last = lastWord(of: words), last != name else { return name }
    return ["run-parts", "manage", "artisan", "console"].contains(name) ? last : "\(name)-\(last)"
  }

  private static func lastWord(of words: some Sequence<Word>) -> String? {
    var last: String?
    for word in words {
      let text = word.text
      guard !text.hasPrefix("-"), !text.hasPrefix("+"), !isAssignment(text), !isAmount(text),
        !base(text).has("$"), let found = file(text, isCarried: true)
      else { continue }
      let isWord =
        found.unicodeScalars.contains { $0.properties.isLowercase }
        && found.unicodeScalars.filter { $0.properties.isAlphabetic }.count > 1
        && found.unicodeScalars.allSatisfy {
          $0.properties.isAlphabetic || ("0"..."9").contains($0)
            || "._:@-".unicodeScalars.contains($0)
        }
      if isWord, !boring.contains(found.lowercased()), !silent.contains(found),
        wrappers[found] == nil
      {
        last = found
      }
    }
    return last
  }

  private static func firstProgram(of words: CommandWords) -> String? {
    for segment in words.segments {
      guard let word = segment.first(where: { !isAssignment($0.text) && !$0.isTarget }) else {
        continue
      }
      let name = base(word.text)
      if !name.has("$"), name.unicodeScalars.contains(where: { $0.properties.isAlphabetic }) {
        return name
      }
    }
    return nil
  }

  /// The name of a script, with its folder if the name is a usual one.
  private static func file(_ path: String, isCarried: Bool = false) -> String? {
    let parts = path.split(separator: "/").map(String.init)
    guard let last = parts.last else { return nil }
    let name = stem(last)
    guard
      name.unicodeScalars.contains(where: {
        $0.properties.isAlphabetic || $0.properties.numericType != nil
      })
    else { return nil }
    guard !isCarried, usual.contains(name), let folder = parts.dropLast().last, !folder.has("$"),
      !folders.contains(folder),
      folder.unicodeScalars.contains(where: { $0.properties.isAlphabetic })
    else { return name }
    return "\(folder)-\(name)"
  }

  private static func isAssignment(_ word: String) -> Bool {
    word.firstIndex(of: "=").map { String(word[..<$0]).isVariableName } ?? false
  }

  /// True for a number, a duration or a size.
  private static func isAmount(_ word: String) -> Bool {
    var digits = word[...]
    if let last = digits.last, "smhdkMG%".contains(last) { digits.removeLast() }
    return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber || $0 == "." }
  }

  private static func base(_ word: String) -> String {
    word.split(separator: "/").last.map(String.init) ?? word
  }

  private static func stem(_ name: String) -> String {
    for suffix in [
      ".sh", ".py", ".pl", ".rb", ".php", ".bash", ".js", ".ksh", ".zsh", ".log", ".txt", ".out",
      ".err",
    ] where name.hasSuffix(suffix) && name.utf8.count > suffix.utf8.count {
      return String(name.dropLast(suffix.count))
    }
    return name
  }
}

extension CommandName {
  /// A program that starts another one, given in its arguments.
  fileprivate struct Wrapper {
    /// Options that take a word.
    var options: Set<String> = []
    /// The number of words before the program.
    var operands = 0
    /// True if `-c` takes a text for a shell.
    var takesText = false
  }

  fileprivate static let wrappers: [String: Wrapper] = [
    "nice": Wrapper(options: ["-n", "--adjustment"]),
    "ionice": Wrapper(options: ["-c", "-n", "--class", "--classdata"]),
    "timeout": Wrapper(options: ["-k", "-s", "--kill-after", "--signal"], operands: 1),
    "flock": Wrapper(
      options: ["-w", "-E", "--timeout", "--wait", "--conflict-exit-code"], operands: 1,
      takesText: true),
    "su": Wrapper(options: ["-s", "--shell", "-g", "-G"], operands: 2, takesText: true),
    "runuser": Wrapper(options: ["-s", "--shell", "-g", "-G", "-u", "-l"], takesText: true),
    "sudo": Wrapper(options: ["-u", "-g", "-p", "-C", "-h", "-T", "-U", "--user", "--group"]),
    "doas": Wrapper(options: ["-u", "-C"]), "env": Wrapper(options: ["-u", "-C", "--unset"]),
    "exec": Wrapper(options: ["-a"]), "time": Wrapper(options: ["-f", "-o"]),
    "chrt": Wrapper(operands: 1), "taskset": Wrapper(operands: 1), "setlock": Wrapper(operands: 1),
    "systemd-cat": Wrapper(options: ["-t", "-p"]), "stdbuf": Wrapper(options: ["-i", "-o", "-e"]),
    "xvfb-run": Wrapper(options: ["-n", "-s", "-f"]), "bundle": Wrapper(operands: 1),
    "pipenv": Wrapper(operands: 1), "poetry": Wrapper(operands: 1), "setsid": Wrapper(),
    "nohup": Wrapper(), "chronic": Wrapper(), "cronic": Wrapper(), "run-one": Wrapper(),
    "command": Wrapper(), "then": Wrapper(), "do": Wrapper(), "else": Wrapper(), "!": Wrapper(),
  ]
  /// Programs that only test, wait or print, and words of the shell.
  fileprivate static let silent: Set<String> = [
    "test", "[", "[[", "cd", "pushd", "popd", "sleep", "export", "unset", "set", "umask", "true",
    "false", ":", "if", "elif", "fi", "for", "done", "while", "until", "case", "esac", "exit",
    "return", "break", "continue", ".", "source", "echo", "printf", "date", "read", "trap", "wait",
    "ulimit", "local", "declare", "let", "shift", "which", "type", "eval",
  ]
  fileprivate static let shells: Set<String> = ["sh", "bash", "dash", "ksh", "zsh", "ash"]
  fileprivate static let interpreters = shells.union(["perl", "python", "ruby", "php", "node"])
  /// Options of interpreters that take a word.
  fileprivate static let options: [String: Set<String>] = [
    "php": ["-d", "-c", "-z"], "python": ["-W", "-X"], "ruby": ["-I", "-r", "-C"],
    "perl": ["-I", "-M"], "node": ["-r", "--require"], "bash": ["-o", "-O", "--rcfile"],
    "sh": ["-o"], "dash": ["-o"], "ksh": ["-o"], "zsh": ["-o"], "ash": ["-o"],
  ]
  fileprivate static let code: [String: Set<String>] = [
    "php": ["-r"], "python": ["-c"], "ruby": ["-e"], "node": ["-e", "-p", "--eval"],
    "perl": ["-e", "-E", "-le", "-ne", "-pe", "-we"],
  ]
  /// Programs whose arguments are more telling than their names.
  fileprivate static let carriers: Set<String> = [
    "run-parts", "manage", "artisan", "console", "docker", "podman", "kubectl", "systemctl",
    "service", "npm", "yarn", "make", "rake", "wp", "drush", "occ",
  ]
  /// Names that many scripts share.
  fileprivate static let usual: Set<String> = [
    "run", "main", "index", "cron", "start", "job", "jobs", "script", "task", "tasks", "app", "cli",
    "cronjob", "entrypoint",
  ]
  /// Folders whose names say nothing of their contents.
  fileprivate static let folders: Set<String> = [
    "bin", "sbin", "usr", "local", "opt", "src", "scripts", "script", "cron", "lib", "libexec",
    "html", "www", "public", "current", "home", "root", "tmp", "app", ".", "..", "~",
  ]
  fileprivate static let boring: Set<String> = [
    "null", "stdout", "stderr", "date", "job", "random", "log", "logs", "tmp", "out", "dev", "and",
    "or", "root",
  ]
}

extension String {
  /// `python` for `python3.11`.
  fileprivate var trimmingVersion: String {
    var text = self[...]
    while let last = text.last, last.isNumber || last == "." { text.removeLast() }
    return String(text)
  }
}
