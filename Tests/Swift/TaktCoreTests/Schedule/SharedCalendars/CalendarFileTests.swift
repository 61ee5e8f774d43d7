import Foundation
import TaktTesting
import TaktTime
import Testing

@testable import TaktCore

/// Calendar files as other programs write them, and invalid ones.
@Suite struct CalendarFileTests {
  private func read(_ events: String, end: String = "\r\n") -> CalendarFile {
    let text = "BEGIN:VCALENDAR\nVERSION:2.0\n" + events + "\nEND:VCALENDAR\n"
    return CalendarFile(Array(text.replacing("\n", with: end).utf8), zones: TestZones())
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
    let file = read(String(repeating: instance, count: 2000) + String(repeating: main, count: 501))
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
    "DTSTART;TZID=/Europe/Berlin:20261225T110000 | DURATION:PT2H > 10:00 11:59:59",
    "DTSTART;TZID=/UTC:20261225T100000 | DURATION:PT2H > 10:00 11:59:59",
    "DTSTART;TZID=/example.org/20260101_1/Europe/Berlin:20261225T110000 | DURATION:PT2H > 10:00 11:59:59",
    "DTSTART;TZID=Europe/Berlin:20260102T110000 | DURATION:PT2H | RRULE:FREQ=WEEKLY;UNTIL=99991231T235959Z > 10:00 11:59:59",
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
    "SUMMARY:New Year\\, observed | RRULE:FREQ=DAILY > the event 'New Year, observed' is left out: it has no DTSTART > ",
    "UID:u-1 | DTSTART:20260230 > the event 'u-1' is left out: '20260230' in DTSTART is no date from 1601 to 2261 > ",
    "DTSTART;TZID=Mars/X:20260101T000000 > the event of line 3 is left out: there is no time zone 'Mars/X' > ",
    "DTSTART:20260101 | RRULE:FREQ=HOURLY > the event of line 3 counts without its RRULE: FREQ cannot be combined with a DTSTART without a time of day > 01-01",
    "DTSTART:20260101 | RRULE:FREQ=YEARLY;BYMONTH=16 > the event of line 3 counts without its RRULE: BYMONTH does not take '16' > 01-01",
    "DTSTART:20260101 | RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30 > the event of line 3 counts without its RRULE: no date matches all parts of RRULE > 01-01",
    "DTSTART:20260101 | RRULE: > the event of line 3 counts without its RRULE: RRULE is empty > 01-01",
    "DTSTART:20260101 | DTEND:20251231 > the event of line 3 counts for one day: DTEND is before DTSTART > 01-01",
    "DTSTART:20260101 | DTEND:2026102 > the event of line 3 counts for one day: '2026102' in DTEND is no date from 1601 to 2261 > 01-01",
    "DTSTART:20260101 | DTEND:20260102T050001Z > the event of line 3 counts to the day of its DTEND: DTEND and DTSTART have different forms > 01-01 01-02",
    "DTSTART:20260101 | DURATION:soon > the event of line 3 counts for one day: 'soon' is no duration > 01-01",
    "DTSTART:20260101 | EXRULE:FREQ=DAILY > the event of line 3 counts at the times of EXRULE too: takt does not read EXRULE > 01-01",
    "DTSTART:20260101 | RDATE:20260103T060000Z > the event of line 3 counts on the day of its RDATE: RDATE and DTSTART have different forms > 01-01 01-03",
    "DTSTART:20260101 | RDATE:x,20260104 > the event of line 3 counts without one RDATE: 'x' in RDATE is no date from 1601 to 2261 > 01-01 01-04",
    "DTSTART:20260101 | RRULE:FREQ=DAILY;COUNT=2 | EXDATE:x > the event of line 3 counts also at one EXDATE: 'x' in EXDATE is no date from 1601 to 2261 > 01-01 01-02",
    "UID:a | DTSTART:20260101 | RECURRENCE-ID;RANGE=THISANDFUTURE:20260101 > the event 'a' changes one time of its series, not the later ones: takt does not read RECURRENCE-ID with RANGE=THISANDFUTURE > 01-01",
    "DTSTART:20260101 | RRULE:FREQ=YEARLY | DURATION:P400D > the event of line 3 counts without its RRULE: an event that recurs lasts longer than a year > ALL",
    "DTSTART:20260101 | Boxing day > a line without a ':' is ignored > 01-01",
  ])
  func `what cannot be read is said with its line, and the rest counts`(row: String) {
    let parts = row.components(separatedBy: " > ")
    let file = event(parts[0] + " | END:VEVENT | BEGIN:VEVENT | DTSTART:20261231")
    #expect(file.problems.count == 1)
    #expect(file.problems.first.map { $0.line > 2 } == true)
    #expect(file.problems.first?.severity == .warning && file.problems.first?.message == parts[1])
    let found = days(file)
    #expect((found.count == 365 ? "ALL" : found.dropLast().joined(separator: " ")) == parts[2])
    #expect(found.last == "12-31")
  }

  /// Events, divided by `/`, as the newest version of each has them.
  @Test(arguments: [
    "20260401 RRULE:FREQ=DAILY;COUNT=3 / 20260410 RECURRENCE-ID:20260402 RRULE:FREQ=DAILY;COUNT=3 > 04-01 04-03 04-10",
    "20260401 RRULE:FREQ=DAILY;COUNT=3 / 20260410 RECURRENCE-ID:20260402 RDATE:20260420 > 04-01 04-03 04-10",
    "20260401 SEQUENCE:0 / 20260410 SEQUENCE:2 / 20260405 SEQUENCE:1 > 04-10",
    "20260401 SEQUENCE:0 / 20260410 SEQUENCE:1 STATUS:CANCELLED > ",
    "20260401 SEQUENCE:1 / 20260410 SEQUENCE:0 STATUS:CANCELLED > 04-01",
    "20260401 / 20260410 / 20260405 STATUS:CANCELLED > 04-01 04-10",
    "20260401 SEQUENCE:x / 20260410 SEQUENCE:1 > 04-10",
    "20260401 RRULE:FREQ=DAILY;COUNT=3 / 20260410 RECURRENCE-ID:20260402 SEQUENCE:1 / 20260411 RECURRENCE-ID:20260402 SEQUENCE:2 > 04-01 04-03 04-11",
    "20260401 RRULE:FREQ=DAILY;COUNT=3 / 20260410 RECURRENCE-ID:20260402 SEQUENCE:1 / 20260402 RECURRENCE-ID:20260402 SEQUENCE:2 STATUS:CANCELLED > 04-01 04-03",
    "20260401 RRULE:FREQ=DAILY;COUNT=3 SEQUENCE:1 / 20260401 SEQUENCE:2 STATUS:CANCELLED / 20260410 RECURRENCE-ID:20260402 SEQUENCE:1 > ",
  ])
  func `of one UID the newest version counts`(row: String) {
    let parts = row.components(separatedBy: " > ")
    let events = parts[0].components(separatedBy: " / ").map { event in
      "BEGIN:VEVENT\nUID:a\nDTSTART:" + event.replacing(" ", with: "\n") + "\nEND:VEVENT"
    }
    for order in [events, events.reversed()] {
      let file = read(order.joined(separator: "\n"))
      #expect(file.problems == [])
      #expect(days(file).joined(separator: " ") == parts[1])
    }
  }

  @Test func `versions of one changed event count once, in whatever form they name it`() throws {
    let series = "UID:a\nDTSTART;TZID=Europe/Berlin:20260401T100000\nRRULE:FREQ=DAILY;COUNT=3"
    let versions = [
      "RECURRENCE-ID;TZID=Europe/Berlin:20260402T100000\nSEQUENCE:1\nDTSTART:20260410T100000Z",
      "RECURRENCE-ID:20260402T080000Z\nSEQUENCE:2\nDTSTART:20260411T100000Z",
    ]
    for order in [versions, versions.reversed()] {
      let events = ([series] + order.map { "UID:a\n" + $0 }).map {
        "BEGIN:VEVENT\n\($0)\nEND:VEVENT"
      }
      let file = read(events.joined(separator: "\n"))
      #expect(file.problems == [])
      let newest = try #require(try InstantText("2026-04-11T10:00Z").instant)
      let start = newest.milliseconds / 1000
      #expect(file.content.times.ranges == [start..<(start + 1)])
    }
  }

  /// An event in Berlin, and its instants in UTC: days by the clock, hours exactly, and a time that the
  /// clock skips by the offset before (RFC 5545, 3.3.5 and 3.3.6).
  @Test(arguments: [
    "20260328T100000 DURATION:P1D > 28T09:00 29T08:00",
    "20260328T100000 DURATION:PT24H > 28T09:00 29T09:00",
    "20260328T100000 DURATION:P1DT2H > 28T09:00 29T10:00",
    "20260322T100000 DURATION:P1W > 22T09:00 29T08:00",
    "20260329T023000 DURATION:PT1H > 29T01:30 29T02:30",
    "20260328T023000 DURATION:P1D > 28T01:30 29T01:30",
    "20260321T100000 RRULE:FREQ=WEEKLY DURATION:P1D > 28T09:00 29T08:00",
    "20260321T100000 RRULE:FREQ=WEEKLY DTEND;TZID=Europe/Berlin:20260322T100000 > 28T09:00 29T09:00",
    "20260301T023000 RRULE:FREQ=DAILY DURATION:PT1H > 29T01:30 29T02:30",
    "20260301T023000 RRULE:FREQ=WEEKLY DURATION:P1DT2H > 29T01:30 30T02:30",
    "20260228T023000 RRULE:FREQ=WEEKLY DURATION:P1D > 28T01:30 29T01:30",
    "20260101T000000 RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20260328T100000/P1D > 28T09:00 29T08:00",
    "20260101T000000 RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20260329T023000/PT1H > 29T01:30 29T02:30",
    "20260101T000000 RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20260328T220000/20260329T060000 > 28T21:00 29T04:00",
    "20260329T013000 DURATION:PT1H > 29T00:30 29T01:30",
    "20260328T120000 RRULE:FREQ=DAILY;COUNT=1 DURATION:PT24H > 28T11:00 29T11:00",
    "20260101T000000 RDATE;TZID=Europe/Berlin:20260329T013000 DURATION:PT1H > 29T00:30 29T01:30",
    "20260328T220000 DTEND;TZID=Europe/Berlin:20260329T060000 > 28T21:00 29T04:00",
    "20260101T100000 DTEND;TZID=Europe/Berlin:20260102T100000 RDATE;TZID=Europe/Berlin:20260328T120000 > 28T11:00 29T11:00",
    "20261025T013000 DURATION:PT2H > 10-24T23:30 10-25T01:30",
    "20261025T023000 DURATION:PT1H > 10-25T00:30 10-25T01:30",
  ])
  func `an event over a clock change lasts as the RFC says, with a zone and without`(
    row: String
  ) throws {
    let parts = row.components(separatedBy: " > ")
    let zone = try TestZones.named("Europe/Berlin")
    var ends: [ScheduleInstant] = []
    for text in parts[1].split(separator: " ") {
      let date = text.contains("-") ? "2026-\(text)Z" : "2026-03-\(text)Z"
      ends.append(ScheduleInstant(try #require(try InstantText(date).instant)))
    }
    let text = "DTSTART;TZID=Europe/Berlin:" + parts[0].replacing(" ", with: " | ")
    for text in [text, text.replacing(";TZID=Europe/Berlin", with: "")] {
      let file = event(text)
      #expect(file.problems == [])
      let calendar = SharedCalendar("file", file.content).read(in: zone)
      func has(_ instant: ScheduleInstant) -> Bool { calendar.contains(instant, in: zone) }
      #expect(!has(ends[0] - 1) && has(ends[0]) && has(ends[1] - 1) && !has(ends[1]), "\(text)")
      // All edges between are listed, and nothing changes in between.
      var instant: ScheduleInstant = ends[0] - 3_600_000
      while instant < ends[1] + 3_600_000 {
        let edge = calendar.nextEdge(after: instant, in: zone) ?? ends[1] + 7_200_000
        #expect(has(edge - 1) == has(instant), "\(edge.milliseconds): \(text)")
        instant = edge
      }
    }
  }

  /// An event in Berlin, and instants in UTC that it has (`+`) and has not (`-`).
  @Test(arguments: [
    "20270320T023000 | RRULE:FREQ=DAILY > +2027-03-28T01:30Z",
    "20270320T023000 | RRULE:FREQ=DAILY | EXDATE:20270328T013000Z > -2027-03-28T01:30Z +2027-03-29T00:30Z",
    "20271020T023000 | RRULE:FREQ=DAILY | EXDATE:20271031T003000Z > -2027-10-31T00:30Z",
    "20271020T023000 | RRULE:FREQ=DAILY | EXDATE:20271031T013000Z > +2027-10-31T00:30Z",
    "20271020T023000 | RRULE:FREQ=DAILY | EXDATE:20271028T003000Z > -2027-10-28T00:30Z",
    "20271020T000000 | RRULE:FREQ=HOURLY | EXDATE:20271031T000000Z > -2027-10-31T00:00Z +2027-10-31T02:00Z",
    "20271031T023000 | EXDATE:20271031T013000Z > +2027-10-31T00:30Z",
    "20271031T023000 | RDATE:20271031T013000Z | EXDATE:20271031T003000Z > -2027-10-31T00:30Z +2027-10-31T01:30Z",
    "20271020T023000 | RRULE:FREQ=DAILY | UID:a | END:VEVENT | BEGIN:VEVENT | UID:a | RECURRENCE-ID:20271031T003000Z | DTSTART:20271031T120000Z > -2027-10-31T00:30Z +2027-10-31T12:00Z",
  ])
  func `an exception in UTC is one instant also where the clock changes`(row: String) throws {
    let parts = row.components(separatedBy: " > ")
    let file = event("DTSTART;TZID=Europe/Berlin:" + parts[0])
    #expect(file.problems == [])
    let calendar = SharedCalendar("file", file.content)
    for text in parts[1].split(separator: " ") {
      let instant = try #require(try InstantText(String(text.dropFirst())).instant)
      #expect(
        calendar.contains(ScheduleInstant(instant), in: .utc) == text.hasPrefix("+"), "\(text)")
    }
  }

  @Test(arguments: [
    "", "\n\n", "hello", "<html></html>", "BEGIN:VCALENDAR", "BEGIN:VCALENDAR\nBEGIN:VEVENT\n",
    "END:VCALENDAR", "\u{0}\u{1}\u{ff}", "BEGIN:VCALENDAR\nEND:VEVENT", "jobs: {a: {every: 1h}}",
  ])
  func `what is no calendar is refused`(text: String) {
    let file = CalendarFile(Array(text.utf8), zones: TestZones())
    #expect(file.problems.contains { $0.severity == .error })
    #expect(file.content == SharedCalendar.Content())
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
    let calendar = SharedCalendar("x", CalendarFile(Array(text.utf8), zones: TestZones()).content)
      .read(in: .utc)
    for instant in [0, 1_790_000_000_000, 9_214_000_000_000] as [ScheduleInstant] {
      _ = calendar.contains(instant, in: .utc)
      _ = calendar.nextEdge(after: instant, in: .utc)
    }
    _ = calendar.words
  }
}
