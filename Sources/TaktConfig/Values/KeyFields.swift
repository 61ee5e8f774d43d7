/// The known keys of one mapping with their values.
struct KeyFields {
  /// One key. Its value is nil when that was wrong, which has been reported.
  struct Field {
    var name: String
    var keyMark: YAMLMark
    var value: KeyValue?
    var mark: YAMLMark
  }

  var fields: [Field] = []
  /// Whether keys were passed over that nobody knows: what seems to be missing may be one of them.
  var hasUnknownKeys = false

  /// A mapping has few keys, so that looking through them is the fastest way.
  subscript(name: String) -> Field? { fields.first { $0.name == name } }
}
