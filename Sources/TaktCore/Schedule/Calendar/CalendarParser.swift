import TaktTime

/// Reads a calendar expression: zone, shorthand, days of the week, date and time.
struct CalendarParser {
  var reader: ByteReader
  private var result = CalendarExpression()
  /// The place of each unit's list, for problems found after all was read.
  private var places: [CalendarUnit: Int] = [:]

  init(_ text: String) {
    reader = ByteReader(text)
  }

  mutating func expression() throws(CalendarProblem) -> CalendarExpression {
    parseZone()
    if reader.isAtEnd { throw CalendarProblem(.empty, at: reader.position) }
    if let shorthand = Self.shorthand(reader.text(from: 0, to: reader.end).lowercased()) {
      var whole = shorthand
      whole.zoneName = result.zoneName
      return whole
    }
    try weekdays()
    if reader.consume("@") {
      try epoch()
    } else {
      try date()
      try time()
    }
    guard reader.isAtEnd else { throw unexpected() }
    return try checked()
  }

  /// The zone's name that the text ends with; nil when it ends with none.
  mutating func zoneName() -> String? {
    parseZone()
    return result.zoneName
  }

  private mutating func parseZone() {
    guard let blank = reader.bytes.lastIndex(of: 0x20) else { return }
    let word = reader.text(from: blank + 1, to: reader.end)
    let name: String? = word.lowercased() == "utc" ? "UTC" : Self.isZoneName(word) ? word : nil
    guard let name else { return }
    result.zoneName = name
    reader = ByteReader(bytes: reader.bytes, from: 0, to: blank)
  }

  /// A zone's name starts with a letter and has letters, digits, `_`, `+`, `-` and single slashes;
  /// a word that starts like a day of the week is one.
  private static func isZoneName(_ word: String) -> Bool {
    guard let first = word.utf8.first, ByteReader.isLetter(first) else { return false }
    let isPlain = word.utf8.allSatisfy {
      ByteReader.isLetter($0) || ByteReader.isDigit($0) || "_+-/".utf8.contains($0)
    }
    var start = ByteReader(word)
    return isPlain && !word.contains("//") && word.utf8.last != UInt8(ascii: "/")
      && parseDay(&start) == nil
  }

