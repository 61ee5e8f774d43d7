enum EnvironmentName {
  /// Whether takt passes a variable of this name: `[A-Za-z_][A-Za-z0-9_]*`.
  static func isValid(_ name: String) -> Bool {
    guard let first = name.utf8.first, first == UInt8(ascii: "_") || isLetter(first) else {
      return false
    }
    return name.utf8.allSatisfy { isLetter($0) || $0 == UInt8(ascii: "_") || isDigit($0) }
  }

  /// Whether the text has letters, digits, `_` and `-` alone, as Debian wants the names of files that
  /// cron and run-parts read.
  static func isPlainFileName(_ name: String) -> Bool {
    name.utf8.allSatisfy { isLetter($0) || isDigit($0) || "_-".utf8.contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
