import TaktCore
import TaktTesting

/// A calendar file, as calendars of jobs read it. Problems are reported with their lines.
struct CalendarFileTarget: FuzzTarget {
  static let name = "ics"
  static let summary = "a calendar file (iCalendar)"

  mutating func read(_ bytes: [UInt8]) {
    let file = CalendarFile(bytes, zones: FixedZones())
    _ = file.content.read(in: FixedZones.berlin)
    let lineCount = bytes.count { $0 == 10 || $0 == 13 } + 1
    for problem in file.problems {
      precondition((1...lineCount).contains(problem.line), "line \(problem.line) of \(lineCount)")
    }
  }
}
