/// Texts cut to the limits of services. A cut is marked, and never splits a Unicode scalar.
extension String {
  private static let cutMark = "…"

  /// The start of the text, in bytes of UTF-8.
  func cut(bytesMax: Int) -> String {
    guard utf8.count > bytesMax else { return self }
    var end = utf8.index(startIndex, offsetBy: max(0, bytesMax - Self.cutMark.utf8.count))
    while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
      end = utf8.index(before: end)
    }
    return self[..<end] + Self.cutMark
  }

  /// The start of the text, in units of UTF-16: services count these, or scalars, of which there
  /// are never more.
  func cut(unitsMax: Int) -> String {
    guard utf16.count > unitsMax else { return self }
    var end = utf16.index(startIndex, offsetBy: max(0, unitsMax - 1))
    while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
      end = utf16.index(before: end)
    }
    return self[..<end] + Self.cutMark
  }

  /// The end of the text, in units of UTF-16.
  func end(unitsMax: Int) -> String {
    guard utf16.count > unitsMax else { return self }
    var start = utf16.index(endIndex, offsetBy: -max(0, unitsMax - 1))
    while start < endIndex, start.samePosition(in: unicodeScalars) == nil {
      start = utf16.index(after: start)
    }
    return Self.cutMark + self[start...]
  }
}
