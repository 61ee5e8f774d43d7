/// A key of a mapping that is being walked, before its value is read.
struct YAMLKey {
  var text: String
  var mark: YAMLMark
  /// Whether the same key stood before in the same mapping; that has been reported.
  var isDuplicate = false
}
