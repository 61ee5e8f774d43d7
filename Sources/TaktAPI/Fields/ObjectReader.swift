import FoundationEssentials

/// Reads objects of the API. Unknown fields are ignored and missing ones are empty, since another
/// version of takt may have sent them.
package enum APIReader {
  /// The object in a JSON text.
  ///
  /// - Parameter wanted: the keys to read, at whatever depth; nil (the default) for all.
  /// - Throws: `DecodingError` for a text that is not JSON, for a value of the wrong type, and where a
  ///   field is missing without which an object is none.
  package static func read<Value: APIValue>(
    _ type: Value.Type, from text: [UInt8], only wanted: Set<String>? = nil
  ) throws -> Value {
    let decoder = JSONDecoder()
    if let wanted, let key = CodingUserInfoKey.wanted { decoder.userInfo[key] = wanted }
    return try decoder.decode(Reading<Value>.self, from: Data(text)).value
  }
}

struct Reading<Value: APIValue>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws { value = try Value.read(from: decoder) }
}

extension CodingUserInfoKey {
  fileprivate static let wanted = CodingUserInfoKey(rawValue: "takt.wanted")
}

struct ObjectReader: FieldVisitor {
  private let container: KeyedDecodingContainer<AnyKey>
  private let wanted: Set<String>?
  private(set) var failure: (any Error)?

  init(_ decoder: any Decoder) throws {
    container = try decoder.container(keyedBy: AnyKey.self)
    wanted = CodingUserInfoKey.wanted.flatMap { decoder.userInfo[$0] } as? Set<String>
  }

  mutating func add<Value: APIValue>(
    _ name: String, _ value: inout Value, _ sentence: @autoclosure () -> String,
    _ rules: @autoclosure () -> FieldRules
  ) {
    guard failure == nil, wanted?.contains(name) ?? true else { return }
    do {
      let key = AnyKey(stringValue: name)
      if let found = try container.decodeIfPresent(Reading<Value>.self, forKey: key) {
        value = found.value
      } else if rules().isKey {
        throw DecodingError.keyNotFound(
          key, DecodingError.Context(codingPath: container.codingPath, debugDescription: name))
      }
    } catch {
      failure = error
    }
  }

  mutating func members<Object: APIObject>(of object: inout Object) { object.list(in: &self) }
}
