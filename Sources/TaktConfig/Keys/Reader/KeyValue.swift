import TaktCore
import TaktTime

/// A value of the file with the type of its key.
enum KeyValue {
  /// Removes the value of `defaults`.
  case null
  case text(String)
  case boolean(Bool)
  /// A whole number, or a size in bytes.
  case integer(Int)
  case number(Double)
  case duration(Duration)
  case percent(Double)
  case instant(InstantText)
  case rate(LineRate)
  case list([Located])
  case map([MapField])
  case object(KeyFields)
  /// A value whose type is not in the key table.
  case node(YAMLNode)

  struct Located {
    var value: KeyValue
    var mark: YAMLMark
  }

  /// One name of a mapping of free names. The value is nil if it was wrong.
  struct MapField {
    var name: String
    var nameMark: YAMLMark
    var value: KeyValue?
    var mark: YAMLMark
  }
}

extension KeyValue {
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var integer: Int? { if case .integer(let value) = self { value } else { nil } }
  var number: Double? { if case .number(let value) = self { value } else { nil } }
  var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  var percent: Double? { if case .percent(let value) = self { value } else { nil } }
  var rate: LineRate? { if case .rate(let rate) = self { rate } else { nil } }
  var duration: Duration? { if case .duration(let duration) = self { duration } else { nil } }
  var list: [Located]? { if case .list(let list) = self { list } else { nil } }
  var map: [MapField]? { if case .map(let fields) = self { fields } else { nil } }
  var object: KeyFields? { if case .object(let fields) = self { fields } else { nil } }
  var texts: [String] { list?.compactMap(\.value.text) ?? [] }
  func choice<Choice: RawRepresentable<String>>() -> Choice? { text.flatMap(Choice.init) }
  var isNull: Bool { if case .null = self { true } else { false } }
}

/// The known keys of one mapping with their values.
struct KeyFields {
  /// One key. The value is nil if it was wrong, which has been reported.
  struct Field {
    let entry: KeyEntry
    let keyMark: YAMLMark
    var value: KeyValue?
    let mark: YAMLMark

    var name: String { entry.name }
  }

  private(set) var fields: [Field] = []
  /// True if unknown keys were skipped: a key that seems missing may be one of them.
  var hasUnknownKeys = false

  init(capacity: Int) { fields.reserveCapacity(capacity) }

  mutating func append(_ field: Field) { fields.append(field) }

  // A mapping has few keys, so that a linear search is fastest.

  subscript(name: String) -> Field? { fields.first { $0.name == name } }

  subscript(key: JobKey) -> Field? {
    for index in fields.indices where fields[index].entry.key === key { return fields[index] }
    return nil
  }

  func has(_ key: JobKey) -> Bool { fields.contains { $0.entry.key === key } }
}
