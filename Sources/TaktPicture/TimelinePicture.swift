import TaktCore
import TaktTime

/// A timeline as a picture: SVG that needs nothing else, neither script nor font nor network.
///
/// A row a job with its slots as marks and its runs as bars, below them how often the process wakes
/// and how many runs are at work at once. The size of the text is bounded by the pixels, not by the
/// slots. The same timeline always gives the same text.
struct TimelinePicture: Sendable {
  /// Up to this many marks and bars each gets a tooltip of its own; more would swell the file.
  private static let detailMax = 2_000

  private let timeline: Timeline
  private let width: Int

  /// - Parameter width: in pixels, held to 480...4000. Default 1200. The height follows from the
  ///   number of rows, of which at most 80 are drawn.
  init(_ timeline: Timeline, width: Int = 1_200) {
    self.timeline = timeline
    let range = PictureLayout.widthRange
    self.width = min(max(width, range.lowerBound), range.upperBound)
  }

  func svg() -> String {
    let labelWidth = PictureLayout.labelWidth(of: timeline.rows.map(\.name), width: width)
    let left = PictureLayout.margin + labelWidth + 14
    let scale = PictureScale(
      from: timeline.from, to: timeline.to, left: left,
      columns: width - left - PictureLayout.rightMargin)
    guard let scale, !timeline.rows.isEmpty else { return nothing() }

    let zone = PictureZone(timeline.zone, over: scale)
    let rows = PictureRow.choose(timeline, on: scale)
    let events = PictureEvents(timeline.events, zone: zone, scale: scale)
    let legend = PictureLegend(
      rows, hasWindows: timeline.rows.contains { $0.slots.contains { $0.windowEnd > $0.at } },
      hasStacks: rows.contains { RowDrawing.isStacked($0, on: scale) }, width: width)
    let layout = PictureLayout(
      width: width, labelWidth: labelWidth, rowCount: rows.count, legendLines: legend.lineCount,
      eventLines: events.tierCount,
      hasSummaries: PictureLayout.hasSummaries(rowCount: rows.count))
    let wakes = WakeLane(timeline.wakes, on: scale)
    let running = RunningLane(timeline.rows, on: scale)
    let axis = PictureAxis(scale: scale, zone: zone, layout: layout)

    var svg = SVGWriter()
    begin(
      height: layout.height, subtitle: subtitle(scale, zone),
      description: description(rows, wakes, running), into: &svg)
    legend.draw(into: &svg)
    axis.drawGround(into: &svg)
    events.drawLines(layout, into: &svg)
    axis.drawLabels(into: &svg)
    events.drawLabels(layout, into: &svg)
    let drawing = RowDrawing(
      timeline: timeline, scale: scale, zone: zone, layout: layout,
      isDetailed: isDetailed(rows, scale))
    for (place, row) in rows.enumerated() {
      drawing.draw(row, top: layout.rowsTop + place * layout.rowHeight, into: &svg)
    }
    wakes.draw(top: layout.lanesTop, into: &svg)
    running.draw(top: layout.lanesTop + PictureLayout.laneHeight, into: &svg)
    svg.close("svg")
    return svg.text
  }

  private var heading: String { timeline.title.isEmpty ? "Timeline" : timeline.title }

  private func nothing() -> String {
    let why =
      timeline.rows.isEmpty
      ? "Nothing to show: there are no jobs." : "Nothing to show: the time range is empty."
    var svg = SVGWriter()
    begin(height: 84, subtitle: why, description: why, into: &svg)
    svg.close("svg")
    return svg.text
  }

  private func begin(
    height: Int, subtitle: String, description: String, into svg: inout SVGWriter
  ) {
    svg.open(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "class": "takt-timeline", "role": "img",
        "aria-labelledby": "takt-title takt-desc", "width": String(width),
        "height": String(height), "viewBox": "0 0 \(width) \(height)",
      ])
    svg.element("title", ["id": "takt-title"], content: heading)
    svg.element("desc", ["id": "takt-desc"], content: description)
    svg.markup(PictureStyle.markup)
    svg.rectangle(x: 0, y: 0, width: Double(width), height: Double(height), class: "ground")
    let room = Double(width - 2 * PictureLayout.margin)
    let x = Double(PictureLayout.margin)
    svg.label(
      PictureText.shortened(heading, toWidth: room, fontSize: 19), x: x,
      y: PictureLayout.titleBaseline, class: "title")
    svg.label(
      PictureText.shortened(subtitle, toWidth: room, fontSize: 12.5), x: x,
      y: PictureLayout.subtitleBaseline, class: "subtitle dim")
  }

  private func subtitle(_ scale: PictureScale, _ zone: PictureZone) -> String {
    let length = PictureText.duration(scale.spanMs)
    return "\(zone.date(scale.from).fullText) to \(zone.date(scale.to).fullText) (\(length)), "
      + "\(timeline.zone.name) \(zone.offsetsText)"
  }

  private func description(
    _ rows: [PictureRow], _ wakes: WakeLane, _ running: RunningLane
  ) -> String {
    let tally = VerdictCounts(sumOf: rows)
    let runs = rows.reduce(0) { $0 + $1.runs }
    let failed = rows.reduce(0) { $0 + $1.failedRuns }
    return "\(PictureText.count(timeline.rows.count, "job")); \(tally.text); "
      + "\(PictureText.count(runs, "run")), \(PictureText.count(failed)) failed; "
      + "\(PictureText.count(wakes.total, "wake")); "
      + "at most \(PictureText.count(running.peak)) running at once."
  }

  private func isDetailed(_ rows: [PictureRow], _ scale: PictureScale) -> Bool {
    let marks = rows.reduce(0) { sum, row in
      sum + (RowDrawing.isStacked(row, on: scale) ? 0 : row.tally.slots) + row.runs
    }
    return marks <= Self.detailMax
  }
}
