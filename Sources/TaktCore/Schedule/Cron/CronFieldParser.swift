/// Reads one field of a cron expression: a list of values, ranges, steps and special days.
struct CronFieldParser {
  let field: CronField
  var reader: ByteReader
  private let seed: String
  private let start: Int

  private var mask: UInt64 = 0
  private var years: [CronYears.Term] = []
  private var isAny = false
  /// True once a `*`, a range or a step was read.
  private var isOpen = false
  var days = CronDays()

  init(_ field: CronField, _ reader: ByteReader, seed: String) {
    self.field = field
    self.reader = reader
    self.seed = seed
    start = reader.position
  }

  mutating func parse(into expression: inout CronExpression) throws(CronProblem) {
    let isStar = reader.next == UInt8(ascii: "*") || reader.next == UInt8(ascii: "?")
    if reader.end == start + 1, reader.consume("?") {
      guard field == .dayOfMonth || field == .dayOfWeek else {
        throw problem(.otherField("?"), at: start)
      }
      fill()
    } else {
      repeat { try item() } while reader.consume(",")
      guard reader.isAtEnd else { throw unexpected() }
    }
    store(in: &expression, isStar: isStar)
  }

  private mutating func item() throws(CronProblem) {
    guard let next = reader.next, next != UInt8(ascii: ",") else {
      throw problem(.missingValue)
    }
    if reader.consume("*") {
      let step = try step()
      if step == nil || step == 1 { fill() } else { add(field.values, step: step ?? 1) }
      isOpen = true
      return
    }
    if try hashed() { return }
    if try specialDay() { return }
    let place = reader.position
    let first = try value()
    if field == .dayOfMonth || field == .dayOfWeek, try daySuffix(first, from: place) { return }
    var last = first
    let isRange = reader.consume("-")
    if isRange { last = try value() }
    let step = try step()
    if isRange || step != nil { isOpen = true }
    if !isRange, step != nil { last = openEnd }
    if first <= last {
      add(first...last, step: step ?? 1)
    } else {
      try wrap(from: first, to: last, step: step ?? 1, at: place)
    }
  }

  /// The end of `5/10`: the last value, for days of the week Saturday.
  private var openEnd: Int { field == .dayOfWeek ? 6 : field.values.upperBound }

  private mutating func value() throws(CronProblem) -> Int {
    let place = reader.position
    if let number = reader.number() {
      guard field.values.contains(number) else {
        throw problem(
          .outOfRange(reader.text(from: place, to: reader.position), field.values), at: place)
      }
      return number
    }
    guard let next = reader.next else { throw problem(.missingValue) }
    guard ByteReader.isLetter(next) else {
      throw isSeparator(next) ? problem(.missingValue) : unexpected()
    }
    let word = reader.letters()
    // A day's name may have `L` after it: FRIL, the last Friday.
    for (index, name) in field.names.enumerated() {
      if word.uppercased() == name { return index + field.values.lowerBound }
      if field == .dayOfWeek, word.uppercased() == name + "L" {
        reader.position -= 1
        return index
      }
    }
    throw wrongWord(word, at: place)
  }

  private func wrongWord(_ word: String, at place: Int) -> CronProblem {
    let sign = word.uppercased()
    if ["L", "W", "LW"].contains(sign) { return problem(.otherField(sign), at: place) }
    if field.names.isEmpty { return problem(.unexpected(reader.character(at: place)), at: place) }
    let nearest = NearestName.of(word, among: field.names)
    return problem(.unknownName(word, nearest: nearest), at: place)
  }

