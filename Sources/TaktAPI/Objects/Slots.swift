package import TaktCore
package import TaktTime

extension API {
  package struct Slot: APIObject {
    package var slot = WallInstant.empty
    package var due = WallInstant.empty
    package var window = Duration.zero
    package var causes: [String] = []

    package static let schemaName: String? = "Slot"
    package static let summary = "A scheduled slot."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("slot", &slot, "The nominal instant")
      fields.add("due", &due, "When it is due: the nominal instant plus spread and jitter")
      fields.add("window_ms", &window, "The leeway, in milliseconds")
      fields.add(
        "causes", &causes, "The triggers",
        .items("A trigger: every, cron, calendar, rrule, at, after, watch, start, boot, reload"))
    }
  }

  package struct Forecast: APIObject {
    package var slots: [Slot] = []
    package var enabled = false
    package var limit: Int?
    package var limitReached = false
    package var overlap = ""
    package var next: WallInstant?
    package var later: WallInstant?
    package var scheduleWords: [String] = []
    package var unforeseen = false
    package var condition: Bool?

    package static let schemaName: String? = "Forecast"
    package static let summary = "What can be foreseen of the slots of a job."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("slots", &slots, "The first slots of the range", .maxItems(5))
      fields.add("enabled", &enabled, "Whether the jobs file enables the job")
      fields.add("limit", &limit, "How often the job may run. Left out without a limit")
      fields.add("limit_reached", &limitReached, "Whether the job has run as often as that")
      fields.add(
        "overlap", &overlap,
        "What happens to a slot that is due during a run: \(Overlap.list(" or ", \.rawValue))")
      fields.add("next", &next, "The next slot from now on. Left out where there is none")
      fields.add(
        "later", &later,
        "The first slot from the start of the range on that is not excluded. Left out where "
          + "there is none")
      fields.add(
        "schedule_words", &scheduleWords, "The schedule in words",
        .items("A line of the schedule in words"))
      fields.add("unforeseen", &unforeseen, "Whether slots may come that depend on an event")
      fields.add(
        "condition", &condition,
        "Whether only_if decides at each slot; absent from an earlier version")
    }

    package struct Slot: APIObject {
      package var slot = WallInstant.empty
      package var due = WallInstant.empty
      package var window = Duration.zero
      package var causes: [String] = []
      package var excluded = false
      package var beyondLimit = false

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("slot", &slot, "The nominal instant")
        fields.add("due", &due, "When it is due: the nominal instant plus spread and jitter")
        fields.add("window_ms", &window, "The leeway, in milliseconds")
        fields.add(
          "causes", &causes, "The triggers",
          .items("A trigger: every, cron, calendar, at, after, watch, start, boot, reload"))
        fields.add("excluded", &excluded, "Whether 'except' leaves it out")
        fields.add(
          "beyond_limit", &beyondLimit,
          "Whether the job will have run as often as its limit allows by then")
      }
    }
  }

  package struct SlotList: APIObject {
    package var slots: [Slot] = []

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("slots", &slots, "The next slots, in order")
    }
  }
}

extension API.Slot {
  package init(_ slot: TaktCore.Slot) {
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
    condition = forecast.hasCondition
  }

  /// Nil if another version of takt reports a verdict that this one does not know.
  package var forecast: SlotForecast? {
    guard let overlap = Overlap(rawValue: overlap) else { return nil }
    return SlotForecast(
      entries: slots.map { slot in
        SlotForecast.Entry(
          nominal: slot.slot, due: slot.due, window: slot.window,
          causes: slot.causes.compactMap(SlotCause.init), isExcluded: slot.excluded,
          isBeyondLimit: slot.beyondLimit)
      }, isEnabled: enabled, limit: limit, isLimitReached: limitReached, overlap: overlap,
      next: next, later: later, scheduleWords: scheduleWords, hasUnforeseen: unforeseen,
      hasCondition: condition ?? false)
  }
}
