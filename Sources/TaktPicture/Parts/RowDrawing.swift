import TaktCore

/// Draws the rows: names at the left, slots above runs.
struct RowDrawing: Sendable {
  /// A window narrower than this would hide behind its mark.
  private static let windowWidthMin = 4.0

  let timeline: Timeline
  let scale: PictureScale
  let zone: PictureZone
  let layout: PictureLayout
  /// True if each mark and each bar is an element with a tooltip; otherwise all of a kind are one
  /// path.
  let isDetailed: Bool

  /// True if the row has too many slots to draw them side by side.
  static func isStacked(_ row: PictureRow, on scale: PictureScale) -> Bool {
    row.isSum || row.tally.slots > scale.columns / 3
  }

  func draw(_ row: PictureRow, top: Int, into svg: inout SVGWriter) {
    svg.open("g")
    svg.element("title", content: row.tooltip)
    svg.rectangle(
      x: Double(PictureLayout.margin), y: Double(top),
      width: Double(scale.right - PictureLayout.margin), height: Double(layout.rowHeight),
      class: "hit")
    drawName(row, top: top, into: &svg)
    if Self.isStacked(row, on: scale) {
      drawStacks(row, base: top + slotsHeight + 4, into: &svg)
    } else {
      drawMarks(row, middle: Double(top) + Double(slotsHeight) / 2 + 3, into: &svg)
    }
    if let only = row.members.first, !row.isSum {
      let bars = RunBars(
        scale: scale, zone: zone, top: Double(top + slotsHeight + 6),
        height: layout.hasSummaries ? 7 : 5)
      bars.draw(timeline.rows[only].runs, isDetailed: isDetailed, into: &svg)
    }
    svg.close("g")
  }

  private var slotsHeight: Int { layout.hasSummaries ? 20 : 13 }

  private func drawName(_ row: PictureRow, top: Int, into svg: inout SVGWriter) {
    let room = Double(scale.left - PictureLayout.margin - 14)
    let x = Double(PictureLayout.margin)
    let name = PictureText.shortened(
      row.name, toWidth: room, fontSize: PictureLayout.nameFontSize)
    let baseline = Double(top) + 17
    svg.label(name, x: x, y: baseline, class: row.isSum ? "dim" : "")
    if layout.hasSummaries && !row.summary.isEmpty {
      let summary = PictureText.shortened(
        row.summary, toWidth: room, fontSize: PictureLayout.smallFontSize)
      svg.label(summary, x: x, y: baseline + 14, class: "small")
    }
  }

  private func drawStacks(_ row: PictureRow, base: Int, into svg: inout SVGWriter) {
    var columns = SlotColumns(scale, expecting: row.tally.slots)
    for member in row.members { columns.add(timeline.rows[member].slots) }
    svg.open("g", ["class": "fill"])
    for path in columns.paths(base: base, height: slotsHeight) {
      svg.path(path.data, class: path.verdict.rawValue)
    }
    svg.close("g")
  }

  private func drawMarks(_ row: PictureRow, middle: Double, into svg: inout SVGWriter) {
    let slots = row.members.flatMap { timeline.rows[$0].slots }.filter { scale.contains($0.at) }
    svg.path(
      "M\(scale.left) \(PictureText.coordinate(middle))H\(scale.right)", class: "thread")
    svg.path(windows(slots, middle: middle), class: "window")
    svg.open("g", ["class": "mark"])
    for verdict in SlotGlyph.drawingOrder {
      let these = slots.filter { $0.verdict == verdict }
      if isDetailed {
        for slot in these {
          let glyph = SlotGlyph.path(verdict, x: scale.x(slot.at), y: middle)
          svg.path(glyph, class: verdict.rawValue, tooltip: tooltip(slot))
        }
      } else {
        let glyphs = these.map { SlotGlyph.path(verdict, x: scale.x($0.at), y: middle) }
        svg.path(glyphs.joined(), class: verdict.rawValue)
      }
    }
    svg.close("g")
  }

  private func windows(_ slots: [Timeline.Mark], middle: Double) -> String {
    var path = ""
    for slot in slots where slot.windowEnd > slot.at {
      let x = scale.x(slot.at)
      let width = scale.x(slot.windowEnd) - x
      guard width >= Self.windowWidthMin else { continue }
      let place = PictureText.coordinate
      path += "M\(place(x)) \(place(middle - 3))h\(place(width))v6h\(place(-width))z"
    }
    return path
  }

  private func tooltip(_ slot: Timeline.Mark) -> String {
    let windowMs = PictureScale.held(slot.windowEnd) - PictureScale.held(slot.at)
    let window = windowMs > 0 ? ", window \(PictureText.duration(windowMs))" : ""
    return "\(zone.date(slot.at).fullText) \(slot.verdict.rawValue)\(window)"
  }
}

/// The shape of a single slot; shapes differ so that nobody needs the colours.
enum SlotGlyph {
  /// The path of a verdict's mark with its centre at `x`, `y`.
  static func path(_ verdict: Verdict.Kind, x: Double, y: Double) -> String {
    let place = PictureText.coordinate
    switch verdict {
    case .ran: return "M\(place(x)) \(place(y - 6))v12"
    case .skipped:
      return "M\(place(x - 3.5)) \(place(y))a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z"
    // A stroke of no length with round ends is a dot.
    case .coalesced: return "M\(place(x)) \(place(y))h0"
    case .missed:
      return "M\(place(x - 4)) \(place(y - 4))l8 8m0-8l-8 8"
    case .cancelled: return "M\(place(x - 4)) \(place(y))h8"
    }
  }

  /// From the back to the front: what wants attention is drawn last.
  static let drawingOrder: [Verdict.Kind] = [.ran, .coalesced, .cancelled, .skipped, .missed]
}
