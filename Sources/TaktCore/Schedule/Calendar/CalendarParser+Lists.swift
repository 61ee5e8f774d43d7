extension CalendarParser {
  /// A list of values, ranges and repetitions; empty for `*`, except that a `*` for seconds is
  /// every whole one.
  mutating func list(_ unit: CalendarUnit) throws(CalendarProblem) -> [CalendarTerm] {
    if reader.consume("*") { return unit == .second ? [CalendarTerm(0, every: unit.scale)] : [] }
    var terms: [CalendarTerm] = []
    repeat {
      guard terms.count <= 240 else {
        throw CalendarProblem(.tooMany, in: unit, at: reader.position)
      }
      terms.append(try term(unit))
    } while reader.consume(",")
    return terms
  }

  private mutating func term(_ unit: CalendarUnit) throws(CalendarProblem) -> CalendarTerm {
    let place = reader.position
    var term = CalendarTerm(try value(unit))
    if reader.consume(word: "..") {
      term.stop = try value(unit)
      term.step = unit.scale
    }
    if reader.consume("/") {
      let step = reader.position
      term.step = try value(unit)
      if term.step == 0 { throw CalendarProblem(.zeroStep, in: unit, at: step) }
    } else if unit == .second, let stop = term.stop, term.start + term.step > stop {
      // The step of a range is a second: a shorter range needs one of its own.
      throw CalendarProblem(.badValues, in: unit, at: place)
    }
    if let next = reader.next, !" ,-~:".utf8.contains(next) { throw unexpected(in: unit) }
    return term
  }

  /// A number; for seconds with up to six digits after a point, more are rounded.
  private mutating func value(_ unit: CalendarUnit) throws(CalendarProblem) -> Int {
    let place = reader.position
    guard let number = reader.number() else {
      if reader.isAtEnd || " ,-~:/.".utf8.contains(reader.next ?? 0) {
        throw CalendarProblem(.missingValue, in: unit, at: place)
      }
      throw unexpected(in: unit)
    }
    // What does not fit 32 bits in the unit's own scale is refused at once.
    guard number <= Int(Int32.max) / unit.scale else {
      throw CalendarProblem(.badValues, in: unit, at: place)
    }
    var value = number * unit.scale
    // One point is that of a fraction, two make a range.
    var rest = reader
    if unit == .second, !rest.consume(word: ".."), reader.consume(".") { value += try fraction() }
    return value
  }

  /// The digits after the point, in microseconds.
  private mutating func fraction() throws(CalendarProblem) -> Int {
    var value = 0
    var count = 0
    while let next = reader.next, ByteReader.isDigit(next) {
      if count < 6 { value = value * 10 + Int(next - 0x30) }
      if count == 6, next >= UInt8(ascii: "5") { value += 1 }
      count += 1
      reader.position += 1
    }
    guard count > 0 else {
      throw CalendarProblem(.missingValue, in: .second, at: reader.position)
    }
    for _ in min(count, 6)..<6 { value *= 10 }
    return value
  }
}

extension CalendarParser {
  /// The words that stand for a whole expression.
  static let words = [
    "minutely", "hourly", "daily", "weekly", "monthly", "quarterly", "semiannually", "yearly",
    "annually",
  ]

  /// The expression that a word in small letters stands for; nil for any other word.
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
