/// Credentials without a telling name: users with passwords, and tokens in the place of a user or
/// in a path.
enum SensitiveCredential {
  /// Passwords that services take if the user is the token.
  private static let placeholders: Set<Substring> = [
    "", "x", "X", "api_token", "api-token", "x-oauth-basic", "oauth2", "unused", "none",
  ]
  private static let prefixes = [
    "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "sk_", "sk-", "pk_", "xoxb-", "xoxp-",
    "dop_v1_",
    "hvs.", "AKIA",
  ]
  /// Parts of a path behind which a token follows.
  private static let tokenParts: Set<String> = [
    "token", "tokens", "secret", "apikey", "api_key", "api-key", "webhook", "webhooks", "webhookb2",
  ]

  /// The part of `user:password` that is not shown: the password, and the user as well if that is
  /// the token; nil if there is no password.
  static func secret(in pair: Substring, behind separators: String = ":") -> Substring? {
    guard let sign = pair.firstIndex(where: separators.contains) else {
      return isToken(pair) ? pair : nil
    }
    let user = pair[..<sign]
    let password = pair[pair.index(after: sign)...]
    if !user.isEmpty, placeholders.contains(password) || isToken(user),
      !SensitiveText.isReference(user)
    {
      return pair
    }
    let isShown =
      password.isEmpty || SensitiveText.isReference(password) || password == SensitiveText.mask[...]
    return isShown ? nil : password
  }

  /// Masks the likely tokens in the path of a URL.
  static func masked(path: Substring) -> String {
    var before = ""
    return path.split(separator: "/", omittingEmptySubsequences: false).map { part -> String in
      defer { before = part.lowercased() }
      if part.isEmpty || SensitiveText.isReference(part) || part.contains("{{") {
        return String(part)
      }
      let isNamed = tokenParts.contains(before)
      return isNamed || isToken(part) || isBot(part) ? SensitiveText.mask : String(part)
    }.joined(separator: "/")
  }

  /// True if a text is probably no word of a language: a long run of letters and digits, of small
  /// and capital letters, or a UUID.
  static func isToken(_ text: Substring) -> Bool {
    if prefixes.contains(where: { text.hasPrefix($0) && text.count > $0.count + 8 }) { return true }
    if isUUID(text) { return true }
    return text.split(whereSeparator: { !($0.isASCII && ($0.isLetter || $0.isNumber)) }).contains {
      let hasDigits = $0.contains(where: \.isNumber)
      let isMixed = $0.contains(where: \.isLowercase) && $0.contains(where: \.isUppercase)
      let hasLetters = $0.contains(where: \.isLetter)
      return ($0.count >= 16 && hasDigits && hasLetters) || ($0.count >= 20 && isMixed)
    }
  }

  private static func isUUID(_ text: Substring) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.count) == [8, 4, 4, 4, 12]
      && parts.allSatisfy { $0.allSatisfy(\.isHexDigit) }
  }

  /// True for the part of a bot of Telegram: `bot123:token`.
  private static func isBot(_ text: Substring) -> Bool {
    guard text.hasPrefix("bot"), let colon = text.firstIndex(of: ":") else { return false }
    let number = text[..<colon].dropFirst(3)
    return !number.isEmpty && number.allSatisfy(\.isNumber)
  }
}
