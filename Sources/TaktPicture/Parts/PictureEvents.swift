/// The events as lines from top to bottom, their labels in as few lines as keep them apart.
struct PictureEvents: Sendable {
  /// Events that fall on one pixel, with their common label.
  private struct Line {
    var x: Double
    var label: String
    var tooltip: String
    var labelX = 0.0
    /// Counted from the axis; nil if there was no room for the label.
    var tier: Int?
  }

  private static let tiersMax = 4
  private static let labelWidthMax = 200.0
  private static let fontSize = 11.0
  /// A zone that changes more often than this over the axis is shown by its boundaries alone.
  private static let clockChangesMax = 4

  private let lines: [Line]

  var tierCount: Int { (lines.compactMap(\.tier).max() ?? -1) + 1 }

  /// The events on the axis, and the changes of local time that no event reports.
  init(_ events: [Timeline.Event], zone: PictureZone, scale: PictureScale) {
    var columns: [Int: [Timeline.Event]] = [:]
    for event in events where scale.contains(event.at) {
      columns[scale.column(event.at), default: []].append(event)
    }
    for change in Self.clockChanges(zone) where columns[scale.column(change.at)] == nil {
      columns[scale.column(change.at)] = [change]
    }
    let lines = columns.sorted { $0.key < $1.key }
      .map { Self.line($0.value, zone: zone, scale: scale) }
    self.lines = Self.arranged(lines, right: Double(scale.right + PictureLayout.rightMargin - 4))
  }

  /// Draws the lines, which belong below the marks.
  func drawLines(_ layout: PictureLayout, into svg: inout SVGWriter) {
    guard !lines.isEmpty else { return }
    svg.open("g", ["class": "event"])
    for line in lines {
      let tierTop = layout.eventsTop + (line.tier ?? tierCount) * PictureLayout.eventLineHeight
      let x = PictureText.coordinate(line.x)
      // Without a label, the line itself must tell what it is.
      svg.path(
        "M\(x) \(tierTop)V\(layout.lanesBottom)", class: "line",
        tooltip: line.tier == nil ? line.tooltip : nil)
    }
    svg.close("g")
  }

  func drawLabels(_ layout: PictureLayout, into svg: inout SVGWriter) {
    guard !lines.isEmpty else { return }
    svg.open("g", ["class": "event"])
    for line in lines {
      guard let tier = line.tier else { continue }
      let tierTop = layout.eventsTop + tier * PictureLayout.eventLineHeight
      // The rows lie over the line and would take the pointer; the label is always within reach.
      svg.open("g")
      svg.element("title", content: line.tooltip)
      svg.label(line.label, x: line.labelX, y: Double(tierTop + 10))
      svg.close("g")
    }
    svg.close("g")
  }

  private static func clockChanges(_ zone: PictureZone) -> [Timeline.Event] {
    guard zone.spans.count <= clockChangesMax + 1 else { return [] }
    return zip(zone.spans, zone.spans.dropFirst()).compactMap { before, after in
      guard before.offsetMs != after.offsetMs else { return nil }
      let offsets = [before, after].map { PictureZone.text(ofOffset: $0.offsetMs) }
      return Timeline.Event(at: after.from, label: offsets.joined(separator: " → "))
    }
  }

  private static func line(
    _ events: [Timeline.Event], zone: PictureZone, scale: PictureScale
  ) -> Line {
    let more = events.count > 1 ? " +\(PictureText.count(events.count - 1))" : ""
    let label = PictureText.shortened(
      events[0].label, toWidth: labelWidthMax, fontSize: fontSize)
    var lines = events.prefix(8).map { "\(zone.date($0.at).fullText) \($0.label)" }
    if events.count > lines.count {
      lines.append("and \(PictureText.count(events.count - lines.count)) more")
    }
    return Line(
      x: scale.x(events[0].at), label: label + more, tooltip: lines.joined(separator: "\n"))
  }

  // A line starts below every label that reaches over it, so that none is crossed out.
  private static func arranged(_ lines: [Line], right: Double) -> [Line] {
    var ends = [Double](repeating: -.infinity, count: tiersMax)
    return lines.map { line in
      var line = line
      let width = PictureText.width(line.label, fontSize: fontSize)
      line.labelX = min(line.x + 4, right - width)
      let below = (ends.lastIndex { $0 > line.x - 2 } ?? -1) + 1
      if let tier = ends.indices.first(where: { $0 >= below && ends[$0] <= line.labelX - 6 }) {
        line.tier = tier
        ends[tier] = line.labelX + width
      }
      return line
    }
  }
}
