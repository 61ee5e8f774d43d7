import Glibc
import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

/// Shared calendars, and delays of events, in a file.
@Suite struct CalendarsTests {
  private static let calendars = """
    calendars:
      holidays: {dates: [2099-12-25, 2099-12-24..2099-12-26], expressions: '*-01-01'}
      weekend: {expressions: 'Sat,Sun'}
      lunch: {expressions: '12..13:*:*'}
      utc: {expressions: 'Sun UTC'}
      empty-time: {expressions: '*-*-* 12:00:00'}
      all: {expressions: '*-*-*'}

    """

  @Test func `what a file says is what the schedule is`() throws {
    let spec = try spec(
      "cron: '0 9 * * *', except: [holidays, '*-05-01', weekend], only_on: ['Mon..Fri', holidays], "
        + "on_excluded: previous, working_day: {day: -2, except: [holidays, weekend]}, run: x",
      before: Self.calendars)
    let schedule = spec.timing.schedule
    let rules = try #require(schedule.calendars)
    #expect(rules.except.map(\.name) == ["holidays", "weekend"])
    #expect(rules.onlyOn.map(\.name) == ["holidays"] && rules.onlyOnTimes.count == 1)
    #expect(rules.direction == .previous && schedule.exclusions.count == 1)
    #expect(rules.except[0].content.days.numberCount == 3)
    let filter = try #require(schedule.rules.first?.expression.filter)
    #expect(filter.workingDay == -2 && filter.holidays?.value.calendars.count == 2)
    #expect(filter.move?.value.except.calendars.count == 2)
    #expect(filter.move?.value.except.expressions.count == 1)
  }

  @Test func `calendars are allowed below the jobs, and included files use them`() throws {
    let folder = TemporaryFolder()
    folder.write(Array("jobs: {b: {every: 1h, except: days, run: x}}\n".utf8), to: "more.yaml")
    let path = folder.write(
      Array(
        """
        jobs: {a: {every: 1h, run: x}}
        include: more.yaml
        defaults: {except: days}
        calendars: {days: {dates: 2099-01-01}}

        """.utf8), to: "jobs.yaml")
    let loaded = loader.load(path: path)
    #expect(loaded.diagnostics.map(\.headline) == [])
    #expect(loaded.snapshot?.jobs.map { $0.timing.schedule.calendars?.except.count } == [1, 1])
    folder.write(Array("calendars: {x: {dates: 2099-01-01}}\njobs: {}\n".utf8), to: "more.yaml")
    #expect(rows(loader.load(path: path).diagnostics) == ["1:1 misplacedKey"])
  }

  @Test(arguments: [
    "missingKey | calendars: {»a: {}}", "unknownKey | calendars: {a: {»date: [2099-01-01]}}",
    "badValue | calendars: {a: {dates: [»2099-02-30]}}",
    "badValue | calendars: {a: {dates: [2099-01-01, »2099-1-1]}}",
    "badValue | calendars: {a: {dates: [»2099-01-02..2099-01-01]}}",
    "badValue | calendars: {a: {dates: [»2099-01-02..]}}",
    "badValue | calendars: {a: {dates: [»'*-01-01']}}",
    "outOfRange | calendars: {a: {dates: [»1969-12-31]}}",
    "badSchedule | calendars: {a: {expressions: »Sam}}",
    "unknownZone | calendars: {a: {expressions: »Sat Mars/X}}",
    "badName | calendars: {»Sat: {dates: [2099-01-01]}}",
    "badName | calendars: {»'a b': {dates: [2099-01-01]}}",
    "badName | calendars: {»2099-01-01: {dates: [2099-01-01]}}",
    "wrongType | calendars: »[holidays]", "wrongType | calendars: {a: »2099-01-01}",
    "unreadable | calendars: {a: {file: »no-such.ics}}", "unreadable | calendars: {a: {file: ».}}",
    "unreadable | calendars: {a: {file: »/dev/zero}}",
    "badValue | calendars: {a: {file: »'https://example.org/days.ics'}}",
    "badValue | calendars: {a: {file: [»'WEBCAL://example.org/days.ics']}}",
    "badValue | calendars: {a: {dates: »[]}}",
    "outOfRange | calendars: {»a: {dates: [\(everySecondDay)]}}",
  ])
  func `a bad calendar is reported at its place`(row: String) throws {
    try check(badRow: row) { "\($0)\njobs: {a: {every: 1h, run: x}}\n" }
  }

