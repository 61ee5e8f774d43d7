struct RunBars: Sendable {
  /// The pixels that a bar covers.
  private struct Extent {
    var from: Double
    var to: Double
  }

  /// A failed run is never narrower, however short it was.
  private static let failedWidthMin = 2.0
  /// A failed run narrower than this is filled and taller than others: hatches would not be seen.
  private static let hatchedWidthMin = 6.0

  let scale: PictureScale
  let zone: PictureZone
  let top: Double
  let height: Double

  /// Draws the runs: one by one, or merged if there are more than the pixels can show.
  func draw(_ runs: [Timeline.Bar], isDetailed: Bool, into svg: inout SVGWriter) {
    let visible = runs.filter(isVisible)
    for isFailed in [false, true] {
      let these = visible.filter { $0.isFailed == isFailed }
      if visible.count > scale.columns / 3 {
        draw(merged(these), isFailed: isFailed, into: &svg)
      } else if isDetailed {
        for run in these {
          draw([extent(run)], isFailed: isFailed, tooltip: tooltip(run), into: &svg)
        }
      } else {
        draw(these.map(extent), isFailed: isFailed, into: &svg)
      }
    }
  }

  static func touches(_ run: Timeline.Bar, _ scale: PictureScale) -> Bool {
    run.from <= scale.to && max(run.from, run.to) >= scale.from
  }

  private func isVisible(_ run: Timeline.Bar) -> Bool {
    guard Self.touches(run, scale) else { return false }
    return run.isFailed || scale.x(run.to) - scale.x(run.from) >= 1
  }

  private func extent(_ run: Timeline.Bar) -> Extent {
    Extent(from: scale.x(run.from), to: scale.x(max(run.from, run.to)))
  }

  /// The columns with a run at work, neighbours joined.
  private func merged(_ runs: [Timeline.Bar]) -> [Extent] {
    // The difference between a column's runs at work and those of the column before.
    var changes = [Int](repeating: 0, count: scale.columns + 1)
    for run in runs {
      changes[scale.column(run.from)] += 1
      changes[scale.column(max(run.from, run.to)) + 1] -= 1
    }
    var extents: [Extent] = []
    var level = 0
    var start = 0
    for column in 0...scale.columns {
      let before = level
      level += changes[column]
      if before == 0 && level > 0 { start = column }
      if before > 0 && level == 0 {
        extents.append(
          Extent(from: Double(scale.left + start), to: Double(scale.left + column)))
      }
    }
    return extents
  }

  private func draw(
    _ extents: [Extent], isFailed: Bool, tooltip: String? = nil, into svg: inout SVGWriter
  ) {
    let isSliver = { (extent: Extent) in
      isFailed && extent.to - extent.from < Self.hatchedWidthMin
    }
    let bars = extents.filter { !isSliver($0) }.map { rectangle($0, outset: 0, widthMin: 1) }
    let slivers = extents.filter(isSliver)
      .map { rectangle($0, outset: 1, widthMin: Self.failedWidthMin) }
    svg.path(bars.joined(), class: isFailed ? "failed" : "run", tooltip: tooltip)
    svg.path(slivers.joined(), class: "sliver", tooltip: tooltip)
  }

  private func rectangle(_ extent: Extent, outset: Double, widthMin: Double) -> String {
    let width = max(extent.to - extent.from, widthMin)
    let start = min(extent.from, Double(scale.right) - width)
    let place = PictureText.coordinate
    return "M\(place(start)) \(place(top - outset))h\(place(width))"
      + "v\(place(height + 2 * outset))h\(place(-width))z"
  }

  private func tooltip(_ run: Timeline.Bar) -> String {
    let lengthMs = PictureScale.held(max(run.from, run.to)) - PictureScale.held(run.from)
    let length = PictureText.duration(lengthMs)
    return "\(zone.date(run.from).fullText), \(length)\(run.isFailed ? ", failed" : "")"
  }
}
