/// How often the process wakes, counted in columns.
struct WakeLane: Sendable {
  private static let columnWidths = 3...12

  /// How many wakes lie on the axis.
  let total: Int
  private let counts: [Int]
  private let columnWidth: Int
  private let scale: PictureScale

  /// The wakes that lie on the axis.
  init(_ wakes: [Int64], on scale: PictureScale) {
    let visible = wakes.lazy.filter { scale.contains($0) }
    total = visible.count { _ in true }
    columnWidth = Self.columnWidth(wakes: total, columns: scale.columns)
    var counts = [Int](
      repeating: 0, count: (scale.columns + columnWidth - 1) / columnWidth)
    for wake in visible { counts[scale.column(wake) / columnWidth] += 1 }
    self.scale = scale
    self.counts = counts
  }

  /// Draws the lane with its upper edge at `top`.
  func draw(top: Int, into svg: inout SVGWriter) {
    let lane = PictureLane(scale: scale, top: top)
    let columnMs = Int64(scale.msPerColumn * Double(columnWidth))
    let most = PictureText.count(counts.max() ?? 0)
    let figures = [
      "at most \(most) in \(PictureText.duration(max(1, columnMs)))",
      "\(PictureText.count(total)) in all",
    ]
    lane.drawFrame(name: "wakes", figures: total == 0 ? ["none"] : figures, into: &svg)
    let step = StepPath(
      left: scale.left, base: lane.base, columnWidth: columnWidth, right: scale.right)
    svg.path(step.area(PictureLane.heights(counts)), class: "wakes")
  }

  // Few wakes stand alone; more share columns wide enough that one wake more is no mountain.
  private static func columnWidth(wakes: Int, columns: Int) -> Int {
    guard wakes > columns / 8 else { return columnWidths.lowerBound }
    return min(max(6 * columns / wakes, columnWidths.lowerBound), columnWidths.upperBound)
  }
}
