/// How many runs are at work at once, as a line of steps.
struct RunningLane: Sendable {
  /// The most runs at once at any instant of the axis.
  let peak: Int
  private let highest: [Int]
  private let scale: PictureScale

  /// The runs of all rows that touch the axis.
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

  /// Draws the lane with its upper edge at `top`.
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
  private static func highest(
    _ starts: [Int64], _ ends: [Int64], on scale: PictureScale
  ) -> [Int] {
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
