/// A line of a job's output, alone in the log.
enum RawLine {
  /// The start of a record of takt.
  private static let start = Array(#"{"ts":"#.utf8)

  /// Appends the line and its end.
  ///
  /// In a log of JSON, a blank is added to a line that starts like a record of takt: it is the same
  /// JSON, but `takt verify --log` never takes a job's output for a fact.
  static func append(_ line: [UInt8], _ format: LogFormat, to bytes: inout [UInt8]) {
    if format == .json, line.firstRange(of: start) != nil {
      var rest = line[...]
      while let found = rest.firstRange(of: start) {
        bytes += rest[..<(found.lowerBound + 1)]
        bytes.append(UInt8(ascii: " "))
        rest = rest[(found.lowerBound + 1)...]
      }
      bytes += rest
    } else {
      bytes += line
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}
