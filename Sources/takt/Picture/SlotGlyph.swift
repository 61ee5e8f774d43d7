/// The shape of a single slot; shapes differ so that nobody needs the colours.
enum SlotGlyph {
  /// The path of the mark of a verdict with its centre at `x`, `y`.
  static func path(_ verdict: Timeline.Verdict, x: Double, y: Double) -> String {
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
  static let drawingOrder: [Timeline.Verdict] = [.ran, .coalesced, .cancelled, .skipped, .missed]
}
