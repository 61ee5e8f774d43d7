import TaktCore

/// Reads a property list in XML as a tree of values with their places.
struct PropertyList {
  struct Problem: Error {
    var place: SourceLocation
    var sentence: String
  }

  private let file: String
  private var rest: ArraySlice<Unicode.Scalar>
  private var line = 1
  private var column = 1
  private var count = 0

  private static let depthMax = 32
  private static let valuesMax = 100_000

  static func read(_ text: SourceLines) throws(Problem) -> ForeignNode {
    var reader = PropertyList(text)
    return try reader.document()
  }

  private init(_ text: SourceLines) {
    file = text.file
    var scalars: [Unicode.Scalar] = []
    for line in text.lines {
      scalars += line.scalars
      scalars.append("\n")
    }
    rest = scalars[...]
  }

  private var place: SourceLocation { SourceLocation(file: file, line: line, column: column) }

  private func problem(_ sentence: String) -> Problem { Problem(place: place, sentence: sentence) }

  // MARK: Characters

  private mutating func next() -> Unicode.Scalar? {
    guard let scalar = rest.popFirst() else { return nil }
    if scalar == "\n" {
      line += 1
      column = 1
    } else {
      column += 1
    }
    return scalar
  }

  private func begins(with text: String) -> Bool { rest.starts(with: text.unicodeScalars) }

  private mutating func skip(_ count: Int) { for _ in 0..<count { _ = next() } }

  /// Skips everything up to the text, and the text itself.
  private mutating func skip(past text: String) throws(Problem) {
    while !rest.isEmpty {
      if begins(with: text) { return skip(text.unicodeScalars.count) }
      _ = next()
    }
    throw problem("the file ends too early")
  }

  /// Skips blanks, comments, the XML declaration and the document type.
  private mutating func skipMisc() throws(Problem) {
    while let scalar = rest.first {
      if scalar.properties.isWhitespace || scalar == "\u{feff}" {
        _ = next()
      } else if begins(with: "<!--") {
        try skip(past: "-->")
      } else if begins(with: "<?") {
        try skip(past: "?>")
      } else if begins(with: "<!DOCTYPE") {
        let declaration = rest.prefix { $0 != ">" }
        if declaration.contains("[") { throw problem("takt reads no entities of a document") }
        try skip(past: ">")
      } else {
        return
      }
    }
  }

  // MARK: Elements

  private mutating func document() throws(Problem) -> ForeignNode {
    try skipMisc()
    guard try tag() == "plist" else { throw problem("this is no property list") }
    try skipMisc()
    let node = try value(depth: 0)
    try close("plist")
    return node
  }

  /// Reads the tag that starts here: its name, with a `/` at the end if the element is empty.
  private mutating func tag() throws(Problem) -> String {
    guard begins(with: "<"), !begins(with: "</") else { throw problem("a value is missing") }
    skip(1)
    var text = ""
    while let scalar = next() {
      if scalar == ">" {
        let name = text.prefix { $0 != " " && $0 != "\n" && $0 != "\t" && $0 != "/" }
        return String(name) + (text.hasSuffix("/") ? "/" : "")
      }
      text.unicodeScalars.append(scalar)
    }
    throw problem("a tag does not end")
  }

  private mutating func close(_ name: String) throws(Problem) {
    try skipMisc()
    guard begins(with: "</\(name)") else { throw problem("'</\(name)>' is missing") }
    try skip(past: ">")
  }

  private mutating func value(depth: Int) throws(Problem) -> ForeignNode {
    count += 1
    guard depth < Self.depthMax, count < Self.valuesMax else {
      throw problem("too many values, or values in values")
    }
    let place = place
    let name = try tag()
    switch name {
    case "true/", "false/":
      return ForeignNode(.scalar(String(name.dropLast())), at: place)
    case "true", "false":
      try close(name)
      return ForeignNode(.scalar(name), at: place)
    case "string", "integer", "real", "date", "data", "key":
      return ForeignNode(.scalar(try text(until: name)), at: place)
    case "string/", "data/", "key/": return ForeignNode(.scalar(""), at: place)
    case "array/": return ForeignNode(.list([]), at: place)
    case "dict/": return ForeignNode(.map([]), at: place)
    case "array": return ForeignNode(.list(try items(depth: depth)), at: place)
    case "dict": return ForeignNode(.map(try entries(depth: depth)), at: place)
    default: throw problem("'<\(name)>' is no value of a property list")
    }
  }

  private mutating func items(depth: Int) throws(Problem) -> [ForeignNode] {
    var items: [ForeignNode] = []
    try skipMisc()
    while !begins(with: "</") {
      items.append(try value(depth: depth + 1))
      try skipMisc()
    }
    try close("array")
    return items
  }

  private mutating func entries(depth: Int) throws(Problem) -> [ForeignEntry] {
    var entries: [ForeignEntry] = []
    try skipMisc()
    while !begins(with: "</") {
      let place = place
      guard begins(with: "<key"), let key = try value(depth: depth + 1).text else {
        throw problem("a key is missing")
      }
      try skipMisc()
      let value = try value(depth: depth + 1)
      // The last value of a key counts.
      entries.removeAll { $0.key == key }
      entries.append(ForeignEntry(key: key, at: place, value: value))
      try skipMisc()
    }
    try close("dict")
    return entries
  }

  private static let entities: [String: Unicode.Scalar] = [
    "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
  ]

  private mutating func text(until name: String) throws(Problem) -> String {
    var text = String.UnicodeScalarView()
    while let scalar = rest.first {
      if begins(with: "</") {
        try close(name)
        return String(text)
      }
      if begins(with: "<!--") {
        try skip(past: "-->")
      } else if begins(with: "<![CDATA[") {
        skip(9)
        while !begins(with: "]]>") {
          guard let scalar = next() else { throw problem("a text does not end") }
          text.append(scalar)
        }
        skip(3)
      } else if scalar == "<" {
        throw problem("'</\(name)>' is missing")
      } else if scalar == "&" {
        text.append(try entity())
      } else {
        text.append(scalar)
        _ = next()
      }
    }
    throw problem("'</\(name)>' is missing")
  }

  private mutating func entity() throws(Problem) -> Unicode.Scalar {
    skip(1)
    var name = ""
    while let scalar = next(), scalar != ";", name.utf8.count < 12 {
      name.unicodeScalars.append(scalar)
    }
    if let scalar = Self.entities[name] { return scalar }
    let number =
      name.hasPrefix("#x")
      ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
    guard let scalar = number.flatMap(Unicode.Scalar.init), scalar.value != 0 else {
      throw problem("takt does not know '&\(name);'")
    }
    return scalar
  }
}
