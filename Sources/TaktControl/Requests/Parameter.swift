import TaktAPI
import TaktCore
import TaktTime

/// A parameter of a route: both parsing and description are derived from it.
struct Parameter<Value: Sendable>: Sendable {
  let about: ParameterAbout
  /// Parses the text; nil for a missing parameter.
  let read: @Sendable (_ text: String?) throws -> Value

  fileprivate init(
    _ name: String, _ sentence: String, _ schema: JSONWriter, isRequired: Bool = false,
    _ read: @escaping @Sendable (String?) throws -> Value
  ) {
    about = ParameterAbout(
      name: name, sentence: sentence, schema: schema.bytes, isRequired: isRequired)
    self.read = read
  }
}

struct ParameterAbout: Sendable {
  enum Place: String {
    case query, header
  }

  let name: String
  let sentence: String
  let schema: [UInt8]
  var isRequired = false
  var place = Place.query

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("name", name)
      json.member("in", place.rawValue)
      json.key("required")
      json.value(isRequired)
      json.member("description", sentence)
      json.key("schema")
      json.value(raw: schema)
    }
  }
}

private func schema(_ type: String, _ rest: (inout JSONWriter) -> Void = { _ in }) -> JSONWriter {
  var json = JSONWriter()
  json.object { json in
    json.member("type", type)
    rest(&json)
  }
  return json
}

extension Parameter where Value == String? {
  /// A text of at most 200 characters.
  static func text(_ name: String, _ sentence: String) -> Self {
    let lengthMax = 200
    return Self(name, sentence, schema("string") { $0.member("maxLength", lengthMax) }) { text in
      guard text.map({ $0.unicodeScalars.count <= lengthMax }) ?? true else {
        throw Problem(.badRequest, "'\(name)' takes at most \(lengthMax) characters")
      }
      return text
    }
  }

  /// - Parameter refuse: makes the refusal of an unknown word.
  static func choice(
    _ name: String, _ words: [String], default standard: String? = nil, _ sentence: String,
    refusing refuse: @escaping @Sendable (String) -> Problem
  ) -> Self {
    let json = schema("string") { json in
      json.key("enum")
      json.array(words) { $0.value($1) }
      json.member("default", standard)
    }
    return Self(name, sentence, json) { text in
      if let text, !words.contains(text) { throw refuse(text) }
      return text
    }
  }
}

extension Parameter where Value == Int? {
  static func integer(_ name: String, _ range: ClosedRange<Int>, _ sentence: String) -> Self {
    Self(name, sentence, range.schema(nil)) { try range.number($0, of: name) }
  }
}

extension Parameter where Value == Int {
  static func integer(
    _ name: String, _ range: ClosedRange<Int>, default standard: Int, _ sentence: String
  ) -> Self {
    Self(name, sentence, range.schema(standard)) { try range.number($0, of: name) ?? standard }
  }
}

extension ClosedRange<Int> {
  fileprivate func schema(_ standard: Int?) -> JSONWriter {
    TaktControl.schema("integer") { json in
      json.member("format", "int64")
      json.member("minimum", lowerBound)
      if upperBound < .max { json.member("maximum", upperBound) }
      json.member("default", standard)
    }
  }

  fileprivate func number(_ text: String?, of name: String) throws -> Int? {
    guard let text else { return nil }
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text),
      contains(number)
    else {
      throw Problem(
        .badRequest,
        upperBound == .max
          ? "'\(name)' takes a whole number from \(lowerBound)"
          : "'\(name)' takes a whole number from \(lowerBound) to \(upperBound)")
    }
    return number
  }
}

extension Parameter where Value == Bool {
  static func flag(_ name: String, _ sentence: String) -> Self {
    let json = schema("boolean") { json in
      json.key("default")
      json.value(false)
    }
    return Self(name, sentence, json) { text in
      switch text {
      case nil, "false"?: return false
      case "true"?: return true
      default: throw Problem(.badRequest, "'\(name)' must be true or false")
      }
    }
  }
}

extension Parameter where Value == JobName? {
  static func job(_ name: String, _ sentence: String) -> Self {
    Self(name, sentence, schema("string") { $0.member("pattern", JobName.pattern) }) { text in
      guard let text else { return nil }
      guard let job = JobName(text) else {
        throw Problem(.badRequest, "'\(name)' must be the name of a job")
      }
      return job
    }
  }
}

extension Parameter where Value == WallInstant? {
  /// An instant with an offset, from 1970 to 2200.
  ///
  /// - Parameter isFuture: true for an instant to come.
  static func instant(
    _ name: String, _ sentence: String, isFuture: Bool = false, isRequired: Bool = false
  ) -> Self {
    let json = schema("string") { json in
      if isFuture {
        json.member("format", "date-time")
      } else {
        json.member("pattern", API.instantPattern)
      }
    }
    return Self(name, sentence, json, isRequired: isRequired) { text in
      try text.map { try Query.instant($0, of: name) }
    }
  }
}

extension JobName {
  /// The pattern for the description of the API.
  static let pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
}
