import TaktCore

/// The first byte of a file that no YAML text can contain.
struct TextFlaw: Equatable {
  enum Kind: Equatable {
    /// The file starts like UTF-16 or UTF-32.
    case otherEncoding
    /// A zero byte: this is no text at all.
    case zero
    case notUTF8
    case control(UInt32)
  }

  var kind: Kind
  /// From the start of the file, in bytes.
  var offset: Int

  /// Searches from `start`; nil if all bytes are text.
  static func first(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> TextFlaw? {
    if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
      return TextFlaw(kind: .otherEncoding, offset: 0)
    }
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      if byte >= 0x20 && byte < 0x7f || byte == 0x0a || byte == 0x0d || byte == 0x09 {
        index += 1
        continue
      }
      if byte == 0 { return TextFlaw(kind: .zero, offset: index) }
      guard let (value, length) = scalar(in: bytes, at: index) else {
        return TextFlaw(kind: .notUTF8, offset: index)
      }
      if !isAllowed(value) { return TextFlaw(kind: .control(value), offset: index) }
      index += length
    }
    return nil
  }

  private static func isAllowed(_ value: UInt32) -> Bool {
    switch value {
    case 0x09, 0x0a, 0x0d, 0x20...0x7e, 0x85, 0xa0...0xd7ff, 0xe000...0xfffd,
      0x10000...0x10ffff:
      true
    default: false
    }
  }

  private static func scalar(
    in bytes: UnsafeBufferPointer<UInt8>, at index: Int
  ) -> (value: UInt32, length: Int)? {
    let first = bytes[index]
    let (length, least): (Int, UInt32)
    switch first {
    case 0..<0x80: return (UInt32(first), 1)
    case 0xc2..<0xe0: (length, least) = (2, 0x80)
    case 0xe0..<0xf0: (length, least) = (3, 0x800)
    case 0xf0..<0xf5: (length, least) = (4, 0x10000)
    default: return nil
    }
    guard index + length <= bytes.count else { return nil }
    var value = UInt32(first) & (0x7f >> UInt32(length))
    for byte in bytes[index + 1..<index + length] {
      guard byte & 0xc0 == 0x80 else { return nil }
      value = value << 6 | UInt32(byte & 0x3f)
    }
    let isScalar = value >= least && value <= 0x10ffff && !(0xd800...0xdfff).contains(value)
    return isScalar ? (value, length) : nil
  }
}

extension Reporter {
  func report(_ flaw: TextFlaw) {
    let mark = source.mark(of: flaw)
    switch flaw.kind {
    case .otherEncoding:
      report(.notUTF8, at: mark, "the file is UTF-16", hint: "save it as UTF-8")
    case .zero:
      report(.notUTF8, at: mark, "zero byte: this is not a text file")
    case .notUTF8:
      report(
        .notUTF8, at: mark, "this character is not UTF-8", hint: "save the file as UTF-8")
    case .control(let value):
      let code = Unicode.Scalar(value)?.code ?? ""
      report(
        .syntax, at: mark, "the control character \(code) is not allowed",
        hint: "remove it, or write \\u\(code.dropFirst(2)) in double quotes")
    }
  }
}

extension Unicode.Scalar {
  /// A space that is none in YAML, such as the no-break space of word processors and web pages.
  var isWideSpace: Bool { isForeignSpace }
}
