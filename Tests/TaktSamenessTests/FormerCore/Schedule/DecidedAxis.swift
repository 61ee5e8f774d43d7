/// What is decided on one axis: all up to a mark.
///
/// The clocks of the two axes go together until somebody steps the wall. What one axis has decided
/// ahead of the other is remembered until the other has passed it too, so that an instant which
/// both name gets one verdict.
struct DecidedAxis: Sendable {
  /// How much is remembered, in stretches of unchanged schedule; the oldest goes first.
  static let memoryMax = 64

  private struct Stretch: Sendable {
    var track: Track
    var after: Int64
    var through: Int64
  }

  private(set) var mark: Int64
  private var ahead: [Stretch] = []

  init(mark: Int64) {
    self.mark = mark
  }

  /// As it was kept; what of `text` cannot be read is left out.
  init(mark: Int64, text: some StringProtocol) {
    self.mark = mark
    ahead = text.split(separator: ";").compactMap { piece in
      let numbers = piece.split(separator: " ").compactMap { Int64($0) }
      // Numbers that no clock shows are nobody's, and could not be added.
      guard numbers.count >= 4, numbers.allSatisfy({ $0.magnitude < 1 << 52 }) else { return nil }
      let grid =
        numbers[3] > 0 ? Track.Grid(origin: numbers[2], interval: numbers[3]) : nil
      return Stretch(
        track: Track(grid: grid, instants: Array(numbers[4...])), after: numbers[0],
        through: numbers[1])
    }
  }

  /// Whether anything is remembered.
  var isAhead: Bool { !ahead.isEmpty }

  /// What is remembered, to be kept: of each stretch its ends, its grid, and the instants in it.
  var text: String {
    ahead.map { stretch in
      let instants = stretch.track.instants.filter { stretch.after < $0 && $0 <= stretch.through }
      let grid = stretch.track.grid
      return ([stretch.after, stretch.through, grid?.origin ?? 0, grid?.interval ?? 0] + instants)
        .map(String.init).joined(separator: " ")
    }.joined(separator: ";")
  }

  /// All of `track` up to `end` is decided; the other axis stands at `otherMark`.
  mutating func advance(to end: Int64, on track: Track, otherMark: Int64) {
    ahead.removeAll { $0.through <= otherMark }
    guard end > mark else { return }
    // The bounds of the track are in the stretch itself, which is kept without them.
    let after = max(mark, track.lowest == .min ? mark : track.lowest - 1)
    let through = min(end, track.highest)
    if end > otherMark, !track.isEmpty, after < through {
      if let last = ahead.last, last.track == track, last.through == mark {
        ahead[ahead.count - 1].through = through
      } else {
        ahead.append(Stretch(track: track, after: after, through: through))
      }
      if ahead.count > Self.memoryMax { ahead.removeFirst() }
    }
    mark = end
  }

  /// A single instant is decided, wherever the mark stands.
  mutating func remember(_ label: Int64) {
    ahead.append(Stretch(track: Track(instants: [label]), after: label - 1, through: label))
    if ahead.count > Self.memoryMax { ahead.removeFirst() }
  }

  /// Whether the other axis, which names this instant too, comes too late.
  func hasDecided(_ label: Int64) -> Bool {
    ahead.contains { $0.after < label && label <= $0.through && $0.track.has(label) }
  }

  /// The instants of a track of the other axis, in a stretch, that are decided here.
  func decided(of track: Track, after mark: Int64, through end: Int64) -> [Int64] {
    ahead.flatMap { stretch -> [Int64] in
      var labels: [Int64] = []
      var label = stretch.track.next(after: max(mark, stretch.after))
      while let found = label, found <= min(end, stretch.through) {
        if track.has(found) { labels.append(found) }
        label = stretch.track.next(after: found)
      }
      return labels
    }
  }
}
