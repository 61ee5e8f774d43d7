/// Local time over the axis: stretches of one offset each.
struct PictureZone: Sendable {
  /// A stretch of time with one offset.
  struct Span: Equatable, Sendable {
    var from: Int64
    var to: Int64
    var offsetMs: Int64
  }

  /// A stretch of time that lies in one step of local time.
  struct Piece: Equatable, Sendable {
    var from: Int64
    var to: Int64
    /// The number of the step; see `PictureStep.index(ofLocal:)`.
    var index: Int64
  }

  /// No zone of the Earth is further from UTC; more would only make nonsense of the axis.
  private static let offsetMaxSeconds = 93_600

  /// Never empty; one after another from the begin of the axis to its end.
  let spans: [Span]

  /// The local time of `offsets` over the axis of `scale`.
  init(_ offsets: [Timeline.ZoneOffset], over scale: PictureScale) {
    let ordered = offsets.sorted { $0.at < $1.at }
    let first = ordered.last { $0.at <= scale.from } ?? ordered.first
    var spans = [
      Span(from: scale.from, to: scale.to, offsetMs: Self.milliseconds(first?.offsetSeconds ?? 0))
    ]
    for next in ordered where next.at > scale.from && next.at < scale.to {
      let offsetMs = Self.milliseconds(next.offsetSeconds)
      guard offsetMs != spans[spans.count - 1].offsetMs else { continue }
      // Of changes that share a pixel the last is shown; so there are no more than pixels.
      if spans.count > 1 && scale.column(next.at) == scale.column(spans[spans.count - 1].from) {
        spans[spans.count - 1].offsetMs = offsetMs
        continue
      }
      spans[spans.count - 1].to = next.at
      spans.append(Span(from: next.at, to: scale.to, offsetMs: offsetMs))
    }
    self.spans = spans
  }

  /// The local date and time of an instant.
  func date(_ instant: Int64) -> PictureDate {
    PictureDate(localMs: local(instant))
  }

  /// The local time of an instant, held to what a picture can show.
  func local(_ instant: Int64) -> Int64 {
    PictureScale.held(instant) + (spans.last { $0.from <= instant } ?? spans[0]).offsetMs
  }

  /// The axis cut at every boundary of `step`, and where a change of the clock jumps over one.
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

  /// The pieces, cut at every change of the clock too: what is repeated begins twice.
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
