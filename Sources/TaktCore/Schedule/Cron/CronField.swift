/// A field of a cron expression. The values of `H` depend on the raw values, which must never
/// change.
package enum CronField: String, CaseIterable, Hashable, Sendable {
  /// 0 to 59; the first of six or seven fields.
  case second
  /// 0 to 59.
  case minute
  /// 0 to 23.
  case hour
  /// 1 to 31.
  case dayOfMonth = "day of month"
  /// 1 to 12, or JAN to DEC.
  case month
  /// 0 to 7, or SUN to SAT; 0 and 7 are Sunday.
  case dayOfWeek = "day of week"
  /// 1970 to 9999; the last of seven fields.
  case year

  package var values: ClosedRange<Int> {
    switch self {
    case .second, .minute: 0...59
    case .hour: 0...23
    case .dayOfMonth: 1...31
    case .month: 1...12
    case .dayOfWeek: 0...7
    case .year: 1970...9999
    }
  }

  /// The number of its different values, after which it starts again; Sunday counts once.
  var cycle: Int {
    switch self {
    case .second, .minute: 60
    case .hour: 24
    case .dayOfMonth: 31
    case .month: 12
    case .dayOfWeek: 7
    case .year: values.count
    }
  }

  var unitName: String { self == .dayOfMonth || self == .dayOfWeek ? "day" : rawValue }

  /// The largest step that goes from one value to another.
  var stepMax: Int {
    switch self {
    case .second, .minute, .hour: cycle - 1
    case .dayOfMonth, .month, .dayOfWeek, .year: cycle
    }
  }

  /// The values that a plain `H` may choose: of days of the month, those that every month has.
  var hashValues: ClosedRange<Int> {
    switch self {
    case .dayOfMonth: 1...28
    case .dayOfWeek: 0...6
    case .second, .minute, .hour, .month, .year: values
    }
  }

  /// Names of values, the first for the lowest value; empty when there are none.
  package var names: [String] {
    switch self {
    case .month: Self.monthNames
    case .dayOfWeek: Self.dayNames
    case .second, .minute, .hour, .dayOfMonth, .year: []
    }
  }

  private static let monthNames = [
    "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
  ]
  private static let dayNames = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
}

/// The years of a cron expression's seventh field.
struct CronYears: Hashable, Sendable {
  /// Every `step`-th year from `first` to `last`.
  struct Term: Hashable, Comparable, Sendable {
    var first: Int
    var last: Int
    var step: Int

    static func < (left: Self, right: Self) -> Bool {
      (left.first, left.last, left.step) < (right.first, right.last, right.step)
    }
  }

  /// In order, no two alike, not empty.
  var terms: [Term]

  init(_ terms: [Term]) {
    self.terms = Set(
      terms.map { term in
        // The last year that the step reaches, so that equal years make equal values.
        let last = term.last - (term.last - term.first) % term.step
        return Term(first: term.first, last: last, step: last == term.first ? 1 : term.step)
      }
    ).sorted()
  }

  /// The earliest of them that is not before `year`; nil when there is none.
  func first(from year: Int) -> Int? {
    var earliest: Int?
    for term in terms where term.last >= year {
      let behind = max(0, year - term.first)
      let candidate = term.first + (behind + term.step - 1) / term.step * term.step
      if candidate <= term.last { earliest = min(earliest ?? candidate, candidate) }
    }
    return earliest
  }
}
