/// A line that a job has printed, alone in the log.
enum RawLine {
  /// What a record of takt starts with.
  private static let start = Array(#"{"ts":"#.utf8)

  /// Appends the line and its end.
  ///
  /// In a log of JSON, a blank tells it from a record of takt where it starts as one: it is the same
  /// JSON, and `takt verify --log` takes nothing that a job prints for a fact.
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
