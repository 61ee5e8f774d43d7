import TaktTime

/// Local time over the axis: ranges of one offset each.
struct PictureZone: Sendable {
  struct Span: Equatable, Sendable {
    var from: Int64
    var to: Int64
    var offsetMs: Int64
  }

  /// A range of time that lies in one step of local time.
  struct Piece: Equatable, Sendable {
    var from: Int64
    var to: Int64
    /// The number of the step; see `PictureStep.index(ofLocal:)`.
    var index: Int64
  }

  /// No zone of the Earth is further from UTC; more would only make nonsense of the axis.
  private static let offsetMaxSeconds = 93_600

  /// Never empty; in order, from the start of the axis to its end.
  let spans: [Span]

  init(_ zone: Zone, over scale: PictureScale) {
    var known = zone.span(atEpochSeconds: scale.from.flooredQuotient(by: 1000))
    var spans = [
      Span(from: scale.from, to: scale.to, offsetMs: Self.milliseconds(known.offsetSeconds))
    ]
    let lastSecond = (scale.to - 1).flooredQuotient(by: 1000)
    while known.end <= lastSecond {
      let (end, at) = (known.end, known.end * 1000)
      known = zone.span(atEpochSeconds: end)
      guard known.end > end else { break }
      let offsetMs = Self.milliseconds(known.offsetSeconds)
      guard offsetMs != spans[spans.count - 1].offsetMs else { continue }
      // Of changes that share a pixel the last is shown; so there are no more than pixels.
      if spans.count > 1 && scale.column(at) == scale.column(spans[spans.count - 1].from) {
        spans[spans.count - 1].offsetMs = offsetMs
        continue
      }
      spans[spans.count - 1].to = at
      spans.append(Span(from: at, to: scale.to, offsetMs: offsetMs))
    }
    self.spans = spans
  }

  func date(_ instant: Int64) -> CivilTime {
    CivilTime(localMs: local(instant))
  }

  /// Held to the range that a picture can show.
  func local(_ instant: Int64) -> Int64 {
    PictureScale.held(instant) + (spans.last { $0.from <= instant } ?? spans[0]).offsetMs
  }

  /// The axis cut at every boundary of `step`, and at every clock change that jumps over one.
  func pieces(of step: PictureStep) -> [Piece] {
    var joined: [Piece] = []
    for piece in cuts(of: step) {
      if let last = joined.last, last.index == piece.index {
        joined[joined.count - 1].to = piece.to
      } else {
        joined.append(piece)
      }
    }
    return joined
  }

  /// The instants at which local time is at a boundary of `step`, both ends of the axis included.
  func ticks(of step: PictureStep) -> [Int64] {
    let cuts = cuts(of: step)
    let candidates = cuts.map(\.from) + (cuts.last.map { [$0.to] } ?? [])
    return candidates.filter { instant in
      let localMs = local(instant)
      return step.start(ofIndex: step.index(ofLocal: localMs)) == localMs
    }
  }

  /// The pieces, cut at every clock change too: a repeated piece starts twice.
  private func cuts(of step: PictureStep) -> [Piece] {
    var cuts: [Piece] = []
    for span in spans {
      var begin = span.from
      while begin < span.to {
        let index = step.index(ofLocal: begin + span.offsetMs)
        let end = min(span.to, step.start(ofIndex: index + 1) - span.offsetMs)
        cuts.append(Piece(from: begin, to: end, index: index))
        begin = end
      }
    }
    return cuts
  }

  /// `UTC+1`, or `UTC+5:30`.
  static func text(ofOffset offsetMs: Int64) -> String {
    let seconds = offsetMs.magnitude / 1_000
    let minutes = seconds / 60 % 60
    let tail = minutes == 0 ? "" : ":\(minutes < 10 ? "0" : "")\(minutes)"
    if seconds < 60 { return "UTC" }
    return "UTC\(offsetMs < 0 ? "−" : "+")\(seconds / 3_600)\(tail)"
  }

  /// The offsets in the order they hold, few enough to be read.
  var offsetsText: String {
    let texts = spans.prefix(3).map { Self.text(ofOffset: $0.offsetMs) }
    return texts.joined(separator: " → ") + (spans.count > 3 ? " → …" : "")
  }

  private static func milliseconds(_ seconds: Int) -> Int64 {
    Int64(min(max(seconds, -offsetMaxSeconds), offsetMaxSeconds)) * 1_000
  }
}

extension CivilTime {
  /// The time of a local instant, in milliseconds since 1970-01-01T00:00 local time.
  init(localMs: Int64) {
    self.init(
      epochSeconds: localMs.flooredQuotient(by: 1000),
      millisecond: Int(localMs.flooredRemainder(by: 1000)))
  }

  /// `08:05`
  var minuteText: String { "\(hour.padded(2)):\(minute.padded(2))" }
  /// `08:05:09`
  var secondText: String { "\(minuteText):\(second.padded(2))" }

  /// `Mon 2`
  var weekdayAndDay: String { "\(weekdayName.prefix(3)) \(day)" }
  /// `2 Mar`
  var dayAndMonth: String { "\(day) \(monthText)" }
  /// `Mar`
  var monthText: String { String(monthName.prefix(3)) }
  /// `Mon 2 Mar 2026`
  var dateText: String { "\(weekdayAndDay) \(monthText) \(year)" }
  /// `Monday 2 March 2026`
  var dateLongText: String { "\(weekdayName) \(day) \(monthName) \(year)" }

  /// `Mon 2 Mar 2026 08:05`, with seconds and milliseconds where they are not zero.
  var fullText: String {
    if millisecond != 0 { return "\(dateText) \(timeOfDay)" }
    return "\(dateText) \(second == 0 ? minuteText : secondText)"
  }
}
