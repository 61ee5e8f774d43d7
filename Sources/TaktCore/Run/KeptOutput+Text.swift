extension KeptOutput {
  /// The end of the output as text of at most `bytesMax` bytes in UTF-8; it begins with a whole
  /// character. What is no UTF-8 is shown as U+FFFD; where something is missing between the
  /// beginning and the end, only what is behind it is told.
  package func endText(bytesMax: Int) -> String {
    let bytes = droppedBytes == 0 ? head + tail : tail
    var end = bytes.suffix(max(0, bytesMax))
    if end.count < bytes.count || droppedBytes > 0 {
      // What is left of a character that was cut: three bytes at most.
      let rest = end.prefix(3).prefix { $0 & 0xC0 == 0x80 }
      end = end.dropFirst(rest.count)
    }
    var text = String(decoding: end, as: UTF8.self).unicodeScalars[...]
    // A byte that is no text has become a character of three.
    while case let excess = text.utf8Count - max(0, bytesMax), excess > 0 {
      text = text.dropFirst((excess + 3) / 4)
    }
    return String(text)
  }
}

extension Substring.UnicodeScalarView {
  fileprivate var utf8Count: Int { Substring(self).utf8.count }
}
