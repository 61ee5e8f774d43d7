/// A lane below the rows: its name, its key figures and its base line.
struct PictureLane: Sendable {
  let scale: PictureScale
  let top: Int

  static let columnHeightMax = PictureLayout.laneHeight - 14
  /// The foot of the columns.
  var base: Int { top + PictureLayout.laneHeight - 6 }

  func drawFrame(name: String, figures: [String], into svg: inout SVGWriter) {
    let x = Double(PictureLayout.margin)
    svg.label(name, x: x, y: Double(top + 16), class: "lane")
    for (line, figure) in figures.enumerated() {
      let room = Double(scale.left - PictureLayout.margin - 10)
      let text = PictureText.shortened(
        figure, toWidth: room, fontSize: PictureLayout.smallFontSize)
      svg.label(text, x: x, y: Double(top + 30 + line * 13), class: "small")
    }
    svg.path("M\(scale.left) \(base)H\(scale.right)", class: "thread")
  }

  /// The heights of columns that hold these numbers; what is not 0 can be seen.
  static func heights(_ numbers: [Int]) -> [Int] {
    let highest = numbers.max() ?? 0
    guard highest > 0 else { return numbers.map { _ in 0 } }
    return numbers.map { number in
      let share = Double(number) / Double(highest) * Double(columnHeightMax)
      return number > 0 ? max(1, Int(share.rounded())) : 0
    }
  }
}

/// Wake-ups of the process, counted in columns.
struct WakeLane: Sendable {
  private static let columnWidths = 3...12

  /// Wake-ups on the axis.
  let total: Int
  private let counts: [Int]
  private let columnWidth: Int
  private let scale: PictureScale

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

/// The number of runs at work at once, as a line of steps.
struct RunningLane: Sendable {
  let peak: Int
  private let highest: [Int]
  private let scale: PictureScale

  init(_ rows: [Timeline.Row], on scale: PictureScale) {
    var starts: [Int64] = []
    var ends: [Int64] = []
    for row in rows {
      for run in row.runs where RunBars.touches(run, scale) {
        let start = max(run.from, scale.from)
        starts.append(start)
        // A run that took no time was there all the same.
        ends.append(max(start + 1, min(run.to, scale.to)))
      }
    }
    starts.sort()
    ends.sort()
    highest = Self.highest(starts, ends, on: scale)
    peak = highest.max() ?? 0
    self.scale = scale
  }

  func draw(top: Int, into svg: inout SVGWriter) {
    let lane = PictureLane(scale: scale, top: top)
    let figures = [peak == 0 ? "none" : "peak \(PictureText.count(peak))"]
    lane.drawFrame(name: "running at once", figures: figures, into: &svg)
    guard peak > 0 else { return }
    let step = StepPath(left: scale.left, base: lane.base, columnWidth: 1, right: scale.right)
    let heights = PictureLane.heights(highest)
    svg.path(step.area(heights), class: "running")
    svg.path(step.line(heights), class: "runningline")
  }

  // Each level lasts from one change to the next; a column keeps the highest it saw.
  private static func highest(_ starts: [Int64], _ ends: [Int64], on scale: PictureScale) -> [Int] {
    var highest = [Int](repeating: 0, count: scale.columns)
    var level = 0
    var nextStart = 0
    var nextEnd = 0
    while nextEnd < ends.count {
      // At one instant, what ends makes room for what starts.
      if nextStart < starts.count && starts[nextStart] < ends[nextEnd] {
        level += 1
        let until = min(ends[nextEnd], nextStart + 1 < starts.count ? starts[nextStart + 1] : .max)
        raise(&highest, from: starts[nextStart], to: until, level: level, on: scale)
        nextStart += 1
      } else {
        level -= 1
        let begin = ends[nextEnd]
        nextEnd += 1
        let next = nextEnd < ends.count ? ends[nextEnd] : begin
        let until = min(next, nextStart < starts.count ? starts[nextStart] : .max)
        raise(&highest, from: begin, to: until, level: level, on: scale)
      }
    }
    return highest
  }

  private static func raise(
    _ highest: inout [Int], from: Int64, to: Int64, level: Int, on scale: PictureScale
  ) {
    guard from < to else { return }
    for column in scale.column(from)...scale.column(to - 1) where highest[column] < level {
      highest[column] = level
    }
  }
}

/// Paths over columns of whole pixels: one path for a whole row is a tenth of one shape a column.
struct StepPath: Sendable {
  let left: Int
  /// The foot of the columns.
  let base: Int
  let columnWidth: Int
  /// The end of the columns; the last may be cut.
  let right: Int

  /// The area under the columns; empty when all are 0.
  func area(_ heights: [Int]) -> String {
    guard heights.contains(where: { $0 > 0 }) else { return "" }
    var path = "M\(left) \(base)"
    let last = outline(heights, into: &path)
    if last != 0 { path += "v\(last)" }
    return path + "z"
  }

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
