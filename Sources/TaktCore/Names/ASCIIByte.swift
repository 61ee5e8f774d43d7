/// Classes of ASCII bytes. Inlinable, since texts are read byte by byte.
extension UInt8 {
  @inlinable package var isDigit: Bool { self >= 0x30 && self <= 0x39 }
  @inlinable package var isLetter: Bool { self | 0x20 >= 0x61 && self | 0x20 <= 0x7a }
  package var isHexDigit: Bool { isDigit || (0x61...0x66).contains(self | 0x20) }
  /// A letter, a digit or `_`.
  @inlinable package var isWordByte: Bool { isLetter || isDigit || self == 0x5f }
  /// A letter, a digit, `_`, `-` or `.`: the characters in names of jobs and of hosts.
  @inlinable package var isNameByte: Bool { isWordByte || self == 0x2d || self == 0x2e }
}

extension StringProtocol {
  /// True for the name of a variable of the environment: `[A-Za-z_][A-Za-z0-9_]*`.
  @inlinable package var isVariableName: Bool {
    utf8.first.map { !$0.isDigit } == true && utf8.allSatisfy(\.isWordByte)
  }
}
