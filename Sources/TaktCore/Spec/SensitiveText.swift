/// Text of a jobs file as plans show it: what may be a password or a token is masked.
package enum SensitiveText {
  package static let mask = "***"

  private static let words = [
    "password", "passwd", "passphrase", "secret", "token", "credential", "authorization", "apikey",
  ]
  private static let lastWords: Set<Substring> = ["key", "pwd", "pass", "pin", "auth"]

  /// Whether the value of a variable, a parameter or an option of this name is probably a secret.
  package static func isSensitive(_ name: some StringProtocol) -> Bool {
    let name = name.lowercased()
    if words.contains(where: name.contains) || name.contains("api_key") { return true }
    return name.split(whereSeparator: { "_-.".contains($0) }).last.map(lastWords.contains) ?? false
  }

  /// The text of a value of this name.
  package static func masked(_ text: String, of name: some StringProtocol) -> String {
    if isSensitive(name), !text.isEmpty, !isReference(text[...]) { return mask }
    return masked(text)
  }

  /// The text with passwords of URLs, values that are assigned to sensitive names, and tokens of
  /// `Authorization` masked.
  package static func masked(_ text: String) -> String {
    guard text.utf8.contains(where: { ":= ".utf8.contains($0) }) else { return text }
    var shown = ""
    var rest = text[...]
    while let index = rest.firstIndex(where: { ":= \n".contains($0) }) {
      let sign = rest[index]
      let before = text[..<index]
      shown += rest[...index]
      rest = rest[rest.index(after: index)...]
      if sign == ":", rest.hasPrefix("//") {
        shown += maskingUser(of: &rest)
      } else if sign == " ", isUserOption(before) {
        shown += maskingPassword(of: &rest)
      } else if isFollowedBySecret(before, sign) {
        shown += maskingValue(&rest, isAssigned: sign == "=")
      }
    }
    return shown + rest
  }

  private static func isFollowedBySecret(_ before: Substring, _ sign: Character) -> Bool {
    let bare = before.hasSuffix("\"") || before.hasSuffix("'") ? before.dropLast() : before
    let name = bare.suffix(while: { $0.isLetter || $0.isNumber || "_-.".contains($0) })
    switch sign {
    case "=", ":": return isSensitive(name)
    case " ":
      if ["bearer", "basic"].contains(name.lowercased()) { return true }
      return name.hasPrefix("--") && isSensitive(name)
    default: return false
    }
  }

  private static func isUserOption(_ before: Substring) -> Bool {
    let word = before.suffix(while: { !$0.isWhitespace })
    return word == "-u" || word == "--user"
  }

  /// A value that only names where the secret is.
  private static func isReference(_ value: Substring) -> Bool {
    value.hasPrefix("$") || value.hasPrefix("{{")
  }

  /// The masked password of `//user:password@host`, taken from the text up to the `@`.
  private static func maskingUser(of rest: inout Substring) -> String {
    let authority = rest.dropFirst(2).prefix { !$0.isWhitespace && !"/?#\"'".contains($0) }
    guard let end = authority.lastIndex(of: "@"),
      let colon = authority[..<end].firstIndex(of: ":"),
      !isReference(authority[authority.index(after: colon)..<end])
    else { return "" }
    let shown = rest[...colon] + mask
    rest = rest[end...]
    return String(shown)
  }

  /// The masked password of `user:password`, taken from the text.
  private static func maskingPassword(of rest: inout Substring) -> String {
    let word = rest.prefix { !$0.isWhitespace }
    guard let colon = word.firstIndex(of: ":"),
      !isReference(word[word.index(after: colon)...])
    else { return "" }
    let shown = rest[...colon] + mask
    rest = rest[word.endIndex...]
    return String(shown)
  }

  /// The mask in place of a value, which is taken from the text.
  private static func maskingValue(_ rest: inout Substring, isAssigned: Bool) -> String {
    var lead = ""
    while !isAssigned, let space = rest.first, space == " " {
      lead.append(space)
      rest.removeFirst()
    }
    if let scheme = ["bearer ", "basic "].first(where: { rest.lowercased().hasPrefix($0) }) {
      lead += rest.prefix(scheme.count)
      rest = rest.dropFirst(scheme.count)
    }
    if let quote = rest.first, "\"'".contains(quote) {
      lead.append(quote)
      rest.removeFirst()
      if isReference(rest) { return lead }
      let value = rest.prefix { $0 != quote }
      rest = rest[value.endIndex...]
      return lead + (value.isEmpty ? "" : mask)
    }
    let value = rest.prefix { !$0.isWhitespace && !"&;,\"'}".contains($0) }
    if value.isEmpty || isReference(value) { return lead }
    rest = rest[value.endIndex...]
    return lead + mask
  }
}

extension StringProtocol where SubSequence == Substring {
  /// The longest end whose characters all fit.
  fileprivate func suffix(while fits: (Character) -> Bool) -> Substring {
    self[(lastIndex { !fits($0) }.map(index(after:)) ?? startIndex)...]
  }
}
