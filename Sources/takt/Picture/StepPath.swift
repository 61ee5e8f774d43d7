/// Paths over columns of whole pixels: one path for a whole row is a tenth of one shape a column.
struct StepPath: Sendable {
  /// Where the columns begin.
  let left: Int
  /// Where a column of height 0 stands.
  let base: Int
  /// How wide a column is.
  let columnWidth: Int
  /// Where the columns end; the last may be cut.
  let right: Int

  /// The area under the columns; empty when all are 0.
  func area(_ heights: [Int]) -> String {
    guard heights.contains(where: { $0 > 0 }) else { return "" }
    var path = "M\(left) \(base)"
    let last = outline(heights, into: &path)
    if last != 0 { path += "v\(last)" }
    return path + "z"
  }

  /// The line over the columns.
  func line(_ heights: [Int]) -> String {
    guard !heights.isEmpty else { return "" }
    var path = "M\(left) \(base)"
    _ = outline(heights, into: &path)
    return path
  }

  // Neighbours of one height are one stroke.
  private func outline(_ heights: [Int], into path: inout String) -> Int {
    var height = 0
    var column = 0
    while column < heights.count {
      var end = column + 1
      while end < heights.count && heights[end] == heights[column] { end += 1 }
      let width = min(right, left + end * columnWidth) - (left + column * columnWidth)
      if heights[column] != height { path += "v\(height - heights[column])" }
      height = heights[column]
      path += "h\(width)"
      column = end
    }
    return height
  }
}
