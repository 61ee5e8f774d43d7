/// Options of programs that take a password, by which commands are masked before they are shown.
enum SensitiveOptions {
  /// Where an option has its password.
  private enum Form {
    /// In the next word.
    case next
    /// In the same word: `-psecret`.
    case attached
    /// In either.
    case either
    /// In the next word, behind a user: `user:password`, `user%password`.
    case user
    /// In the next word, which may also be the name of a file: `name=value`.
    case pairs
  }

  private struct Row {
    var programs: Set<Substring>
    var options: Set<Substring>
    var form: Form

    init(_ programs: Set<Substring>, _ options: Set<Substring>, _ form: Form) {
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
    Row(["sshpass"], ["-p"], .either),
    Row(["redis-cli"], ["-a", "--pass"], .next),
    Row(
      ["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"], ["-p"], .next
    ),
    Row(["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami"], ["-w"], .either),
    Row(["zip", "unzip", "ipmitool", "sqlcmd", "bcp"], ["-P"], .either),
    Row(["login"], ["-p"], .next),
    Row(["curl"], ["-u", "-U", "--user", "--proxy-user"], .user),
    Row(["curl"], ["-b", "--cookie"], .pairs),
    Row(["smbclient", "rpcclient", "winexe", "net"], ["-U", "--user"], .user),
    Row(["http", "https", "xh"], ["-a", "--auth"], .user),
  ]

  private static let options = rows.reduce(into: Set<Substring>()) { $0.formUnion($1.options) }

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
    let option = options.contains(word) ? word : word.prefix(2)
    guard options.contains(option) else { return [] }
    for row in rows where row.options.contains(option) && !row.programs.isDisjoint(with: programs) {
      let rest = word[option.endIndex...]
      switch row.form {
      case .attached, .next, .either:
        if row.form != .next, isPlain(rest) { return [rest.startIndex..<rest.endIndex] }
        if row.form != .attached, rest.isEmpty, let value {
          return [value.startIndex..<value.endIndex]
        }
      case .user:
        if rest.isEmpty, let value, let sign = value.firstIndex(where: { ":%".contains($0) }) {
          let password = value[value.index(after: sign)...]
          if isPlain(password) { return [password.startIndex..<password.endIndex] }
        }
      case .pairs:
        if rest.isEmpty, let value, value.contains("=") {
          return [value.startIndex..<value.endIndex]
        }
      }
    }
    return []
  }

  /// Whether it is a value, and neither an option nor a name of where the value is.
  private static func isPlain(_ value: Substring) -> Bool {
    !value.isEmpty && !value.hasPrefix("-") && !SensitiveText.isReference(value)
      && value != SensitiveText.mask[...]
  }

  /// The words of a command, or of a list such as `[mysql, -psecret]`; what is quoted stays together.
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
