import TaktTime

/// Settings of few schedules: boxed together, so that the others need no room for them.
struct ScheduleExtras: Hashable, Sendable {
  /// The use of shared calendars; nil for none.
  var calendars: CalendarRules?
  /// The delays after events; an event without one makes the job due at once.
  var delays: [LifecycleEvent: Duration] = [:]

  var isEmpty: Bool { calendars == nil && delays.isEmpty }
}

extension Schedule {
  /// The use of shared calendars; nil (the default) for none.
  package var calendars: CalendarRules? {
    get { extras.calendars }
    set { changeExtras { $0.calendars = newValue } }
  }

  /// The delays after events of `on`; an event without one makes the job due at once.
  package var delays: [LifecycleEvent: Duration] {
    get { extras.delays }
    set { changeExtras { $0.delays = newValue.filter { $0.value > .zero } } }
  }
}

extension LifecycleEvent: Comparable {
  /// In the order in which they are listed.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension Schedule {
  /// The word of `on` for a job without a trigger.
  package static let manualWord = "manual"

  /// `boot after 5m`, `start`: the events of `on`; `manual` for a job without a trigger.
  var lifecycleWords: [String] {
    if isManual { return [Self.manualWord] }
    let delays = self.delays
    return on.sorted().map { event in
      event.rawValue + (delays[event].map { " after \(DurationText.format($0))" } ?? "")
    }
  }
}
