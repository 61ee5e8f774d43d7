import TaktCore
import TaktTime

/// What the daemon foresees of a job's slots.
struct ForecastAnswer: Decodable {
  private struct Slot: Decodable {
    var slot: String
    var due: String
    var window_ms: Double
    var causes: [String]
    var excluded: Bool
    var beyond_limit: Bool

    var entry: SlotForecast.Entry? {
      guard let nominal = slot.instant, let due = due.instant else { return nil }
      return SlotForecast.Entry(
        nominal: nominal, due: due, window: Duration(answered: window_ms),
        causes: causes.compactMap(SlotCause.init), isExcluded: excluded,
        isBeyondLimit: beyond_limit)
    }
  }

  private var slots: [Slot]
  private var enabled: Bool
  private var limit: Int?
  private var limit_reached: Bool
  private var overlap: String
  private var next: String?
  private var later: String?
  private var schedule_words: [String]
  private var unforeseen: Bool

  /// Nil where the daemon says something that this program does not know.
  var forecast: SlotForecast? {
    let entries = slots.compactMap(\.entry)
    guard entries.count == slots.count, let overlap = Overlap(rawValue: overlap) else { return nil }
    return SlotForecast(
      entries: entries, isEnabled: enabled, limit: limit, isLimitReached: limit_reached,
      overlap: overlap, next: next?.instant, later: later?.instant, scheduleWords: schedule_words,
      hasUnforeseen: unforeseen)
  }
}

extension String {
  /// An instant as the API writes it.
  fileprivate var instant: WallInstant? { (try? InstantText(self))?.instant }
}
