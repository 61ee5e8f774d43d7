/// What few cursors have to remember beside how far they have come.
struct CursorMemory: Hashable, Sendable {
  /// What the job's own clock has decided ahead of the wall.
  var clock = DecidedAhead()
  /// What the wall has decided ahead of the job's own clock.
  var wall = DecidedAhead()
  /// The last slot that something which happened has made; `min` when there was none.
  var lastMoment = ScheduleInstant.min

  init() {}

  /// As it was kept; nil when there is nothing in it.
  init?(text: String) {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    clock = DecidedAhead(text: parts.first ?? "")
    wall = DecidedAhead(text: parts.count > 1 ? parts[1] : "")
    lastMoment =
      parts.count > 2 ? Int64(parts[2]).map { ScheduleInstant(milliseconds: $0) } ?? .min : .min
    if isEmpty { return nil }
  }

  /// What is remembered, to be kept.
  var text: String {
    if lastMoment != .min { return "\(clock.text)|\(wall.text)|\(lastMoment.milliseconds)" }
    return isAhead ? "\(clock.text)|\(wall.text)" : ""
  }

  var isAhead: Bool { !clock.isEmpty || !wall.isEmpty }
  var isEmpty: Bool { !isAhead && lastMoment == .min }
}
