/// One key of a mapping with its value.
struct YAMLEntry: Hashable {
  var key: String
  var keyMark: YAMLMark
  var value: YAMLNode
}