  private static let dayNames = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]

  private static func parseDay(_ reader: inout ByteReader) -> Int? {
    for (index, name) in dayNames.enumerated()
    where reader.consume(word: name) || reader.consume(word: String(name.prefix(3))) {
      return index
    }
    return nil
  }

  private mutating func weekdays() throws(CalendarProblem) {
    var rangeStart: Int?
    var isFirst = true
    while true {
      let place = reader.position
      guard let day = Self.parseDay(&reader) else {
        if isFirst, !(reader.next.map(ByteReader.isLetter) ?? false) { return }
        throw unknownDay(at: place)
      }
      isFirst = false
      if let start = rangeStart, start > day { throw CalendarProblem(.backwardDays, at: place) }
      for each in (rangeStart ?? day)...day { result.weekdays |= 1 << UInt8(each) }
      if reader.isAtEnd { return }
      if reader.next == UInt8(ascii: ".") || reader.next == UInt8(ascii: "-") {
        let isDots = reader.consume(".")
        guard rangeStart == nil, isDots ? reader.consume(".") : reader.consume("-") else {
          throw unexpected()
        }
        rangeStart = day
      } else if reader.consume(",") {
        rangeStart = nil
      } else if reader.next != 0x20 {
        throw unexpected()
      } else {
        rangeStart = nil
      }
      // A comma is allowed after the last day; a range may not be open.
      if reader.isAtEnd || reader.next == 0x20 {
        if rangeStart != nil { throw CalendarProblem(.missingValue, at: reader.position) }
        reader.skip { $0 == 0x20 }
        return
      }
    }
  }

  private mutating func unknownDay(at place: Int) -> CalendarProblem {
    let word = reader.letters()
    if word.isEmpty { return unexpected() }
    let days = Self.dayNames.map { $0.prefix(1).uppercased() + $0.dropFirst() }
    let nearest = NearestName.of(word, among: days + days.map { String($0.prefix(3)) } + Self.words)
    return CalendarProblem(.unknownWord(word, nearest: nearest), at: place)
  }

  /// Seconds since the epoch, a time in UTC. A zone written after it changes nothing.
  private mutating func epoch() throws(CalendarProblem) {
    let place = reader.position
    reader.skip { $0 == 0x20 || (0x09...0x0d).contains($0) }
    _ = reader.consume("+")
    guard let seconds = reader.number() else {
      throw CalendarProblem(.missingValue, at: reader.position)
    }
    guard seconds < .max else { throw CalendarProblem(.badValues, in: .year, at: place) }
    let civil = CivilTime(epochSeconds: Int64(seconds))
    result.years = [CalendarTerm(civil.year)]
    result.months = [CalendarTerm(civil.month)]
    result.days = [CalendarTerm(civil.day)]
    result.hours = [CalendarTerm(civil.hour)]
    result.minutes = [CalendarTerm(civil.minute)]
    result.seconds = [CalendarTerm(civil.second * 1_000_000)]
    result.zoneName = "UTC"
  }

  /// `year-month-day`, `month-day`, or nothing when a time comes; `~` instead of the last `-`.
  private mutating func date() throws(CalendarProblem) {
    if reader.isAtEnd { return }
    let start = reader.position
    let first = try list(.year)
    if reader.isAtEnd || reader.next == UInt8(ascii: ":") {
      reader.position = start
      return
    }
    let secondPlace = reader.position + 1
    var isFromEnd = try dateSign()
    let second = try list(.month)
    if reader.isAtEnd || reader.next == 0x20 {
      set(.month, first, at: start)
      set(.day, second, at: secondPlace)
    } else {
      guard !isFromEnd else { throw unexpected() }
      let thirdPlace = reader.position + 1
      isFromEnd = try dateSign()
      let third = try list(.day)
      guard reader.isAtEnd || reader.next == 0x20 else { throw unexpected() }
      set(.year, first, at: start)
      set(.month, second, at: secondPlace)
      set(.day, third, at: thirdPlace)
    }
    result.isFromMonthEnd = isFromEnd
    reader.skip { $0 == 0x20 }
  }

  /// The sign between two parts of a date; true for `~`.
  private mutating func dateSign() throws(CalendarProblem) -> Bool {
    if reader.consume("~") { return true }
    guard reader.consume("-") else { throw unexpected() }
    return false
  }

  /// `hour:minute` or `hour:minute:second`; midnight when nothing comes.
  private mutating func time() throws(CalendarProblem) {
    let zero = [CalendarTerm(0)]
    if reader.isAtEnd {
      (result.hours, result.minutes, result.seconds) = (zero, zero, zero)
      return
    }
    result.seconds = zero
    try part(.hour)
    guard reader.consume(":") else { throw unexpected() }
    try part(.minute)
    if reader.isAtEnd { return }
    guard reader.consume(":") else { throw unexpected() }
    try part(.second)
  }

  private mutating func part(_ unit: CalendarUnit) throws(CalendarProblem) {
    let place = reader.position
    set(unit, try list(unit), at: place)
  }

  private mutating func set(_ unit: CalendarUnit, _ terms: [CalendarTerm], at place: Int) {
    result[unit] = terms
    places[unit] = place
  }

  /// Two-digit years in full, lists in order, everything within its range.
  private mutating func checked() throws(CalendarProblem) -> CalendarExpression {
    if result.weekdays == 0x7f { result.weekdays = 0 }
    if result.days.isEmpty { result.isFromMonthEnd = false }
    result.years = result.years.map { term in
      CalendarTerm(
        Self.fullYear(term.start), to: term.stop.map(Self.fullYear), every: term.step)
    }
    for unit in CalendarUnit.allCases {
      let terms = Set(result[unit].map(\.trimmed)).sorted()
      let isFromMonthEnd = result.isFromMonthEnd
      let areValid = terms.enumerated().allSatisfy { index, term in
        term.isValid(in: unit, fromMonthEnd: isFromMonthEnd, index: index)
      }
      guard areValid else {
        throw CalendarProblem(.badValues, in: unit, at: places[unit] ?? 0)
      }
      // Every whole second has the others in it, as systemd writes it.
      let isEverySecond = unit == .second && terms.first == CalendarTerm(0, every: unit.scale)
      result[unit] = isEverySecond ? [terms[0]] : terms
    }
    return result
  }

  private static func fullYear(_ year: Int) -> Int {
    switch year {
    case 0..<70: year + 2000
    case 70..<100: year + 1900
    default: year
    }
  }

  func unexpected(in unit: CalendarUnit? = nil) -> CalendarProblem {
    if reader.isAtEnd { return CalendarProblem(.unfinished, at: reader.position) }
    return CalendarProblem(
      .unexpected(reader.character(at: reader.position)), in: unit, at: reader.position)
  }
}