  private func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "-")
  }

  /// The number after a `/`; nil when there is none.
  private mutating func step() throws(CronProblem) -> Int? {
    guard reader.consume("/") else { return nil }
    let place = reader.position
    guard let step = reader.number() else {
      throw reader.isAtEnd || reader.next == UInt8(ascii: ",")
        ? problem(.missingValue) : unexpected()
    }
    guard step >= 1, step <= field.stepMax else {
      let written = reader.text(from: place, to: reader.position)
      throw problem(.badStep(written, max: field.stepMax), at: place)
    }
    return step
  }

  /// `H`, `H(a-b)`, each perhaps with a step; false when something else comes next.
  private mutating func hashed() throws(CronProblem) -> Bool {
    guard field != .year, reader.consume("h") else { return false }
    var range = field.hashValues
    if reader.consume("(") {
      let place = reader.position
      let first = try value()
      guard reader.consume("-") else { throw unexpected() }
      let last = try value()
      guard first <= last else { throw problem(.backwardRange(first, last), at: place) }
      guard reader.consume(")") else { throw unexpected() }
      range = first...last
    }
    let hash = StableHash.of(field.rawValue + "\u{0}" + seed)
    if let step = try step() {
      let reach = min(step, range.count)
      let first = range.lowerBound + Int(hash % UInt64(reach))
      add(first...range.upperBound, step: step)
      isOpen = true
    } else {
      let value = range.lowerBound + Int(hash % UInt64(range.count))
      add(value...value, step: 1)
    }
    return true
  }

  private mutating func fill() {
    isAny = true
    isOpen = true
    add(field.values, step: 1)
  }

  private mutating func add(_ range: ClosedRange<Int>, step: Int) {
    if field == .year {
      years.append(CronYears.Term(first: range.lowerBound, last: range.upperBound, step: step))
      return
    }
    // Without its 7 a whole week would meet Sunday twice, at different places of a step.
    let isWholeWeek = field == .dayOfWeek && range == field.values && step > 1
    let last = isWholeWeek ? 6 : range.upperBound
    for value in stride(from: range.lowerBound, through: last, by: step) { set(value) }
  }

  /// `FRI-MON`, `22-2`: past the end of the field to its beginning.
  private mutating func wrap(
    from first: Int, to last: Int, step: Int, at place: Int
  ) throws(CronProblem) {
    guard field != .year else { throw problem(.backwardRange(first, last), at: place) }
    let from = field == .dayOfWeek ? first % 7 : first
    let through = from <= last ? last : last + field.cycle
    for value in stride(from: from, through: through, by: step) {
      set(value < field.values.lowerBound + field.cycle ? value : value - field.cycle)
    }
  }

  private mutating func set(_ value: Int) {
    mask |= 1 << UInt64(field == .dayOfWeek ? value % 7 : value)
  }

  private mutating func store(in expression: inout CronExpression, isStar: Bool) {
    // As in cron: a '*' behind something else makes no difference between the day fields.
    let isAnyDay = isStar && (isAny || mask.nonzeroBitCount == field.cycle)
    if isAnyDay { days = CronDays() }
    switch field {
    case .second:
      expression.seconds = mask
      if isOpen { expression.openFields.insert(.second) }
    case .minute:
      expression.minutes = mask
      if isOpen { expression.openFields.insert(.minute) }
    case .hour:
      expression.hours = mask
      if isOpen { expression.openFields.insert(.hour) }
      if isStar || mask.nonzeroBitCount == field.cycle { expression.openFields.insert(.everyHour) }
    case .month:
      expression.months = mask
    case .dayOfMonth:
      expression.days.isAnyDayOfMonth = isAnyDay
      expression.days.isStarDayOfMonth = isStar
      expression.days.daysOfMonth = UInt32(mask)
      expression.days.daysBeforeLast = days.daysBeforeLast
      expression.days.nearestWeekdays = days.nearestWeekdays
      expression.days.nearestWeekdaysBeforeLast = days.nearestWeekdaysBeforeLast
    case .dayOfWeek:
      expression.days.isAnyDayOfWeek = isAnyDay
      expression.days.isStarDayOfWeek = isStar
      expression.days.weekdays = UInt8(mask)
      expression.days.lastWeekdays = days.lastWeekdays
      expression.days.nthWeekdays = days.nthWeekdays
    case .year:
      expression.years = isAny ? nil : CronYears(years)
    }
  }

  func problem(_ reason: CronProblem.Reason, at offset: Int? = nil) -> CronProblem {
    CronProblem(reason, in: field, at: offset ?? reader.position)
  }

  func unexpected() -> CronProblem {
    if reader.isAtEnd { return problem(.missingValue) }
    if reader.next == UInt8(ascii: "#"), field != .dayOfWeek { return problem(.otherField("#")) }
    return problem(.unexpected(reader.character(at: reader.position)))
  }

  /// A form such as `15W` must be the whole field.
  func requireAlone(from place: Int) throws(CronProblem) {
    guard place == start, reader.isAtEnd else {
      throw problem(.mustBeAlone(reader.text(from: place, to: reader.position)), at: place)
    }
  }
}
