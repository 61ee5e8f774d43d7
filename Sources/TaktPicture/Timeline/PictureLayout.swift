/// The vertical and horizontal places of all parts of the picture, time excepted.
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
  /// A reader who has scrolled past the axis at the top finds another at the bottom.
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

/// Maps instants to pixels; no other place does.
///
/// Instants are held to the years 1 to 9999, so that no arithmetic after this can overflow.
struct PictureScale: Sendable {
  /// 0001-01-01T00:00:00Z.
  static let earliestMs: Int64 = -62_135_596_800_000
  /// 9999-12-31T23:59:59.999Z.
  static let latestMs: Int64 = 253_402_300_799_999

  let from: Int64
  /// After `from`.
  let to: Int64
  /// The pixel at which the axis starts.
  let left: Int
  /// In pixels.
  let columns: Int

  /// The pixel at which the axis ends.
  var right: Int { left + columns }
  var spanMs: Int64 { to - from }
  var msPerColumn: Double { Double(spanMs) / Double(columns) }

  /// Nil when `from...to` is empty.
  init?(from: Int64, to: Int64, left: Int, columns: Int) {
    let from = Self.held(from)
    let to = Self.held(to)
    guard from < to, columns > 0 else { return nil }
    self.from = from
    self.to = to
    self.left = left
    self.columns = columns
  }

  static func held(_ instant: Int64) -> Int64 {
    min(max(instant, earliestMs), latestMs)
  }

  /// Both ends of the axis included.
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
