package import TaktCore

extension API.Slot {
  package init(_ slot: Slot) {
    self.slot = slot.nominal
    due = slot.due
    window = slot.window
    causes = slot.causes.sorted().map(\.rawValue)
  }
}

extension API.Forecast {
  package init(_ forecast: SlotForecast) {
    slots = forecast.entries.map { entry in
      var slot = Slot()
      slot.slot = entry.nominal
      slot.due = entry.due
      slot.window = entry.window
      slot.causes = entry.causes.map(\.rawValue)
      slot.excluded = entry.isExcluded
      slot.beyondLimit = entry.isBeyondLimit
      return slot
    }
    enabled = forecast.isEnabled
    limit = forecast.limit
    limitReached = forecast.isLimitReached
    overlap = forecast.overlap.rawValue
    next = forecast.next
    later = forecast.later
    scheduleWords = forecast.scheduleWords
    unforeseen = forecast.hasUnforeseen
  }

  /// What was foreseen; nil where another version of takt says something that this one does not know.
  package var forecast: SlotForecast? {
    guard let overlap = Overlap(rawValue: overlap) else { return nil }
    return SlotForecast(
      entries: slots.map { slot in
        SlotForecast.Entry(
          nominal: slot.slot, due: slot.due, window: slot.window,
          causes: slot.causes.compactMap(SlotCause.init), isExcluded: slot.excluded,
          isBeyondLimit: slot.beyondLimit)
      }, isEnabled: enabled, limit: limit, isLimitReached: limitReached, overlap: overlap,
      next: next, later: later, scheduleWords: scheduleWords, hasUnforeseen: unforeseen)
  }
}
