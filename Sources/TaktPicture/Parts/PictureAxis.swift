/// The axis of time: shaded days, lines at round local times, their labels, and headings for the
/// parts that the labels leave out.
struct PictureAxis: Sendable {
  /// Bands narrower than this would be a haze.
  private static let bandWidthMin = 5.0

  let scale: PictureScale
  let zone: PictureZone
  let layout: PictureLayout
  let step: PictureStep

  /// An axis with the finest step that can be read.
  init(scale: PictureScale, zone: PictureZone, layout: PictureLayout) {
    self.scale = scale
    self.zone = zone
    self.layout = layout
    step = PictureStep.finest(for: scale)
  }

  /// The bottom layer: every second day shaded (or month, or year), and the grid.
  func drawGround(into svg: inout SVGWriter) {
    let top = layout.axisTop
    let bottom = layout.lanesBottom
    if let unit = bandUnit {
      var path = ""
      for piece in zone.pieces(of: unit) where piece.index & 1 == 0 {
        let from = PictureText.coordinate(scale.x(piece.from))
        path += "M\(from) \(top)H\(PictureText.coordinate(scale.x(piece.to)))V\(bottom)H\(from)z"
      }
      svg.path(path, class: "band")
    }
    svg.path(lines(of: step, from: layout.rowsTop - 4, to: bottom), class: "grid")
    if let heading = step.heading {
      svg.path(lines(of: heading, from: top, to: bottom), class: "boundary")
    }
  }

  func drawLabels(into svg: inout SVGWriter) {
    if let heading = step.heading { drawHeadings(heading, into: &svg) }
    drawTicks(baseline: Double(layout.rowsTop - 9), into: &svg)
    if layout.hasLowerAxis { drawTicks(baseline: Double(layout.lanesBottom + 16), into: &svg) }
  }

  private var bandUnit: PictureStep? {
    [.day, .month, .year].first {
      Double($0.approximateMs) / scale.msPerColumn >= Self.bandWidthMin
    }
  }

  private func lines(of step: PictureStep, from top: Int, to bottom: Int) -> String {
    zone.ticks(of: step)
      .map { "M\(PictureText.coordinate(scale.x($0))) \(top)V\(bottom)" }
      .joined()
  }

  private func drawTicks(baseline: Double, into svg: inout SVGWriter) {
    let room = Double(step.approximateMs) / scale.msPerColumn
    // A clock change moves ticks together, and February the months.
    let spacing = min(step.labelSpacing, room) * 0.85
    var last = -Double.infinity
    svg.open("g", ["class": "tick"])
    for instant in zone.ticks(of: step) {
      let x = scale.x(instant)
      guard x - last >= spacing else { continue }
      svg.label(step.label(zone.date(instant), room: room), x: x, y: baseline)
      last = x
    }
    svg.close("g")
  }

  private func drawHeadings(_ heading: PictureStep, into svg: inout SVGWriter) {
    let pieces = zone.pieces(of: heading)
    let widest = pieces.map(room).max() ?? 0
    let whole = pieces.filter { room($0) >= widest * 0.9 }
    // All whole days (or months) use one form of the label; those that the edges cut, a shorter
    // one.
    let forms = (0..<3).drop { form in
      whole.contains { !fits(heading.headings(zone.date($0.from)).dropFirst(form).first, in: $0) }
    }
    for piece in pieces {
      let names = heading.headings(zone.date(piece.from)).dropFirst(forms.first ?? 0)
      guard let name = names.first(where: { fits($0, in: piece) }) else { continue }
      svg.label(
        name, x: scale.x(piece.from) + 5, y: Double(layout.axisTop + 12), class: "heading")
    }
  }

  private func room(_ piece: PictureZone.Piece) -> Double {
    scale.x(piece.to) - scale.x(piece.from) - 10
  }

  private func fits(_ name: String?, in piece: PictureZone.Piece) -> Bool {
    guard let name else { return true }
    // Bold letters are wider.
    return PictureText.width(name, fontSize: PictureLayout.nameFontSize) * 1.14 <= room(piece)
  }
}
