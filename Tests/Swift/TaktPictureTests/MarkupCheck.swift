/// A check that a text is well-formed XML as far as pictures use it, and a count of its elements.
struct MarkupCheck {
  /// The first problem; nil for none.
  private(set) var fault: String?
  private(set) var elements = 0
  private var open: [Substring] = []

  init(_ text: String) {
    for scalar in text.unicodeScalars where scalar != "\n" && scalar.value < 0x20 {
      fault = "forbidden character \(scalar.value)"
      return
    }
    var rest = text[...]
    while fault == nil, let start = rest.firstIndex(of: "<") {
      checkText(rest[..<start])
      guard let end = rest[start...].firstIndex(of: ">") else {
        fault = "a tag without end"
        return
      }
      checkTag(rest[rest.index(after: start)..<end])
      rest = rest[rest.index(after: end)...]
    }
    if fault == nil && !open.isEmpty { fault = "not closed: \(open)" }
    if fault == nil && !rest.allSatisfy(\.isWhitespace) { fault = "text after the end" }
  }

  private mutating func checkTag(_ tag: Substring) {
    if tag.first == "/" {
      if open.popLast() != tag.dropFirst() { fault = "closed but not open: \(tag)" }
      return
    }
    elements += 1
    let isEmpty = tag.last == "/"
    let body = isEmpty ? tag.dropLast() : tag
    let name = body.prefix { $0 != " " }
    let quotes = body.split(separator: "\"", omittingEmptySubsequences: false)
    if quotes.count % 2 == 0 || body.contains("<") { fault = "bad attributes: \(tag)" }
    for value in quotes { checkText(value) }
    if !isEmpty { open.append(name) }
  }

  private mutating func checkText(_ text: Substring) {
    for part in text.split(separator: "&", omittingEmptySubsequences: false).dropFirst() {
      let entities = ["amp;", "lt;", "gt;", "quot;", "#39;"]
      if !entities.contains(where: part.hasPrefix) { fault = "bad entity: &\(part)" }
    }
  }
}
