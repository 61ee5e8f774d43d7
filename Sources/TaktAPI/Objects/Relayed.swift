/// An object that another daemon or the log has written, passed on unchanged.
package struct Relayed<Object: APIObject>: APIObject {
  /// The fields that were read.
  package var object: Object
  package private(set) var relayedMembers: [UInt8]?

  package init() { self.init(Object()) }

  package init(_ object: Object) { self.object = object }

  /// - Parameters:
  ///   - text: the whole object; well-formed JSON.
  ///   - dropped: the keys of members that are not passed on.
  package init(_ object: Object, as text: ArraySlice<UInt8>, without dropped: Set<String> = []) {
    self.object = object
    relayedMembers = JSONPiece(text).members(without: dropped)
  }

  package static var schemaName: String? { Object.schemaName }
  package static var summary: String { Object.summary }
  package static var isClosed: Bool { Object.isClosed }
  package static var schemaRest: [UInt8] { Object.schemaRest }

  package mutating func list(in fields: inout some FieldVisitor) { object.list(in: &fields) }
}
