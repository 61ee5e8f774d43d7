import TaktTesting
import TaktTime
import Testing

@testable import TaktCore

/// Calendar files as other programs write them, and as nobody should.
@Suite struct CalendarFileTests {
  private struct Zones: ZoneSource {
    var zoneNames: [String] { [] }

    func zone(named name: String) -> Zone? {
      name == "UTC" ? .utc : try? TestZones.named(name)
    }
  }

  private func read(_ events: String, end: String = "\r\n") -> CalendarFile {
    let text = "BEGIN:VCALENDAR\nVERSION:2.0\n" + events + "\nEND:VCALENDAR\n"
    return CalendarFile(Array(text.replacing("\n", with: end).utf8), zones: Zones())
  }

  private func event(_ lines: String) -> CalendarFile {
    read("BEGIN:VEVENT\n" + lines.replacing(" | ", with: "\n") + "\nEND:VEVENT")
  }

  private func days(_ file: CalendarFile, year: Int = 2026) -> [String] {
    let calendar = SharedCalendar("file", file.content)
    var days: [String] = []
    let first = CivilTime.daysSinceEpoch(year: year, month: 1, day: 1)
    for day in first..<(first + 365) where calendar.days(with: day) != nil {
      days.append(String(DayFilter.date(day).dropFirst(5)))
    }
    return days
  }

  @Test(arguments: [
    "DTSTART;VALUE=DATE:20261225 > 12-25", "DTSTART:20261225 > 12-25",
    "dtstart;value=date:20261225 > 12-25",
    "DTSTART;VALUE=DATE:20261225 | DTEND;VALUE=DATE:20261227 > 12-25 12-26",
    "DTSTART;VALUE=DATE:20261225 | DURATION:P1W > 12-25 12-26 12-27 12-28 12-29 12-30 12-31",
    "DTSTART;VALUE=DATE:20200101 | RRULE:FREQ=YEARLY > 01-01",
    "DTSTART;VALUE=DATE:20200101 | RRULE:FREQ=YEARLY;UNTIL=20251231T000000Z > ",
    "DTSTART;VALUE=DATE:20260105 | RRULE:FREQ=WEEKLY;COUNT=4 | EXDATE;VALUE=DATE:20260112,20260119 > 01-05 01-26",
    "DTSTART;VALUE=DATE:20260105 | RDATE;VALUE=DATE:20260301,20260302 > 01-05 03-01 03-02",
    "DTSTART;VALUE=DATE:20260105 | STATUS:CANCELLED > ",
    "DTSTART;VALUE=DATE:20260228 | RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;UNTIL=20260401 > 02-28 03-31",
    "DTSTART;VALUE=DATE:20261225 | DTEND;VALUE=DATE:20261225 > 12-25",
    "DTSTART;VALUE=DATE:16010101 | RRULE:FREQ=YEARLY;BYMONTH=7;BYMONTHDAY=4 > 07-04",
    "DTSTART;VALUE=DATE:22060501 > ", "DTSTART;VALUE=DATE:16010101 > ",
    "DTSTART;VALUE=DATE:20251230 | DTEND;VALUE=DATE:22610101 | RDATE;VALUE=DATE:16010101 > ALL",
  ])
  func `an event of whole days names its days`(row: String) {
    let parts = row.split(separator: " > ", omittingEmptySubsequences: false)
    let file = event(String(parts[0]))
    #expect(file.problems == [])
    let days = days(file)
    #expect((days.count == 365 ? "ALL" : days.joined(separator: " ")) == parts[1])
  }

  @Test func `lines are unfolded and end as they like`() {
    let folded = "BEGIN:VEVENT\nUID:a\nDTSTART;VALUE=DA\n TE:2026\n\t1225\nEND:VEVENT"
    for end in ["\r\n", "\n", "\r"] {
      let file = read(folded, end: end)
      #expect(file.problems == [] && days(file) == ["12-25"], "\(end.debugDescription)")
    }
  }

