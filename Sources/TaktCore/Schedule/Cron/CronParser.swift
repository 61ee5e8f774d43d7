/// Reads the whole of a cron expression: names with `@`, and the split into fields.
struct CronParser {
  private let seed: String
  private var reader: ByteReader

  init(_ text: String, seed: String) {
    self.seed = seed
    reader = ByteReader(text)
  }

  private static let macros: [String: String] = [
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0", "@daily": "0 0 * * *", "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *", "@every_minute": "* * * * *", "@every_second": "* * * * * *",
  ]

  mutating func expression() throws(CronProblem) -> CronExpression {
    reader.skip(while: ByteReader.isBlank)
    let start = reader.position
    if reader.isAtEnd { throw CronProblem(.empty, at: start) }
    if reader.next == UInt8(ascii: "@") { return try macro() }
    if reader.consume(word: "tz=") || reader.consume(word: "cron_tz=") {
      let zone = reader.position
      reader.skip { !ByteReader.isBlank($0) }
      throw CronProblem(.zonePrefix(reader.text(from: zone, to: reader.position)), at: start)
    }
    return try expression(of: fields())
  }

  private mutating func macro() throws(CronProblem) -> CronExpression {
    let start = reader.position
    var end = reader.end
    while ByteReader.isBlank(reader.bytes[end - 1]) { end -= 1 }
    let name = reader.text(from: start, to: end)
    let small = name.lowercased()
    if let text = Self.macros[small] {
      var parser = CronParser(text, seed: seed)
      return try parser.expression()
    }
    if small == "@reboot" { throw CronProblem(.reboot, at: start) }
    if reader.consume(word: "@every"), reader.next.map(ByteReader.isBlank) ?? true {
      reader.skip(while: ByteReader.isBlank)
      let interval = reader.position < end ? reader.text(from: reader.position, to: end) : "5m"
      throw CronProblem(.interval(interval), at: start)
    }
    // Of equally near names the first in the alphabet, so that the hint is always the same.
    let nearest = NearestName.of(name, among: Self.macros.keys.sorted())
    throw CronProblem(.unknownMacro(name, nearest: nearest), at: start)
  }

  private mutating func fields() -> [Range<Int>] {
    var fields: [Range<Int>] = []
    while !reader.isAtEnd {
      let start = reader.position
      reader.skip { !ByteReader.isBlank($0) }
      fields.append(start..<reader.position)
      reader.skip(while: ByteReader.isBlank)
    }
    return fields
  }

  private func expression(of places: [Range<Int>]) throws(CronProblem) -> CronExpression {
    guard (5...7).contains(places.count) else {
      // The first field too many is the place; where one is missing, the end.
      guard places.count < 5 else {
        throw CronProblem(.fieldCount(places.count), at: places[7].lowerBound)
      }
      let missing = CronField.allCases[places.count + 1]
      throw CronProblem(.fieldCount(places.count), in: missing, at: reader.end)
    }
    if let problem = aws(places) { throw problem }
    var expression = CronExpression()
    let withSeconds = CronField.allCases.prefix(places.count)
    let fields = places.count == 5 ? CronField.allCases.dropFirst().prefix(5) : withSeconds
    for (field, place) in zip(fields, places) {
      var parser = CronFieldParser(
        field, ByteReader(bytes: reader.bytes, from: place.lowerBound, to: place.upperBound),
        seed: seed)
      try parser.parse(into: &expression)
    }
    expression.days.settleStars()
    return expression
  }

  /// Six fields from minute to year, as AWS has them: there one of the day fields, here the hour or
  /// the month, is a `?`.
  private func aws(_ places: [Range<Int>]) -> CronProblem? {
    guard places.count == 6 else { return nil }
    let fields = places.map { reader.text(from: $0.lowerBound, to: $0.upperBound) }
    guard fields[0] != "?", fields[1] != "?",
      let place = [2, 4].first(where: { fields[$0] == "?" })
    else { return nil }
    var written = fields
    written[4] = Self.dayNames(ofAWS: fields[4])
    written = fields[5] == "*" ? Array(written.dropLast()) : ["0"] + written
    return CronProblem(.aws(written.joined(separator: " ")), at: places[place].lowerBound)
  }

  /// Days of the week by name, where a number counts from 1 for Sunday.
  private static func dayNames(ofAWS field: String) -> String {
    var text = ""
    var last: Character = ","
    for sign in field {
      let number = sign.wholeNumberValue.map { $0 - 1 }
      if let number, CronField.dayOfWeek.names.indices.contains(number), ",-".contains(last) {
        text += CronField.dayOfWeek.names[number]
      } else {
        text.append(sign)
      }
      last = sign
    }
    return text
  }
}
