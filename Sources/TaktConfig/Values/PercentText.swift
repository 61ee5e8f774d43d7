/// A share as a jobs file writes it: `10%`, `12.5%`.
enum PercentText {
  /// The number before the sign; nil when the text is no share.
  static func parse(_ text: String) -> Double? {
    guard text.utf8.last == UInt8(ascii: "%"), text.utf8.count <= 32 else { return nil }
    let number = text.utf8.dropLast()
    let parts = number.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let isNumber = parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { (0x30...0x39).contains($0) }
    }
    return isNumber ? Double(Substring(number)) : nil
  }
}
