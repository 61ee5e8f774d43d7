/// The objects of the API. Each is declared here once, by one list of its fields, from which it is
/// written, read and described.
package enum API {}

/// A value in an answer of the API, or in a request to it.
package protocol APIValue: Sendable {
  /// The value of a field that an answer does not have.
  static var empty: Self { get }
  /// True if a field with this value is left out.
  var isAbsent: Bool { get }
  /// True if a field of this type may be left out.
  static var isOptional: Bool { get }

  /// Only what reads it changes it: `mutating` spares a copy of each object.
  mutating func write(to json: inout JSONWriter)
  static func read(from decoder: any Decoder) throws -> Self

  static func schema(
    _ rules: FieldRules, _ sentence: String, in components: inout SchemaComponents
  ) -> [UInt8]
}

extension APIValue {
  package var isAbsent: Bool { false }
  package static var isOptional: Bool { false }
}

package protocol APIObject: APIValue {
  /// With empty fields.
  init()

  /// Its name among the schemas of the description; nil (the default) where it is described in place.
  static var schemaName: String? { get }
  /// A sentence for the description; empty (the default) for an object that is described in place.
  static var summary: String { get }
  /// True if other fields are refused; false by default.
  static var isClosed: Bool { get }
  /// Other JSON that its schema has; none by default.
  static var schemaRest: [UInt8] { get }

  /// Visits each field, in the order in which it is written.
  mutating func list(in fields: inout some FieldVisitor)

  /// The members of an object that is passed on unchanged; nil (the default) for one made here.
  var relayedMembers: [UInt8]? { get }
}

package protocol FieldVisitor {
  /// - Parameters:
  ///   - name: its key in JSON.
  ///   - sentence: its meaning, its unit, and when it is absent.
  mutating func add<Value: APIValue>(
    _ name: String, _ value: inout Value, _ sentence: @autoclosure () -> String,
    _ rules: @autoclosure () -> FieldRules)

  /// The fields of another object, as this one's own.
  mutating func members<Object: APIObject>(of object: inout Object)
}

extension FieldVisitor {
  package mutating func add<Value: APIValue>(
    _ name: String, _ value: inout Value, _ sentence: @autoclosure () -> String
  ) {
    add(name, &value, sentence(), FieldRules())
  }
}

extension APIObject {
  package static var schemaName: String? { nil }
  package static var summary: String { "" }
  package static var isClosed: Bool { false }
  package static var schemaRest: [UInt8] { [] }
  package static var empty: Self { Self() }
  package var relayedMembers: [UInt8]? { nil }

  // Always inline, as what it calls: it is the concrete object's own then, not a generic one's. The
  // gate's `status` and `plan`.
  @inline(__always)
  package mutating func write(to json: inout JSONWriter) {
    json.open("{")
    json.members(of: &self)
    json.close("}")
  }

  package static func read(from decoder: any Decoder) throws -> Self {
    var object = Self()
    var reader = try ObjectReader(decoder)
    object.list(in: &reader)
    if let failure = reader.failure { throw failure }
    return object
  }

  package var json: [UInt8] {
    var (object, json) = (self, JSONWriter())
    object.write(to: &json)
    return json.bytes
  }

  package static var keys: [String] {
    var names = FieldNames()
    var object = Self()
    object.list(in: &names)
    return names.all
  }
}

extension JSONWriter: FieldVisitor {
  @inline(__always)
  package mutating func add<Value: APIValue>(
    _ name: String, _ value: inout Value, _ sentence: @autoclosure () -> String,
    _ rules: @autoclosure () -> FieldRules
  ) {
    guard !value.isAbsent else { return }
    key(name)
    value.write(to: &self)
  }

  @inline(__always)
  package mutating func members<Object: APIObject>(of object: inout Object) {
    if let members = object.relayedMembers { return self.members(raw: members) }
    object.list(in: &self)
  }
}

private struct FieldNames: FieldVisitor {
  var all: [String] = []

  mutating func add<Value: APIValue>(
    _ name: String, _ value: inout Value, _ sentence: @autoclosure () -> String,
    _ rules: @autoclosure () -> FieldRules
  ) {
    all.append(name)
  }

  mutating func members<Object: APIObject>(of object: inout Object) { object.list(in: &self) }
}
