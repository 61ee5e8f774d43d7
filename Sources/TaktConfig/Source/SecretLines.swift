/// The lines of a file that may hold a secret: those of a key such as `secrets`, `env` or
/// `password`, with its whole value.
///
/// They are found in the text itself, by indentation and brackets, and not by the parser: a line
/// must be hidden even if the file is no YAML, or if a mistake moves the secret under another key.
struct SecretLines {
  fileprivate typealias Line = Slice<UnsafeBufferPointer<UInt8>>
  private typealias Classes = UnsafeBufferPointer<UInt16>

  /// Keys whose values are never shown, in lower case.
  private static let words = [
    "secret", "secrets", "env", "environment", "password", "passwd", "passphrase", "token",
    "api_key", "apikey", "credential", "credentials", "authorization",
  ].map { Array($0.utf8) }

  /// For each byte: the lengths of the keys that start with it, as bits; in the highest bit, true
  /// for a part of a word; in the next, true for the sign in a URL with a password.
  private static let classes = (0...255).map { byte -> UInt16 in
    let lengths = words.filter { $0[0] == lowercased(UInt8(byte)) }
      .reduce(UInt16(0)) { $0 | 1 << UInt16($1.count) }
    return lengths | (isWord(UInt8(byte)) ? 0x8000 : 0) | (byte == 0x40 ? 0x4000 : 0)
  }

  /// From 1.
  let numbers: Set<Int>

  /// - Parameter starts: the offset of each line's first byte, in order.
  init(in bytes: UnsafeBufferPointer<UInt8>, starts: [Int]) {
    let lines = starts.indices.map { index in
      bytes[starts[index]..<(index + 1 < starts.count ? starts[index + 1] : bytes.count)]
    }
    // Through a pointer, since each byte of the file is looked up: the table has a row for each
    // value of a byte, so that no lookup is beyond its end. Measured by the gate's `load`.
    numbers = Self.classes.withUnsafeBufferPointer { Self.numbers(of: lines, $0) }
  }

  private static func numbers(of lines: [Line], _ classes: Classes) -> Set<Int> {
    var numbers: Set<Int> = []
    var open: Block?
    for (index, line) in lines.enumerated() {
      open = open?.continued(by: line)
      if open != nil { numbers.insert(index + 1) }
      var hasSign = false
      if let value = value(in: line, classes, hasSign: &hasSign) {
        numbers.insert(index + 1)
        open = Block(of: value, at: index, in: lines).merged(with: open)
      } else if hasSign, hasPassword(line) {
        numbers.insert(index + 1)
      }
    }
    return numbers
  }

  /// The lines of the values of keys, as far as they have been read. Nested values are one block,
  /// so that each line is examined once however many there are.
  private struct Block {
    /// The least indentation of lines that belong to it.
    private var least: Int
    /// The open brackets: their content belongs to it at any indentation. Brackets that are never
    /// closed hide the rest of the file.
    private var depth: Int

    init(of value: Line, at index: Int, in lines: [Line]) {
      least = SecretLines.indentation(of: lines[index]) + 1
      depth = SecretLines.openBrackets(in: value)
      guard SecretLines.isBlank(value.drop { SecretLines.isOne(of: ": \t\"'", $0) }),
        let next = lines[(index + 1)...].first(where: { !SecretLines.isBlank($0) })
      else { return }
      // Values that should be below the key are often not indented at all.
      least = min(least, SecretLines.indentation(of: next))
    }

    /// The union: it ends with the later of the two.
    func merged(with other: Block?) -> Block {
      guard let other else { return self }
      var block = self
      block.least = min(least, other.least)
      block.depth = max(depth, other.depth)
      return block
    }

    /// The block after a line; nil if the line does not belong to it.
    func continued(by line: Line) -> Block? {
      guard
        depth > 0 || SecretLines.isBlank(line) || SecretLines.indentation(of: line) >= least
      else { return nil }
      var block = self
      block.depth = max(0, depth + SecretLines.openBrackets(in: line))
      return block
    }
  }

  /// The rest of the line after the name of a key; nil if it has no such key.
  private static func value(in line: Line, _ classes: Classes, hasSign: inout Bool) -> Line? {
    let (bytes, end) = (line.base, line.endIndex)
    var start = line.startIndex
    while start < end {
      let first = classes[Int(bytes[start])]
      var next = start + 1
      guard first & 0x8000 != 0 else {
        if first & 0x4000 != 0 { hasSign = true }
        start = next
        continue
      }
      while next < end, classes[Int(bytes[next])] & 0x8000 != 0 { next += 1 }
      // Nearly all words fail the first of these tests.
      let length = next - start
      if first & 0x3fff != 0, length < 14, first >> length & 1 == 1, isKey(line[start..<next]) {
        let rest = line[next...]
        if rest.first.map({ isOne(of: " \t\r\n:=\"'", $0) }) ?? true { return rest }
      }
      start = next
    }
    return nil
  }

  private static func isKey(_ word: Line) -> Bool {
    words.contains { name in
      name.count == word.count && zip(name, word).allSatisfy { $0 == lowercased($1) }
    }
  }

  /// True if a URL with a user and a password is in the line.
  fileprivate static func hasPassword(_ line: Line) -> Bool {
    guard let sign = line.lastIndex(of: UInt8(ascii: "@")) else { return false }
    let text = line[..<sign]
    return text.indices.contains { index in
      guard text[index...].starts(with: "://".utf8) else { return false }
      return text[index...].dropFirst(3).contains(UInt8(ascii: ":"))
    }
  }

  /// True if `password=` or `passwd =` is in the line.
  fileprivate static func assignsPassword(_ line: Line) -> Bool {
    let words = [Array("password".utf8), Array("passwd".utf8)]
    return line.indices.contains { index in
      words.contains { word in
        let rest = line[index...]
        return rest.count > word.count && zip(rest, word).allSatisfy { lowercased($0) == $1 }
          && rest.dropFirst(word.count).first { $0 != UInt8(ascii: " ") } == UInt8(ascii: "=")
      }
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
  }

  private static func isOne(of signs: StaticString, _ byte: UInt8) -> Bool {
    signs.withUTF8Buffer { $0.contains(byte) }
  }

  private static func indentation(of line: Line) -> Int {
    line.prefix { isOne(of: " \t", $0) }.count
  }

  /// True if a line has nothing but a comment, an anchor or a tag.
  private static func isBlank(_ line: Line) -> Bool {
    line.first { !isOne(of: " \t\r\n", $0) }.map { isOne(of: "#&!", $0) } ?? true
  }

  private static func openBrackets(in line: Line) -> Int {
    line.reduce(into: 0) { depth, byte in
      if isOne(of: "[{", byte) { depth += 1 }
      if isOne(of: "]}", byte) { depth -= 1 }
    }
  }
}

extension String {
  /// True for an address with a password: a URL with a user and a password, or words such as
  /// `password=…`.
  var mayHoldPassword: Bool {
    guard utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "=") }) else {
      return false
    }
    var text = self
    return text.withUTF8 { bytes in
      SecretLines.hasPassword(bytes[...]) || SecretLines.assignsPassword(bytes[...])
    }
  }
}
