import TaktCore

/// Slots too many to be drawn one by one, counted in columns and drawn as stacks.
struct SlotColumns: Sendable {
  /// From the base of a stack to its top. What wants attention stands on the base line, where
  /// heights can be compared.
  static let stackOrder: [Verdict.Kind] = [.missed, .skipped, .cancelled, .coalesced, .ran]
  /// A verdict other than `ran` is never lower, however rare: it is what people look for.
  private static let heightMin = 2
  private static let kinds = Verdict.Kind.allCases.count

  /// In pixels.
  let columnWidth: Int
  private let scale: PictureScale
  private var counts: [Int]

  /// Columns for about `expected` slots: one pixel wide, or wider so that most hold two or more.
  init(_ scale: PictureScale, expecting expected: Int) {
    self.scale = scale
    columnWidth = min(4, max(1, 2 * scale.columns / max(1, expected)))
    let columns = (scale.columns + columnWidth - 1) / columnWidth
    counts = [Int](repeating: 0, count: columns * Self.kinds)
  }

  mutating func add(_ slots: [Timeline.Mark]) {
    for slot in slots where scale.contains(slot.at) {
      let column = scale.column(slot.at) / columnWidth
      counts[column * Self.kinds + slot.verdict.place] += 1
    }
  }

  /// One path a verdict, from the back to the front: each covers the foot of the one before.
  func paths(base: Int, height: Int) -> [(verdict: Verdict.Kind, data: String)] {
    let columns = counts.count / Self.kinds
    let highest = (0..<columns).map(total).max() ?? 0
    var tops = [[Int]](repeating: [Int](repeating: 0, count: columns), count: Self.kinds)
    for column in 0..<columns where total(column) > 0 {
      var top = 0
      for (place, part) in stack(column, highest: highest, height: height).enumerated() {
        top += part
        tops[place][column] = part > 0 ? top : 0
      }
    }
    let step = StepPath(left: scale.left, base: base, columnWidth: columnWidth, right: scale.right)
    return zip(Self.stackOrder, tops).reversed()
      .map { (verdict: $0, data: step.area($1)) }
      .filter { !$0.data.isEmpty }
  }

  private func total(_ column: Int) -> Int {
    counts[column * Self.kinds..<(column + 1) * Self.kinds].reduce(0, +)
  }

  /// The heights of a column's parts in stack order.
  private func stack(_ column: Int, highest: Int, height: Int) -> [Int] {
    let total = total(column)
    // A regular schedule puts n or n + 1 slots in a column; that must not look like a pattern.
    let full = max(1, highest - 1)
    let whole = min(height, max(1, (height * total + full / 2) / full))
    var parts = Self.stackOrder.map { verdict -> Int in
      let count = counts[column * Self.kinds + verdict.place]
      guard count > 0 else { return 0 }
      let share = (whole * count + total / 2) / total
      return max(verdict == .ran ? 1 : Self.heightMin, share)
    }
    while let largest = parts.indices.max(by: { parts[$0] < parts[$1] }),
      parts.reduce(0, +) > max(whole, parts.count { $0 > 0 } * Self.heightMin)
    {
      parts[largest] -= 1
    }
    return parts
  }
}
