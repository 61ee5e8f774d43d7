import TaktTime

/// Text for people: its likely width, its shortened form, numbers in words.
///
/// The reader's font is unknown, so widths are estimates on the generous side.
enum PictureText {
  /// In pixels.
  static func width(_ text: String, fontSize: Double) -> Double {
    text.reduce(0) { $0 + emWidth($1) } * fontSize
  }

  /// The text on one line, cut with … where it would be wider than `width` pixels.
  static func shortened(_ text: String, toWidth width: Double, fontSize: Double) -> String {
    var kept = ""
    var used = 0.0
    var keptBeforeCut = ""
    let room = width / fontSize
    for character in XMLText.oneLine(text) {
      // A character may be thousands of scalars long; none that means something is.
      guard character.unicodeScalars.count <= 32 else { return keptBeforeCut + "…" }
      used += emWidth(character)
      if used > room { return keptBeforeCut + "…" }
      kept.append(character)
      if used + 0.8 <= room { keptBeforeCut = kept }
    }
    return kept
  }

  /// A count with its thousands apart: `1,234,567`.
  static func count(_ number: Int) -> String {
    var digits = String(number.magnitude)
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
      place -= 3
    }
    return (number < 0 ? "−" : "") + digits
  }

  /// A count with its noun: `1 slot`, `2 slots`.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// A length of time in its two largest units: `1m 30s`.
  static func duration(_ milliseconds: Int64) -> String {
    let units = Array(DurationText.units.dropFirst())
    // Nobody asks how many milliseconds a quarter of a minute had.
    let whole =
      milliseconds < 10_000 ? max(0, milliseconds) : (milliseconds / 500 + 1) / 2 * 1_000
    guard let first = units.firstIndex(where: { whole >= $0.milliseconds }) else { return "0s" }
    let unit = units[first]
    let rest = whole % unit.milliseconds
    let head = "\(whole / unit.milliseconds)\(unit.name)"
    guard first + 1 < units.count else { return head }
    let next = units[first + 1]
    let count = rest / next.milliseconds
    return count == 0 ? head : "\(head) \(count)\(next.name)"
  }

  /// A coordinate to a tenth of a pixel, as short as it goes.
  static func coordinate(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    let whole = tenths.magnitude / 10
    let tail = tenths.magnitude % 10
    return "\(tenths < 0 ? "-" : "")\(whole)" + (tail == 0 ? "" : ".\(tail)")
  }

  private static func emWidth(_ character: Character) -> Double {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar {
    case "i", "j", "l", "I", "|", ".", ",", ":", ";", "'", " ", "!": return 0.32
    case "f", "t", "r", "-", "(", ")", "/": return 0.42
    case "m", "w", "M", "W", "@", "%", "…", "—", "→": return 0.95
    case "A"..."Z": return 0.72
    default: return scalar.value < 0x1100 ? 0.59 : 1.05
    }
  }
}
