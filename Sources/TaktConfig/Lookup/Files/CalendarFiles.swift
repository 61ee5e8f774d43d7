import TaktCore
import TaktSystem
import TaktTime

/// The calendar files of one load, each read once.
final class CalendarFiles {
  /// The most bytes that one may have.
  static let sizeBound = 16 << 20

  private let files: LoadFiles
  private let zones: any ZoneSource
  private(set) var answers = FileAnswers<SharedCalendar.Content>()
  private var readings: [Reading: SharedCalendar] = [:]
  private(set) var log = ProblemLog()
  private var hasMistakes = false
  /// Whether a calendar could not be read whole, so that days and times may be missing.
  var hasFailed: Bool { hasMistakes || log.errorCount > 0 || answers.hasFailed }

  init(_ files: LoadFiles, zones: any ZoneSource) {
    self.files = files
    self.zones = zones
  }

  /// Notes a mistake in what the jobs file says of a calendar, which has been reported.
  func noteMistake() { hasMistakes = true }

  /// A calendar as a zone reads it.
  private struct Reading: Hashable {
    var calendar: SharedCalendar
    var zone: Zone
  }

  /// A calendar with its times that have no zone read in one: a copy for all jobs of a zone.
  func calendar(_ calendar: SharedCalendar, in zone: Zone) -> SharedCalendar {
    guard !calendar.content.floating.isEmpty else { return calendar }
    let reading = Reading(calendar: calendar, zone: zone)
    if let known = readings[reading] { return known }
    let read = calendar.read(in: zone)
    readings[reading] = read
    return read
  }

  /// What the file at an absolute path says; nothing where it is wrong, which is then reported: in the
  /// file's own place, or at `mark` when it cannot be read at all.
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
