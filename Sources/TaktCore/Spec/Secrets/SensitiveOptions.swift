/// Options of programs that take a password, by which commands are masked before they are shown.
enum SensitiveOptions {
  /// The place of an option's password.
  private enum Form {
    case next
    /// In the same word: `-psecret`.
    case attached
    case either
    /// In the next word or in the same, behind a user: `user:password`, `user%password`,
    /// `user,password`.
    case user
    /// In the next word, which may also be the name of a file: `name=value`.
    case pairs
  }

  private struct Row {
    var programs: Set<Substring>
    var options: Set<Substring>
    var form: Form
    /// Between a user and a password.
    var separators: String

    init(
      _ programs: Set<Substring>, _ options: Set<Substring>, _ form: Form, separators: String = ":%"
    ) {
      self.separators = separators
      self.programs = programs
      self.options = options
      self.form = form
    }
  }

  private static let rows = [
    // With a space the password is asked for, and the next word is a database.
    Row(
      [
        "mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlcheck", "mysqlshow", "mariadb",
        "mariadb-dump", "mariadb-admin", "7z", "7za", "rar", "unrar",
      ], ["-p"], .attached),
    Row(["rar", "unrar"], ["-hp"], .attached),
    Row(["sshpass"], ["-p"], .either),
    Row(["openssl"], ["-k", "-K"], .next),
    Row(
      ["keytool", "jarsigner"],
      [
        "-storepass", "-keypass", "-srcstorepass", "-deststorepass", "-srckeypass", "-destkeypass",
      ], .next),
    Row(["ssh-keygen"], ["-N", "-P"], .either),
    Row(["mosquitto_pub", "mosquitto_sub"], ["-P", "--pw"], .next),
    Row(["swaks"], ["-ap"], .next), Row(["sendEmail", "sendemail"], ["-xp"], .next),
    Row(["snmpget", "snmpwalk", "snmpset", "snmptrap"], ["-c", "-A", "-X"], .either),
    Row(["redis-cli"], ["-a", "--pass"], .next),
    Row(
      ["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"], ["-p"], .next
    ),
    Row(["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami"], ["-w"], .either),
    Row(["zip", "unzip", "ipmitool", "sqlcmd", "bcp"], ["-P"], .either),
    Row(["login"], ["-p"], .next),
    Row(["curl"], ["-u", "-U", "--user", "--proxy-user", "-E", "--cert"], .user),
    Row(["curl"], ["--oauth2-bearer"], .either),
    Row(["lftp"], ["-u", "--user"], .user, separators: ",:"),
    Row(["curl"], ["-b", "--cookie"], .pairs),
    Row(["smbclient", "rpcclient", "winexe", "net"], ["-U", "--user"], .user),
    Row(["http", "https", "xh"], ["-a", "--auth"], .user),
  ]

  /// A word, or a sign between two commands.
  private struct Word {
    var text: Substring
    var endsCommand = false
  }

