/// The places of everything but time: where each part of the picture begins, from top to bottom.
struct PictureLayout: Sendable {
  static let widthRange = 480...4_000
  static let margin = 16
  /// The space at the right, wide enough for half the label of the last tick.
  static let rightMargin = 36
  static let nameFontSize = 12.0
  static let smallFontSize = 10.5
  static let titleBaseline = 32.0
  static let subtitleBaseline = 52.0
  static let legendTop = 64
  static let legendLineHeight = 20
  static let eventLineHeight = 15
  static let axisHeight = 36
  static let laneHeight = 52

  let width: Int
  let labelWidth: Int
  let rowCount: Int
  let legendLines: Int
  let eventLines: Int
  let hasSummaries: Bool

  var eventsTop: Int { Self.legendTop + legendLines * Self.legendLineHeight + 8 }
  var axisTop: Int { eventsTop + eventLines * Self.eventLineHeight + (eventLines > 0 ? 4 : 0) }
  var rowsTop: Int { axisTop + Self.axisHeight }
  var rowHeight: Int { hasSummaries ? 38 : 26 }
  var rowsBottom: Int { rowsTop + rowCount * rowHeight }
  var lanesTop: Int { rowsBottom + 10 }
  var lanesBottom: Int { lanesTop + 2 * Self.laneHeight }
  /// Who has scrolled past the axis at the top finds another at the bottom.
  var hasLowerAxis: Bool { rowCount > 12 }
  var height: Int { lanesBottom + (hasLowerAxis ? 34 : 16) }

  /// The width of the names, as wide as they need and the picture can spare.
  static func labelWidth(of names: [String], width: Int) -> Int {
    let widest =
      names.map { PictureText.width(String($0.prefix(80)), fontSize: nameFontSize) }.max() ?? 0
    return Int(min(max(widest, 150), max(150, Double(width) * 0.22)))
  }

  /// Few rows have room for their summaries.
  static func hasSummaries(rowCount: Int) -> Bool { rowCount <= 24 }
}
