extension CalendarParser {
  /// The words that stand for a whole expression.
  static let words = [
    "minutely", "hourly", "daily", "weekly", "monthly", "quarterly", "semiannually", "yearly",
    "annually",
  ]

  /// What a word stands for, written small; nil when it is none.
  static func shorthand(_ word: String) -> CalendarExpression? {
    var expression = CalendarExpression()
    let zero = [CalendarTerm(0)]
    let first = [CalendarTerm(1)]
    expression.seconds = zero
    if word == "minutely" { return expression }
    expression.minutes = zero
    if word == "hourly" { return expression }
    expression.hours = zero
    switch word {
    case "daily":
      break
    case "weekly":
      expression.weekdays = 1
    case "monthly":
      expression.days = first
    case "quarterly":
      expression.months = [1, 4, 7, 10].map { CalendarTerm($0) }
      expression.days = first
    case "semiannually", "semi-annually", "biannually", "bi-annually":
      expression.months = [1, 7].map { CalendarTerm($0) }
      expression.days = first
    case "yearly", "annually", "anually":
      // The last is a slip of old, which systemd still reads.
      expression.months = first
      expression.days = first
    default:
      return nil
    }
    return expression
  }
}
