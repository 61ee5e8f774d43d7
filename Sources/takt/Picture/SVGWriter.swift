/// The text of an SVG picture as it grows. All values and texts are escaped here and nowhere else.
struct SVGWriter: Sendable {
  /// What was written so far.
  private(set) var text = ""

  /// Opens an element.
  mutating func open(_ name: String, _ attributes: KeyValuePairs<String, String> = [:]) {
    begin(name, attributes)
    text += ">\n"
  }

  /// Closes the element opened last.
  mutating func close(_ name: String) {
    text += "</\(name)>\n"
  }

  /// An element with at most a tooltip in it.
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

  /// An element that holds text.
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

  /// A rectangle.
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
