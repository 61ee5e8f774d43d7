/// Names of files, or paths below a folder, as a glob: `*.csv`, `**/*.csv`, `[0-9]*/done`.
///
/// `*` and `?` stand for characters of one name, `[a-z]` and `[!a-z]` for one of some, and `**` between
/// slashes for any folders, or none. A name that starts with a dot is only matched by a dot. A pattern
/// without a slash is compared with the last name of a path alone.
package struct PathPattern: Hashable, Sendable, Comparable {
  package enum Problem: Error, Hashable {
    case tooLong, absolute, emptyName, dots, starsInName
  }

  package static let bytesMax = 1024

  package let text: String
  /// The names between its slashes, as characters.
  private let names: [[UInt32]]

  package init(_ text: String) throws(Problem) {
    guard text.utf8.count <= Self.bytesMax else { throw .tooLong }
    if text.utf8.first == Self.slash { throw .absolute }
    self.text = text
    names = text.utf8.split(separator: Self.slash, omittingEmptySubsequences: false)
      .map { Self.characters(of: $0) }
    for name in names {
      if name.isEmpty { throw .emptyName }
      if name == [Self.dot] || name == [Self.dot, Self.dot] { throw .dots }
      let hasStars = zip(name, name.dropFirst()).contains { $0 == Self.star && $1 == Self.star }
      if hasStars, name != Self.anyFolders { throw .starsInName }
    }
  }

  package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

  /// True if it may match entries of folders below.
  package var reachesBelow: Bool { names.count > 1 || names.first == Self.anyFolders }

  /// The first part that stands for itself here and not in other globs: `{a,b}`, or a `[` without an
  /// end.
  package var literalPart: String? {
    var start: String.Index?
    var hasComma = false
    var end = text.startIndex
    for (place, character) in zip(text.indices, text) where place >= end {
      switch character {
      case "[":
        let set = text[place...].dropFirst().prefix { $0 != "/" }.dropFirst()
        guard let close = set.firstIndex(of: "]") else { return "[" }
        end = text.index(after: close)
      case "{": (start, hasComma) = (place, false)
      case ",": hasComma = true
      case "}":
        if let start, hasComma { return String(text[start...place]) }
        start = nil
      default: break
      }
    }
    return nil
  }

  /// - Parameter path: relative to the folder.
  package func matches(_ path: some Collection<UInt8>) -> Bool {
    let parts = path.split(separator: Self.slash).map { Self.characters(of: $0) }
    guard let last = parts.last else { return false }
    return reachesBelow ? matches(parts) : Self.matches(names[0], last)
  }

  /// As for one name, with `**` in the place of `*`: after a mismatch the last one takes one more, so
  /// that no path takes longer than its length times that of the pattern.
  private func matches(_ parts: [[UInt32]]) -> Bool {
    var (name, part) = (0, 0)
    var retry: (name: Int, part: Int)?
    while part < parts.count {
      if name < names.count, names[name] == Self.anyFolders {
        retry = (name, part)
        name += 1
      } else if name < names.count, Self.matches(names[name], parts[part]) {
        name += 1
        part += 1
      } else if let last = retry, parts[last.part].first != Self.dot {
        retry = (last.name, last.part + 1)
        (name, part) = (last.name + 1, last.part + 1)
      } else {
        return false
      }
    }
    return names[name...].allSatisfy { $0 == Self.anyFolders }
  }

  private static func matches(_ pattern: [UInt32], _ name: [UInt32]) -> Bool {
    if name.first == dot, pattern.first != dot { return false }
    var (place, character) = (0, 0)
    var retry: (place: Int, character: Int)?
    while character < name.count {
      if place < pattern.count, pattern[place] == star {
        retry = (place, character)
        place += 1
      } else if place < pattern.count, let next = end(of: place, in: pattern, for: name[character])
      {
        place = next
        character += 1
      } else if let last = retry {
        retry = (last.place, last.character + 1)
        (place, character) = (last.place + 1, last.character + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == star }
  }

  /// The place behind what stands for one character; nil where that is not this one.
  private static func end(of place: Int, in pattern: [UInt32], for character: UInt32) -> Int? {
    switch pattern[place] {
    case question: return place + 1
    case bracket:
      guard let close = pattern.dropFirst(place + 2).firstIndex(of: closingBracket) else { break }
      return isOneOf(pattern[(place + 1)..<close], character) ? close + 1 : nil
    default: break
    }
    return pattern[place] == character ? place + 1 : nil
  }

  private static func isOneOf(_ set: ArraySlice<UInt32>, _ character: UInt32) -> Bool {
    var rest = set
    let isNegated = rest.count > 1 && (rest.first == exclamation || rest.first == caret)
    if isNegated { rest.removeFirst() }
    var isFound = false
    while let first = rest.popFirst() {
      if rest.count > 1, rest.first == hyphen {
        rest.removeFirst()
        if let last = rest.popFirst(), first <= character, character <= last { isFound = true }
      } else if first == character {
        isFound = true
      }
    }
    return isFound != isNegated
  }

  /// Characters of UTF-8; each byte that is none of it is one of its own.
  private static func characters(of bytes: some Collection<UInt8>) -> [UInt32] {
    var rest = Array(bytes)[...]
    var characters: [UInt32] = []
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
      if let text = String(validating: rest.prefix(length), as: UTF8.self),
        text.unicodeScalars.count == 1, let scalar = text.unicodeScalars.first
      {
        characters.append(scalar.value)
        rest = rest.dropFirst(length)
      } else {
        characters.append(0x11_0000 + UInt32(first))
        rest = rest.dropFirst()
      }
    }
    return characters
  }

  private static let slash = UInt8(ascii: "/")
  private static let star = UInt32(UInt8(ascii: "*"))
  private static let anyFolders = [star, star]
  private static let question = UInt32(UInt8(ascii: "?"))
  private static let bracket = UInt32(UInt8(ascii: "["))
  private static let closingBracket = UInt32(UInt8(ascii: "]"))
  private static let exclamation = UInt32(UInt8(ascii: "!"))
  private static let caret = UInt32(UInt8(ascii: "^"))
  private static let hyphen = UInt32(UInt8(ascii: "-"))
  private static let dot = UInt32(UInt8(ascii: "."))
}
