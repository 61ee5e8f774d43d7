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

/// Where an instant stands on the picture: the one place that turns milliseconds into pixels.
///
/// Instants are held to the years 1 to 9999, so that no arithmetic after this can overflow.
struct PictureScale: Sendable {
  /// The earliest instant a picture can show: 0001-01-01T00:00:00Z.
  static let earliestMs: Int64 = -62_135_596_800_000
  /// The latest instant a picture can show: 9999-12-31T23:59:59.999Z.
  static let latestMs: Int64 = 253_402_300_799_999

  /// The first instant of the axis.
  let from: Int64
  /// The last instant of the axis, after `from`.
  let to: Int64
  /// The pixel the axis begins at.
  let left: Int
  /// The length of the axis in pixels.
  let columns: Int

  /// The pixel the axis ends at.
  var right: Int { left + columns }
  /// The length of the axis in milliseconds.
  var spanMs: Int64 { to - from }
  /// How much time a pixel stands for.
  var msPerColumn: Double { Double(spanMs) / Double(columns) }

  /// An axis over `from...to`; nil when that is empty.
  init?(from: Int64, to: Int64, left: Int, columns: Int) {
    let from = Self.held(from)
    let to = Self.held(to)
    guard from < to, columns > 0 else { return nil }
    self.from = from
    self.to = to
    self.left = left
    self.columns = columns
  }

  /// The instant nearest to `instant` that a picture can show.
  static func held(_ instant: Int64) -> Int64 {
    min(max(instant, earliestMs), latestMs)
  }

  /// Whether the instant is on the axis, both ends included.
  func contains(_ instant: Int64) -> Bool {
    from <= instant && instant <= to
  }

  /// The horizontal place of an instant, held to the axis.
  func x(_ instant: Int64) -> Double {
    let held = min(max(instant, from), to)
    return Double(left) + Double(held - from) / Double(spanMs) * Double(columns)
  }

  /// The pixel column of an instant, counted from 0 and held to the axis.
  func column(_ instant: Int64) -> Int {
    let held = min(max(instant, from), to)
    return min(columns - 1, Int((held - from) * Int64(columns) / spanMs))
  }
}
