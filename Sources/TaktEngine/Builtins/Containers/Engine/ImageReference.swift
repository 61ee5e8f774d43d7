/// The name of an image: `[HOST[:PORT]/]NAME[:TAG][@DIGEST]`.
struct ImageReference: Hashable, Sendable, CustomStringConvertible {
  let description: String
  private let hasTag: Bool

  init?(_ text: String) {
    guard (1...512).contains(text.utf8.count) else { return nil }
    var rest = text[...]
    var hasTag = false
    if let at = rest.firstIndex(of: "@") {
      guard Self.isDigest(rest[rest.index(after: at)...]) else { return nil }
      rest = rest[..<at]
      hasTag = true
    }
    let nameStart = rest.lastIndex(of: "/") ?? rest.startIndex
    if let colon = rest[nameStart...].lastIndex(of: ":") {
      guard Self.isTag(rest[rest.index(after: colon)...]) else { return nil }
      rest = rest[..<colon]
      hasTag = true
    }
    var parts = rest.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count > 1, Self.isHost(parts[0]) { parts.removeFirst() }
    guard !parts.isEmpty, parts.allSatisfy(Self.isPart) else { return nil }
    description = text
    self.hasTag = hasTag
  }

  /// The name to fetch: without a tag an engine fetches all tags.
  var withTag: String { hasTag ? description : description + ":latest" }

  private static func isDigest(_ text: Substring) -> Bool {
    guard let colon = text.firstIndex(of: ":") else { return false }
    let digits = text[text.index(after: colon)...].utf8
    return !text[..<colon].isEmpty && (32...256).contains(digits.count)
      && text[..<colon].utf8.allSatisfy { isLower($0) || "+._-".utf8.contains($0) }
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func isTag(_ text: Substring) -> Bool {
    (1...128).contains(text.utf8.count) && !".-".utf8.contains(text.utf8.first ?? 0)
      && text.utf8.allSatisfy { isLower($0) || isUpper($0) || "._-".utf8.contains($0) }
  }

  /// True if the first part is a host, because of a character that is allowed in no other part.
  private static func isHost(_ text: Substring) -> Bool {
    guard text == "localhost" || text.utf8.contains(where: { ".:".utf8.contains($0) }) else {
      return false
    }
    guard let first = text.utf8.first, !".:-]".utf8.contains(first) else { return false }
    return text.utf8.allSatisfy { isLower($0) || isUpper($0) || ".:-[]".utf8.contains($0) }
  }

  private static func isPart(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last else { return false }
    return isLower(first) && isLower(last)
      && text.utf8.allSatisfy { isLower($0) || "._-".utf8.contains($0) }
  }

  /// Includes digits.
  private static func isLower(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte)
  }

  private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) }
}
