package import TaktTime

/// One line of the log: an event with named facts.
package struct LogRecord: Hashable, Sendable {
  /// When it happened.
  package var at: WallInstant
  /// How much it matters.
  package var level: LogLevel
  /// What kind of thing happened.
  package var event: LogEvent
  /// A record of the timers' and plans' daily round: JSON lines always carry it, text only at
  /// level debug.
  package var isRoutine: Bool
  /// The facts, in the order in which they are shown.
  package var fields: [LogField]

  /// A record; not routine unless told so.
  package init(
    at: WallInstant, _ level: LogLevel, _ event: LogEvent, routine isRoutine: Bool = false,
    _ fields: [LogField]
  ) {
    self.at = at
    self.level = level
    self.event = event
    self.isRoutine = isRoutine
    self.fields = fields
  }

  /// The value of a fact; nil when the record does not have it.
  package subscript(key: LogKey) -> LogValue? {
    fields.first { $0.key == key }?.value
  }
}

/// How much a record matters.
package enum LogLevel: String, CaseIterable, Hashable, Comparable, Sendable {
  case debug, info, notice, warning, error

  private var rank: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .notice: 2
    case .warning: 3
    case .error: 4
    }
  }

  /// From `debug` up to `error`.
  package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

/// What kind of thing happened.
package enum LogEvent: String, CaseIterable, Hashable, Sendable {
  /// A transition of a timer machine.
  case timer
  /// The verdict on a slot.
  case slot
  /// A transition of a run.
  case run
  /// A line that a run has printed.
  case output
  /// How far a run of a plugin is.
  case progress
  /// A value that a run of a plugin has measured.
  case metric
  /// Anything about a service plugin itself.
  case plugin
  /// A step of a reload.
  case reload
  /// A line of a reload's plan.
  case plan
  /// Anything about the ledger.
  case ledger
  /// Anything about the scheduler itself.
  case scheduler
}

/// One fact.
package struct LogField: Hashable, Sendable {
  /// Which fact.
  package var key: LogKey
  /// What it is.
  package var value: LogValue

  /// A fact.
  package init(_ key: LogKey, _ value: LogValue) {
    self.key = key
    self.value = value
  }
}

/// The value of a fact.
package enum LogValue: Hashable, Sendable {
  /// Text.
  case text(String)
  /// Bytes that are probably text; what is not UTF-8 is shown as U+FFFD.
  case bytes([UInt8])
  /// A whole number.
  case number(Int64)
  /// A time in milliseconds, shown with three places.
  case milliseconds(Duration)
  /// A moment.
  case instant(WallInstant)
}
