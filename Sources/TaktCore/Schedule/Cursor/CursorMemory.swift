/// State that few cursors need in addition to their position.
struct CursorMemory: Hashable, Sendable {
  /// The job's own clock's decisions ahead of the wall.
  var clock = DecidedAhead()
  /// The wall's decisions ahead of the job's own clock.
  var wall = DecidedAhead()
  /// The slots named by events.
  var moments = NamedMoments()
  /// Slots that were named before they were due.
  private(set) var named: [ScheduleInstant] = []

  /// The newest decided slot of a fixed delay that several machines share.
  var decided: ScheduleInstant?

  private static let namedMax = 64

  init() {}

  /// From the text in the ledger; nil if there is nothing in it.
  init?(text: String) {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    clock = DecidedAhead(text: parts.first ?? "")
    wall = DecidedAhead(text: parts.count > 1 ? parts[1] : "")
    moments = NamedMoments(
      text: parts.count > 4 ? parts[4] : "",
      last: parts.count > 2 ? Int64(parts[2]).map { ScheduleInstant(milliseconds: $0) } : nil)
    if parts.count > 3 {
      named = parts[3].split(separator: " ").suffix(Self.namedMax).compactMap(Self.instant)
    }
    if parts.count > 5 { decided = Self.instant(parts[5]) }
    if isEmpty { return nil }
  }

  private static func instant(_ text: Substring) -> ScheduleInstant? {
    Int64(text).flatMap { $0.magnitude < 1 << 52 ? ScheduleInstant(milliseconds: $0) : nil }
  }

  /// An event names a later slot: neither a clock nor another event names it again.
  mutating func remember(_ instant: ScheduleInstant) {
    clock.remember(instant)
    wall.remember(instant)
    named.append(instant)
    guard named.count > Self.namedMax else { return }
    let cheapest = named.indices.min { left, right in
      (moments.loss(closing: named[left]), named[left])
        < (moments.loss(closing: named[right]), named[right])
    }
    if let cheapest { moments.close(named.remove(at: cheapest)) }
  }

  /// The form in the ledger.
  var text: String {
    if isEmpty { return "" }
    let last = moments.last == .min ? "" : String(moments.last.milliseconds)
    let names = named.map { String($0.milliseconds) }.joined(separator: " ")
    let decided = decided.map { String($0.milliseconds) } ?? ""
    var parts = [clock.text, wall.text, last, names, moments.text, decided]
    while parts.count > 2, parts.last?.isEmpty == true { parts.removeLast() }
    return parts.joined(separator: "|")
  }

  var isAhead: Bool { !clock.isEmpty || !wall.isEmpty }
  var isEmpty: Bool { !isAhead && moments.isEmpty && named.isEmpty && decided == nil }
}
