/// The content lines of a calendar file, unfolded. A line ends with CR and LF, or with either.
struct CalendarFileLines {
  private let bytes: [UInt8]
  private var position = 0
  /// That of the line that was read last.
  private(set) var number = 0
  private(set) var isBlank = true

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
  }

  mutating func next() -> (bytes: [UInt8], number: Int)? {
    guard let first = physicalLine() else { return nil }
    let start = number
    var line = Array(first)
    while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09,
      let more = physicalLine()
    {
      line += more.dropFirst()
    }
    if !line.isEmpty { isBlank = false }
    return (line, start)
  }

  private mutating func physicalLine() -> ArraySlice<UInt8>? {
    guard position < bytes.count else { return nil }
    let start = position
    while position < bytes.count, bytes[position] != 0x0a, bytes[position] != 0x0d { position += 1 }
    let line = bytes[start..<position]
    if position < bytes.count {
      let isReturn = bytes[position] == 0x0d
      position += 1
      if isReturn, position < bytes.count, bytes[position] == 0x0a { position += 1 }
    }
    number += 1
    return line
  }
}

/// A content line: its name and its parameters in capitals, and its value.
struct CalendarFileProperty {
  let name: String
  let parameters: [String: String]
  let value: ArraySlice<UInt8>

  var text: String { String(decoding: value.prefix(200), as: UTF8.self) }

  /// Nil for a line without a colon, and without a name.
  init?(_ line: [UInt8]) {
    var place = 0
    func end(_ stops: [UInt8]) -> Int {
      var isQuoted = false
      var index = place
      while index < line.count {
        if line[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
        if !isQuoted, stops.contains(line[index]) { break }
        index += 1
      }
      return index
    }
    let (semicolon, colon) = (UInt8(ascii: ";"), UInt8(ascii: ":"))
    let nameEnd = end([semicolon, colon])
    guard nameEnd > 0, nameEnd <= 100, nameEnd < line.count else { return nil }
    name = String(decoding: line[..<nameEnd], as: UTF8.self).uppercased()
    place = nameEnd
    var parameters: [String: String] = [:]
    while place < line.count, line[place] == semicolon {
      place += 1
      let start = place
      let stop = end([semicolon, colon])
      let parameter = line[start..<stop]
      if let equals = parameter.firstIndex(of: UInt8(ascii: "=")), parameter.count <= 1000 {
        let key = String(decoding: parameter[..<equals], as: UTF8.self).uppercased()
        let value = String(decoding: parameter[(equals + 1)...], as: UTF8.self)
        parameters[key] = value.filter { $0 != "\"" }
      }
      place = stop
    }
    guard place < line.count else { return nil }
    self.parameters = parameters
    value = line[(place + 1)...]
  }
}
