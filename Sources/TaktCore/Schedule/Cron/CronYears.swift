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
