import TaktCore
import TaktSystem
import TaktTime

/// The calendar files of one load, each read once.
final class CalendarFiles {
  static let sizeBound = 16 << 20

  private let files: LoadFiles
  private let zones: any ZoneSource
  private(set) var answers = FileAnswers<SharedCalendar.Content>()
  private var readings: [Reading: SharedCalendar] = [:]
  private(set) var log = ProblemLog()
  private var hasMistakes = false
  /// True if a calendar is incomplete, so that days and times may be missing.
  var hasFailed: Bool { hasMistakes || log.errorCount > 0 || answers.hasFailed }

  init(_ files: LoadFiles, zones: any ZoneSource) {
    self.files = files
    self.zones = zones
  }

  /// Notes a mistake in the jobs file's part of a calendar, which has been reported.
  func noteMistake() { hasMistakes = true }

  private struct Reading: Hashable {
    var calendar: SharedCalendar
    var zone: Zone
  }

  /// A calendar with its times without a zone read in this one: a shared copy for all jobs of a
  /// zone.
  func calendar(_ calendar: SharedCalendar, in zone: Zone) -> SharedCalendar {
    guard !calendar.content.floating.isEmpty else { return calendar }
    let reading = Reading(calendar: calendar, zone: zone)
    if let known = readings[reading] { return known }
    let read = calendar.read(in: zone)
    readings[reading] = read
    return read
  }

  /// The content of the file at an absolute path; empty for a wrong one, which is reported: in the
  /// file itself, or at `mark` if it cannot be read at all.
  func content(
    of path: String, shown: String, at mark: YAMLMark, reporter: Reporter
  ) -> SharedCalendar.Content {
    let content = answers.answer(path, shown: shown, at: mark, reporter: reporter) {
      () throws(FileProblem) in
      let contents = try files.readPatiently(path, as: .calendar, bound: Self.sizeBound)
      let file = CalendarFile(contents.bytes, zones: zones)
      for problem in file.problems {
        log.add(
          Diagnostic(
            severity: problem.severity, problem.severity == .error ? .badValue : .suspicious,
            at: SourceLocation(file: shown, line: problem.line, column: 1),
            problem.message, hint: problem.hint))
      }
      return (file.content, contents.identity)
    }
    return content ?? SharedCalendar.Content()
  }
}
