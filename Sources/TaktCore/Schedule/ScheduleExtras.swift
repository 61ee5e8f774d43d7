import TaktTime

/// What few schedules have: together in one place, so that the others have no room for it.
struct ScheduleExtras: Hashable, Sendable {
  /// What is made of shared calendars; nil for nothing.
  var calendars: CalendarRules?
  /// How long after an event the job is due; none for at once.
  var delays: [LifecycleEvent: Duration] = [:]

  var isEmpty: Bool { calendars == nil && delays.isEmpty }
}

extension Schedule {
  /// What it makes of shared calendars; nil (the default) for nothing.
  package var calendars: CalendarRules? {
    get { extras.calendars }
    set { changeExtras { $0.calendars = newValue } }
  }

  /// How long after an event of `on` the job is due; an event without one makes it due at once.
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
  /// What `on` says of a job without a trigger.
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
