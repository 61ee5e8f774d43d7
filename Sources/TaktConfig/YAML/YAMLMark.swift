/// A place in a YAML text, as libyaml counts: lines and code points, from 1.
struct YAMLMark: Hashable, Comparable {
  /// From 1; 0 for the file as a whole.
  var line: UInt32
  /// From 1, in code points.
  var column: UInt32

  /// The file as a whole.
  static let wholeFile = YAMLMark(line: 0, column: 0)

  static func < (left: Self, right: Self) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}