  /// The text with these passwords masked.
  static func masked(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "-")) else { return text }
    let words = words(of: text)
    var masks: [Range<String.Index>] = []
    var programs: Set<Substring> = []
    for (place, word) in words.enumerated() {
      if word.endsCommand { programs = [] }
      guard word.text.hasPrefix("-") else {
        if let program = word.text.split(separator: "/").last { programs.insert(program) }
        continue
      }
      let next = place + 1 < words.count && !words[place + 1].endsCommand ? words[place + 1] : nil
      masks += Self.masks(of: word.text, next?.text, programs)
    }
    return masks.reversed().reduce(into: text) {
      $0.replaceSubrange($1, with: SensitiveText.mask)
    }
  }

  private static func masks(
    of word: Substring, _ next: Substring?, _ programs: Set<Substring>
  ) -> [Range<String.Index>] {
    let value = next.flatMap { isPlain($0) ? $0 : nil }
    if word.hasPrefix("--"), !word.contains("="), SensitiveText.isSensitive(word.dropFirst(2)) {
      return value.map { [$0.startIndex..<$0.endIndex] } ?? []
    }
    for row in rows where !row.programs.isDisjoint(with: programs) {
      guard let option = option(of: word, row) else { continue }
      var rest = word[min(option.endIndex, word.endIndex)...]
      if option.hasPrefix("--"), rest.first == "=" { rest = rest.dropFirst() }
      if let quote = rest.first, "\"'".contains(quote) { rest = rest.dropFirst() }
      switch row.form {
      case .attached, .next, .either:
        if row.form != .next, isPlain(rest) { return [rest.startIndex..<rest.endIndex] }
        if row.form != .attached, rest.isEmpty, let value {
          return [value.startIndex..<value.endIndex]
        }
      case .user:
        let user = rest.isEmpty ? value : rest
        if let user, let secret = SensitiveCredential.secret(in: user, behind: row.separators) {
          return [secret.startIndex..<secret.endIndex]
        }
      case .pairs:
        if rest.isEmpty, let value, value.contains("=") {
          return [value.startIndex..<value.endIndex]
        }
      }
    }
    if isLongWithSingleDash(word), let value { return [value.startIndex..<value.endIndex] }
    return []
  }

  /// The option of a row that a word is, or starts with; nil for none.
  private static func option(of word: Substring, _ row: Row) -> Substring? {
    if word.hasPrefix("--") {
      let name = word.prefix { $0 != "=" }
      return row.options.contains(name) ? name : nil
    }
    if let option = [word, word.prefix(3), word.prefix(2)].first(where: row.options.contains) {
      return option
    }
    // Several letters together, the last of which has the value: `-sSu`.
    guard row.form == .user, word.count > 2, word.dropFirst().allSatisfy(\.isLetter),
      let last = word.last, row.options.contains("-\(last)")
    else { return nil }
    return word
  }

  /// True for an option such as `-password`, as Java and Go have them.
  private static func isLongWithSingleDash(_ word: Substring) -> Bool {
    word.count > 6 && !word.hasPrefix("--") && !word.contains("=")
      && SensitiveText.isSensitiveWord(word.dropFirst())
  }

  /// True for a value that is neither an option nor a name of the value's place.
  private static func isPlain(_ value: Substring) -> Bool {
    !value.isEmpty && !value.hasPrefix("-") && !SensitiveText.isReference(value)
      && value != SensitiveText.mask[...]
  }

  /// True if a quote starts the value of an option: of `--user=` or of `-u`.
  private static func isValueNext(behind word: Substring) -> Bool {
    word.hasPrefix("-") && (word.hasSuffix("=") || word.count == 2)
  }

  /// The words of a command, or of a list such as `[mysql, -psecret]`; quoted text stays together.
  private static func words(of text: String) -> [Word] {
    let isList = text.hasPrefix("[")
    var words: [Word] = []
    var start: String.Index?
    var quote: Character?
    var endsCommand = false
    func end(_ index: String.Index) {
      guard let first = start, first < index else {
        start = nil
        return
      }
      words.append(Word(text: text[first..<index], endsCommand: endsCommand))
      (start, endsCommand) = (nil, false)
    }
    for index in text.indices {
      let character = text[index]
      if let open = quote {
        guard character == open else { continue }
        end(index)
        quote = nil
      } else if start == nil, character == "\"" || character == "'" {
        quote = character
        start = text.index(after: index)
      } else if let first = start, character == "\"" || character == "'",
        isValueNext(behind: text[first..<index])
      {
        quote = character
      } else if character.isWhitespace || isList && ",[]".contains(character) {
        end(index)
        if character.isNewline { endsCommand = true }
      } else if "|;&".contains(character), !isList {
        end(index)
        endsCommand = true
      } else if start == nil {
        start = index
      }
    }
    end(text.endIndex)
    return words
  }
}