  @Test func `a mistake in a calendar is said with the calendar's name`() {
    func messages(_ calendar: String) -> [String] {
      load("calendars: {hol: \(calendar)}\njobs: {a: {every: 1h, run: x}}\n").diagnostics
        .map(\.message)
    }
    #expect(
      messages("{dates: [2099-12-26..2099-12-24]}")
        == ["'2099-12-26..2099-12-24' ends before it begins in 'hol'"])
    #expect(
      messages("{file: 'https://example.org/days.ics'}")
        == ["'file' must be a path, not a URL in 'hol'"])
  }

  private static let everySecondDay = (0..<10_001).map {
    DayFilter.date(Int64(20_000 + 2 * $0))
  }.joined(separator: ", ")

  @Test(arguments: [
    "badValue | every: 1h, except: »holiday, run: x",
    "badValue | every: 1h, only_on: [holidays, »weekends], run: x",
    "badValue | cron: '@daily', working_day: {day: last, except: »none}, run: x",
    "missingKey | cron: '@daily', working_day: »{except: holidays}, run: x",
    "missingKey | every: 1h, except: weekend, »on_excluded: next, run: x",
    "missingKey | cron: '@daily', »on_excluded: next, run: x",
    "missingKey | every: 1h, »on_excluded: skip, run: x",
    "badChoice | cron: '@daily', except: weekend, on_excluded: »move, run: x",
    "conflictingKeys | cron: '@daily', except: utc, on_excluded: »next, run: x, timezone: Europe/Berlin",
    "conflictingKeys | cron: '@daily', only_on: lunch, on_excluded: »next, run: x",
    "conflictingKeys | calendar: »09:00 Europe/Berlin, except: weekend, on_excluded: next, run: x",
    "neverRuns | cron: »0 9 * * SUN, except: weekend, only_on: 'Sun', on_excluded: next, run: x",
    "badDuration | on: {start: »soon}, run: x", "outOfRange | on: {boot: »367d}, run: x",
    "unknownKey | on: {»stop: 5m}, run: x", "badDuration | on: {boot: »5}, run: x",
    "conflictingKeys | on: [start, {»start: 5m}], run: x", "missingKey | on: »{}, run: x",
    "badChoice | on: »never, run: x",
  ])
  func `a bad use is reported at its place`(row: String) throws {
    try check(badRow: row) { Self.calendars + "jobs: {a: {\($0)}}\n" }
  }

  @Test(arguments: [
    "every: 1h, except: empty-time | ", "every: 1h, only_on: holidays | ",
    "cron: '0 9 * * SAT', except: weekend | neverRuns",
    "cron: '0 9 * * SAT', only_on: 'Mon..Fri' | neverRuns",
    "cron: '0 9 * * MON', only_on: weekend | neverRuns",
    "cron: '@daily', working_day: {day: last, except: lunch} | suspicious",
    "cron: '0 6 * * *', except: all, on_excluded: next | neverRuns",
    "cron: '0 6 * * *', except: all, on_excluded: previous | neverRuns",
    "calendar: '06:00', except: '*-*-*', on_excluded: next | neverRuns",
    "rrule: 'DTSTART:20260105T090000 FREQ=DAILY', except: all, on_excluded: next | neverRuns",
    "every: 2h, align: local, except: all, on_excluded: next | neverRuns",
    "cron: '0 6 * * *', working_day: {day: last, except: all} | neverRuns",
    "cron: '0 6 * * *', except: weekend, on_excluded: next | ",
  ])
  func `what leaves nothing is a warning`(row: String) throws {
    let parts = row.split(separator: " | ", omittingEmptySubsequences: false).map(String.init)
    let loaded = load(Self.calendars + "jobs: {a: {\(parts[0]), run: x}}\n")
    #expect(loaded.snapshot != nil)
    #expect(loaded.diagnostics.map(\.code.rawValue) == (parts[1].isEmpty ? [] : [parts[1]]))
  }

  @Test func `an event that cannot be read is a warning with its own line, and the others count`()
    throws
  {
    let folder = TemporaryFolder()
    func load(_ events: String) -> LoadedJobs {
      folder.write(
        Array("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n\(events)END:VEVENT\r\nEND:VCALENDAR\r\n".utf8),
        to: "days.ics")
      let path = folder.write(
        Array("calendars: {a: {file: days.ics}}\njobs: {b: {every: 1h, except: a, run: x}}\n".utf8),
        to: "jobs.yaml")
      return loader.load(path: path)
    }
    let loaded = load(
      "SUMMARY:Tag\r\nDTSTART;TZID=Mars/X:20260101T000000\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\n"
        + "DTSTART:20260102\r\n")
    #expect(loaded.snapshot?.jobs.first?.timing.schedule.calendars?.except.first?.hasDays == true)
    #expect(loaded.diagnostics.count == 1)
    let headline = try #require(loaded.diagnostics.first?.headline)
    let place = "\(folder["days.ics"]):4:1: warning:"
    #expect(
      headline.hasPrefix("\(place) the event 'Tag' is left out: there is no time zone 'Mars/X'"))
    #expect(loaded.files.contains(folder["days.ics"]))
    // A file that ends too early may lack any event.
    let cut = load("DTSTART:20260102\r\nEND:VEVENT\r\nBEGIN:VALARM\r\n")
    #expect(cut.snapshot == nil)
  }

  @Test func `times without a zone are those of each job's zone`() throws {
    let folder = TemporaryFolder()
    folder.write(
      Array(
        ("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260329T013000\r\nDURATION:PT1H\r\n"
          + "END:VEVENT\r\nEND:VCALENDAR\r\n").utf8), to: "days.ics")
    let jobs = ["Europe/Berlin", "UTC", "Europe/Berlin"].enumerated().map {
      "  j\($0.offset): {every: 1h, except: a, timezone: \($0.element), run: x}"
    }
    let path = folder.write(
      Array("calendars: {a: {file: days.ics}}\njobs:\n\(jobs.joined(separator: "\n"))\n".utf8),
      to: "jobs.yaml")
    let loaded = loader.load(path: path)
    #expect(loaded.diagnostics.map(\.headline) == [])
    let calendars = try #require(loaded.snapshot?.jobs).compactMap {
      $0.timing.schedule.calendars?.except.first
    }
    let start: Int64 = 1_774_744_200  // 2026-03-29T00:30Z
    let starts = calendars.map { $0.content.times.ranges }
    let hour = start..<(start + 3600)
    #expect(starts == [[hour], [(start + 3600)..<(start + 7200)], [hour]])
  }

  @Test func `a pipe in place of a calendar file keeps nobody waiting`() {
    let folder = TemporaryFolder()
    #expect(mkfifo(folder["days.ics"], 0o600) == 0)
    let path = folder.write(
      Array("calendars: {a: {file: days.ics}}\njobs: {b: {every: 1h, run: x}}\n".utf8),
      to: "jobs.yaml")
    #expect(rows(loader.load(path: path).diagnostics) == ["1:23 unreadable"])
  }

  @Test func `a calendar file of more than 16 MB is refused`() {
    let folder = TemporaryFolder()
    folder.write([UInt8](repeating: 0x0a, count: (16 << 20) + 1), to: "days.ics")
    let path = folder.write(
      Array("calendars: {a: {file: days.ics}}\njobs: {b: {every: 1h, run: x}}\n".utf8),
      to: "jobs.yaml")
    #expect(rows(loader.load(path: path).diagnostics) == ["1:23 tooLarge"])
  }

  @Test func `many jobs share one calendar`() throws {
    let jobs = (0..<200).map { "  j\($0): {every: \($0 + 1)m, except: holidays, run: x}" }
    let loaded = load(Self.calendars + "jobs:\n" + jobs.joined(separator: "\n") + "\n")
    let specs = try #require(loaded.snapshot?.jobs)
    #expect(specs.allSatisfy { $0.timing.schedule.calendars?.except.first?.name == "holidays" })
  }

  @Test func `an event has its delay, alone or in a list`() throws {
    let one = try spec("on: {boot: 5m}, run: x").timing.schedule
    #expect(one.on == [.boot] && one.delays == [.boot: .seconds(300)])
    let some = try spec("on: [reload, {start: 30s, boot: 0s}], run: x").timing.schedule
    #expect(some.on == [.reload, .start, .boot] && some.delays == [.start: .seconds(30)])
    #expect(some.words == ["on boot and reload and start after 30s"])
  }
}