  @Test func `an event leaves out ten thousand times at most`() {
    let dates = (0...10_000).map { RecurrenceTime.text(Int64($0) * 86_400).prefix(8) }
    func problems(_ count: Int) -> [String] {
      event(
        "DTSTART;VALUE=DATE:19700101 | RRULE:FREQ=DAILY | EXDATE;VALUE=DATE:"
          + dates.prefix(count).joined(separator: ",")
      ).problems.map(\.message)
    }
    #expect(problems(10_000) == [])
    #expect(problems(10_001) == ["more than 10000 times are left out of the event"])
  }

  @Test func `a thousand events may recur, and components stand in sixteen others at most`() {
    let series =
      "BEGIN:VEVENT\nDTSTART;VALUE=DATE:20260105\nRRULE:FREQ=WEEKLY;COUNT=3\nEND:VEVENT\n"
    #expect(read(String(repeating: series, count: 1000)).problems == [])
    #expect(
      read(String(repeating: series, count: 1001)).problems.map(\.message)
        == ["more than 1000 events recur"])
    let deep = String(repeating: "BEGIN:X\n", count: 16)
    #expect(read(deep).problems.first?.message == "nested too deep")
  }

  @Test func `events that share a UID and its exceptions are counted together`() {
    let instance =
      "BEGIN:VEVENT\nUID:a\nRECURRENCE-ID;VALUE=DATE:20260112\nDTSTART;VALUE=DATE:20260114\nEND:VEVENT\n"
    let main = "BEGIN:VEVENT\nUID:a\nDTSTART;VALUE=DATE:20260105\nEND:VEVENT\n"
    let file = read(
      String(repeating: instance, count: 2000) + String(repeating: main, count: 501))
    #expect(
      file.problems.map(\.message)
        == ["more than 1000000 times are left out of the events of the file"])
  }

  @Test func `one event of a series is changed or cancelled`() {
    let series =
      "BEGIN:VEVENT\nUID:a\nDTSTART;VALUE=DATE:20260105\nRRULE:FREQ=WEEKLY;COUNT=3\nEND:VEVENT\n"
    let moved =
      series
      + "BEGIN:VEVENT\nUID:a\nRECURRENCE-ID;VALUE=DATE:20260112\nDTSTART;VALUE=DATE:20260114\nEND:VEVENT"
    #expect(days(read(moved)) == ["01-05", "01-14", "01-19"])
    let cancelled =
      series
      + "BEGIN:VEVENT\nUID:a\nRECURRENCE-ID;VALUE=DATE:20260112\nDTSTART;VALUE=DATE:20260112\nSTATUS:CANCELLED\nEND:VEVENT"
    #expect(days(read(cancelled)) == ["01-05", "01-19"])
  }

  @Test(arguments: [
    "DTSTART:20261225T100000Z | DTEND:20261225T120000Z > 10:00 11:59:59",
    "DTSTART;TZID=Europe/Berlin:20261225T110000 | DURATION:PT2H > 10:00 11:59:59",
    "DTSTART;TZID=\"Europe/Berlin\":20261225T110000 | DURATION:PT2H > 10:00 11:59:59",
    "DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20261225T110000 | DURATION:PT2H > 10:00 11:59:59",
    "DTSTART;TZID=Europe/Berlin:20260102T110000 | DURATION:PT2H | RRULE:FREQ=WEEKLY;UNTIL=20261231T000000Z > 10:00 11:59:59",
    "DTSTART:20261225T100000Z > 10:00 10:00",
  ])
  func `an event with times names these and no others`(row: String) throws {
    let parts = row.split(separator: " > ")
    let file = event(String(parts[0]))
    #expect(file.problems == [])
    let calendar = SharedCalendar("file", file.content)
    let times = parts[1].split(separator: " ")
    let first = try #require(try InstantText("2026-12-25T\(times[0])Z").instant)
    let last = try #require(try InstantText("2026-12-25T\(times[1])Z").instant)
    func has(_ instant: WallInstant) -> Bool {
      calendar.contains(ScheduleInstant(instant), in: .utc)
    }
    #expect(has(first) && has(last))
    #expect(!has(first - .milliseconds(1)) && !has(last + .seconds(1)))
    #expect(!calendar.hasDays)
  }

  @Test(arguments: [
    "RRULE:FREQ=DAILY > the event has no DTSTART", "DTSTART:20260230 > no date",
    "DTSTART;TZID=Mars/X:20260101T000000 > there is no time zone 'Mars/X'",
    "DTSTART:20260101 | RRULE:FREQ=HOURLY > RRULE: FREQ cannot be combined",
    "DTSTART:20260101 | RRULE:FREQ=SOMETIMES > RRULE: unknown frequency",
    "DTSTART:20260101 | DTEND:20251231 > DTEND is before DTSTART",
    "DTSTART:20260101 | DTEND:20260102T000000Z > different forms",
    "DTSTART:20260101 | DURATION:soon > is no duration",
    "DTSTART:20260101 | EXRULE:FREQ=DAILY > EXRULE",
    "DTSTART:20260101 | RDATE:20260102T000000Z > different forms",
    "UID:a | DTSTART:20260101 | RECURRENCE-ID;RANGE=THISANDFUTURE:20260101 > THISANDFUTURE",
    "DTSTART:20260101 | RRULE:FREQ=YEARLY | DURATION:P400D > longer than a year",
    "DTSTART:29991231 > no date",
  ])
  func `what cannot be read is said with its line`(row: String) {
    let parts = row.split(separator: " > ")
    let problems = event(String(parts[0])).problems
    #expect(problems.count == 1 && problems[0].line > 2, "\(problems)")
    #expect(problems.first?.message.contains(parts[1]) == true, "\(problems)")
  }

  @Test(arguments: [
    "", "\n\n", "hello", "<html></html>", "BEGIN:VCALENDAR", "BEGIN:VCALENDAR\nBEGIN:VEVENT\n",
    "END:VCALENDAR", "\u{0}\u{1}\u{ff}", "BEGIN:VCALENDAR\nEND:VEVENT", "jobs: {a: {every: 1h}}",
  ])
  func `what is no calendar is refused`(text: String) {
    let file = CalendarFile(Array(text.utf8), zones: Zones())
    #expect(!file.problems.isEmpty && file.content == SharedCalendar.Content())
  }

  @Test func `a file full of mistakes says twenty of them`() {
    let bad = String(repeating: "BEGIN:VEVENT\nDTSTART:x\nEND:VEVENT\n", count: 5000)
    #expect(read(bad).problems.count == 21)
  }

  @Test(arguments: UInt64(0)..<200)
  func `no bytes trap it`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let words = [
      "BEGIN:VCALENDAR", "BEGIN:VEVENT", "END:VEVENT", "END:VCALENDAR", "DTSTART", ";VALUE=DATE",
      ":", "20261231", "T000000Z", "\n", "\r", " ", ";TZID=UTC", "RRULE:FREQ=DAILY", ";COUNT=",
      "99999999999999999999", "-", ",", "/", "P", "T", "W", "DURATION:", "DTEND:", "EXDATE:",
      "RDATE:", "22611231", "16010101", "\"", "=", "UID:a", "RECURRENCE-ID:", "\u{0}", "é",
    ]
    var text = random.oneIn(2) ? "BEGIN:VCALENDAR\nBEGIN:VEVENT\n" : ""
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      text += words.randomElement(using: &random) ?? ""
      if random.oneIn(3) { text += "\n" }
    }
    if random.oneIn(2) { text += "\nEND:VEVENT\nEND:VCALENDAR\n" }
    let calendar = SharedCalendar("x", CalendarFile(Array(text.utf8), zones: Zones()).content)
    for instant in [0, 1_790_000_000_000, 9_214_000_000_000] as [ScheduleInstant] {
      _ = calendar.contains(instant, in: .utc)
      _ = calendar.nextEdge(after: instant, in: .utc)
    }
    _ = calendar.words
  }
}
