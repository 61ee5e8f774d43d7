/// Text of a jobs file as plans show it: likely passwords and tokens are masked.
package enum SensitiveText {
  package static let mask = "***"

  private static let words = [
    "password", "passwd", "passphrase", "secret", "token", "credential", "authorization", "apikey",
    "cookie", "webhook",
  ]
  private static let lastWords: Set<Substring> = [
    "key", "pwd", "pass", "pin", "auth", "sig", "signature", "pat", "jwt", "otp", "pgpass",
  ]
  /// Names of the place of a secret.
  private static let places: Set<Substring> = ["file", "path", "dir", "pgpassfile"]
  /// The part of a URL after one of these is a secret.
  private static let secretURLs = [
    "//hooks.slack.com/services/", "//discord.com/api/webhooks/", "//discordapp.com/api/webhooks/",
    "//api.telegram.org/bot", "//hc-ping.com/",
  ]
  private static let schemes = ["bearer ", "basic ", "token ", "digest ", "apikey "]

  /// True if the value of a variable, a parameter or an option of this name is probably a secret.
  package static func isSensitive(_ name: some StringProtocol) -> Bool {
    let name = name.lowercased()
    let last = name.split(whereSeparator: { "_-.".contains($0) }).last ?? ""
    if places.contains(last) { return false }
    return words.contains(where: name.contains) || name.contains("api_key")
      || lastWords.contains(last)
  }

  /// True if a whole word of the name is sensitive, and not only its last letters.
  static func isSensitiveWord(_ name: some StringProtocol) -> Bool {
    let name = name.lowercased()
    let last = name.split(whereSeparator: { "_-.".contains($0) }).last ?? ""
    return !places.contains(last) && words.contains(where: name.contains)
  }

  /// The parameters of a built-in that are always secrets.
  package static func parameters(of builtin: String) -> Set<String> {
    switch builtin {
    case "http", "mail": ["password"]
    case "ping": ["dsn", "url"]
    case "notify": ["token", "url", "user"]
    default: []
    }
  }

  /// Masks a text that is a secret as a whole: for an address the server is shown, and a reference
  /// to a secret is shown unchanged.
  static func masked(secret text: String, of name: some StringProtocol) -> String {
    if text.hasPrefix("{{secret."), text.hasSuffix("}}"), !text.dropFirst(2).contains("{{") {
      return text
    }
    guard ["url", "dsn"].contains(name),
      let scheme = ["https://", "http://"].first(where: text.hasPrefix)
    else { return mask }
    let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return scheme + (host.count < authority.count ? mask + "@" : "") + host + "/" + mask
  }

  package static func masked(_ text: String, of name: some StringProtocol) -> String {
    if isSensitive(name), !text.isEmpty, !isReference(text[...]) { return mask }
    return masked(text)
  }

  /// Masks passwords of URLs and of options, values that are assigned to sensitive names, and
  /// tokens of `Authorization`.
  package static func masked(_ text: String) -> String {
    guard text.utf8.contains(where: { ":= ".utf8.contains($0) }) else { return text }
    let text = SensitiveOptions.masked(text)
    var shown = ""
    var rest = text[...]
    while let index = rest.firstIndex(where: { ":= \n".contains($0) }) {
      let sign = rest[index]
      let before = text[..<index]
      shown += rest[...index]
      rest = rest[rest.index(after: index)...]
      if sign == ":", rest.hasPrefix("//") {
        shown += maskingUser(of: &rest) + maskingSecretPath(of: &rest) + maskingPath(of: &rest)
      } else if " =".contains(sign), isUserOption(before, sign) {
        shown += maskingPassword(of: &rest)
      } else if isFollowedBySecret(before, sign) {
        shown += maskingValue(&rest, isAssigned: sign == "=", isHeader: isHeader(before, sign))
      }
    }
    return shown + rest
  }

  private static func isFollowedBySecret(_ before: Substring, _ sign: Character) -> Bool {
    var bare = before
    if bare.hasSuffix("\"") || bare.hasSuffix("'") {
      bare.removeLast()
      // Within a text that is quoted itself.
      while bare.hasSuffix("\\") { bare.removeLast() }
    }
    let name = bare.suffix(while: { $0.isLetter || $0.isNumber || "_-.".contains($0) })
    switch sign {
    case "=", ":": return isSensitive(name)
    case " ":
      if ["bearer", "basic"].contains(name.lowercased()) { return true }
      return name.hasPrefix("--") && isSensitive(name)
    default: return false
    }
  }

  /// True if the value continues to the end of a quoted header.
  private static func isHeader(_ before: Substring, _ sign: Character) -> Bool {
    guard sign == ":" else { return false }
    let name = before.suffix(while: { $0.isLetter || $0 == "-" }).lowercased()
    return name.hasSuffix("authorization") || name.hasSuffix("cookie")
  }

  private static func isUserOption(_ before: Substring, _ sign: Character) -> Bool {
    let word = before.suffix(while: { !$0.isWhitespace })
    return (word == "-u" && sign == " ") || word == "--user" || word == "--proxy-user"
  }

  /// A value that only names the place of the secret.
  static func isReference(_ value: Substring) -> Bool {
    value.hasPrefix("$") || value.hasPrefix("{{")
  }

  /// The masked password, or token, of `//user:password@host`, taken from the text up to the `@`.
  private static func maskingUser(of rest: inout Substring) -> String {
    let authority = rest.dropFirst(2).prefix { !$0.isWhitespace && !"/?#\"'".contains($0) }
    guard let end = authority.lastIndex(of: "@"),
      let secret = SensitiveCredential.secret(in: authority[..<end])
    else { return "" }
    let shown = rest[..<secret.startIndex] + mask
    rest = rest[end...]
    return String(shown)
  }

  /// The host and the path of a URL, with tokens masked, taken from the text.
  private static func maskingPath(of rest: inout Substring) -> String {
    guard rest.hasPrefix("//") || rest.hasPrefix("@") else { return "" }
    let lead = rest.hasPrefix("//") ? 2 : 1
    let authority = rest.dropFirst(lead).prefix { !$0.isWhitespace && !"/?#\"',".contains($0) }
    let path = rest[authority.endIndex...].prefix { !$0.isWhitespace && !"?#\"',;)]".contains($0) }
    guard path.hasPrefix("/") else { return "" }
    let shown = rest[..<path.startIndex] + SensitiveCredential.masked(path: path)
    rest = rest[path.endIndex...]
    return String(shown)
  }

  /// The address of a webhook up to its secret, taken from the text with it.
  private static func maskingSecretPath(of rest: inout Substring) -> String {
    guard let prefix = secretURLs.first(where: rest.hasPrefix) else { return "" }
    let value = rest.dropFirst(prefix.count).prefix { !$0.isWhitespace && !"?#\"',".contains($0) }
    guard !value.isEmpty, !isReference(value) else { return "" }
    rest = rest[value.endIndex...]
    return prefix + mask
  }

  /// The masked password of `user:password`, taken from the text.
  private static func maskingPassword(of rest: inout Substring) -> String {
    var word = rest.prefix { !$0.isWhitespace }
    if let quote = word.last, "\"'".contains(quote) { word = word.dropLast() }
    if let quote = word.first, "\"'".contains(quote) { word = word.dropFirst() }
    guard let secret = SensitiveCredential.secret(in: word), !secret.hasPrefix(mask) else {
      return ""
    }
    let shown = rest[..<secret.startIndex] + mask
    rest = rest[secret.endIndex...]
    return String(shown)
  }

  /// The mask in place of a value, which is taken from the text.
  private static func maskingValue(_ rest: inout Substring, isAssigned: Bool, isHeader: Bool)
    -> String
  {
    var lead = ""
    while !isAssigned, let space = rest.first, space == " " {
      lead.append(space)
      rest.removeFirst()
    }
    if let scheme = schemes.first(where: { rest.lowercased().hasPrefix($0) }) {
      lead += rest.prefix(scheme.count)
      rest = rest.dropFirst(scheme.count)
    }
    // Within a text that is quoted itself.
    let slashes = rest.prefix { $0 == "\\" }
    if let quote = rest[slashes.endIndex...].first, "\"'".contains(quote) {
      lead += slashes
      lead.append(quote)
      rest = rest[slashes.endIndex...].dropFirst()
      if isReference(rest) { return lead }
      let value = rest[..<end(of: rest, quotedBy: quote, slashes.count)]
      rest = rest[value.endIndex...]
      return lead + (value.isEmpty ? "" : mask)
    }
    var value = rest.prefix { !$0.isWhitespace && !"&;,\"'}".contains($0) }
    let line = rest.prefix { !$0.isNewline }
    if isHeader, let quote = line.firstIndex(where: { "\"'".contains($0) }) {
      value = rest[..<quote]
    }
    if value.isEmpty || isReference(value) { return lead }
    rest = rest[value.endIndex...]
    return lead + mask
  }
}

extension SensitiveText {
  /// The end of a quoted text: a quote with no more backslashes than its first one has. In single
  /// quotes a backslash is one.
  fileprivate static func end(
    of text: Substring, quotedBy quote: Character, _ slashes: Int
  ) -> Substring.Index {
    var found = 0
    for index in text.indices {
      if text[index] == quote, found <= slashes || (quote == "'" && slashes == 0) {
        return text.index(index, offsetBy: quote == "'" && slashes == 0 ? 0 : -found)
      }
      found = text[index] == "\\" ? found + 1 : 0
    }
    return text.endIndex
  }
}

extension StringProtocol where SubSequence == Substring {
  /// The longest end whose characters all fit.
  fileprivate func suffix(while fits: (Character) -> Bool) -> Substring {
    self[(lastIndex { !fits($0) }.map(index(after:)) ?? startIndex)...]
  }
}
