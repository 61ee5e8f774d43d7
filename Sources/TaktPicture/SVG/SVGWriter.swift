/// The text of an SVG picture as it grows. All values and texts are escaped here and nowhere else.
struct SVGWriter: Sendable {
  private(set) var text = ""

  mutating func open(_ name: String, _ attributes: KeyValuePairs<String, String> = [:]) {
    begin(name, attributes)
    text += ">\n"
  }

  mutating func close(_ name: String) {
    text += "</\(name)>\n"
  }

  mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String>, tooltip: String? = nil
  ) {
    begin(name, attributes)
    if let tooltip {
      text += "><title>\(XMLText.escaped(tooltip))</title></\(name)>\n"
    } else {
      text += "/>\n"
    }
  }

  mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:], content: String
  ) {
    begin(name, attributes)
    text += ">\(XMLText.escaped(content))</\(name)>\n"
  }

  /// A path, unless it is empty.
  mutating func path(_ data: String, class name: String, tooltip: String? = nil) {
    if !data.isEmpty { element("path", ["class": name, "d": data], tooltip: tooltip) }
  }

  /// A line of text with its baseline at `y`.
  mutating func label(_ content: String, x: Double, y: Double, class name: String = "") {
    let x = PictureText.coordinate(x)
    let y = PictureText.coordinate(y)
    if name.isEmpty {
      element("text", ["x": x, "y": y], content: content)
    } else {
      element("text", ["class": name, "x": x, "y": y], content: content)
    }
  }

  mutating func rectangle(
    x: Double, y: Double, width: Double, height: Double, class name: String, tooltip: String? = nil
  ) {
    element(
      "rect",
      [
        "class": name, "x": PictureText.coordinate(x), "y": PictureText.coordinate(y),
        "width": PictureText.coordinate(width), "height": PictureText.coordinate(height),
      ], tooltip: tooltip)
  }

  /// Text that is markup already.
  mutating func markup(_ markup: String) {
    text += markup
  }

  private mutating func begin(_ name: String, _ attributes: KeyValuePairs<String, String>) {
    text += "<\(name)"
    for (key, value) in attributes { text += " \(key)=\"\(XMLText.escaped(value))\"" }
  }
}

/// Text made fit for XML, whatever it holds.
enum XMLText {
  /// The text with the characters of markup escaped and those that XML forbids replaced.
  static func escaped(_ text: String) -> String {
    if text.utf8.allSatisfy(isPlain) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
      }
    }
    return result
  }

  /// The text on one line: every control character a space, for labels.
  static func oneLine(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      let isBreak =
        scalar == "\n" || scalar == "\r" || scalar == "\t" || scalar == "\u{2028}"
        || scalar == "\u{2029}"
      result.unicodeScalars.append(isBreak ? " " : isAllowed(scalar) ? scalar : "\u{FFFD}")
    }
    return result
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
      UInt8(ascii: "'"):
      return false
    default: return byte >= 0x20 && byte < 0x7F
    }
  }

  // A carriage return is allowed but a reader may turn it into something else; nobody misses it.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: return true
    case ..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF: return false
    default: return true
    }
  }
}
