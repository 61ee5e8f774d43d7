import Foundation
import TaktTesting
import TaktTime
import Testing

@testable import TaktCore

/// Calendar files held against `icalendar` and `recurring-ical-events`, as Debian or PyPI has them.
/// `TAKT_CALENDARS` says how many; default 100.
@Suite struct CalendarFileOracleTests {
  /// Reads calendars, writes of each which hours of a year have an event.
  private static let program = """
    import sys, json
    from datetime import datetime, date, timedelta, timezone
    from zoneinfo import ZoneInfo
    import icalendar, recurring_ical_events
    zone = ZoneInfo(sys.argv[1])
    for line in sys.stdin:
        calendar = icalendar.Calendar.from_ical(json.loads(line))
        events = recurring_ical_events.of(calendar).between(datetime(2025, 12, 20), datetime(2027, 1, 10))
        ranges = []
        for event in events:
            if str(event.get('STATUS', '')) == 'CANCELLED': continue
            start, end = event['DTSTART'].dt, event['DTEND'].dt
            if not isinstance(start, datetime):
                ranges.append(['days', (start - date(1970, 1, 1)).days, (end - date(1970, 1, 1)).days])
            else:
                if start.tzinfo is None: start, end = start.replace(tzinfo=zone), end.replace(tzinfo=zone)
                ranges.append(['time', int(start.timestamp()), int(end.timestamp())])
        print(json.dumps(ranges))
    """

  @Test func `calendar files agree with icalendar and recurring-ical-events`() throws {
    guard let python = TestProgram.python(with: "icalendar, recurring_ical_events") else {
      print("skipped: there is no Python with icalendar and recurring-ical-events")
      return
    }
    let count = Int(ProcessInfo.processInfo.environment["TAKT_CALENDARS"] ?? "") ?? 100
    var random = SplitMix64(seed: 3)
    let texts = (0..<count).map { _ in Self.calendar(&random) }
    let lines = try texts.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
    let output = try #require(
      TestProgram.run(
        python, ["-c", Self.program, "Europe/Berlin"], input: lines.joined(separator: "\n") + "\n"))
    let answers = output.text.split(separator: "\n").map { line in
      (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [[Any]] ?? []
    }
    try #require(answers.count == count, "\(output.errors.suffix(600))")
    let zone = try TestZones.named("Europe/Berlin")
    var compared = 0
    for (text, answer) in zip(texts, answers) {
      let file = CalendarFile(Array(text.utf8), zones: TestZones())
      #expect(file.problems == [], "\(text)")
      let calendar = SharedCalendar("file", file.content).read(in: zone)
      var (days, times): ([Range<Int64>], [Range<Int64>]) = ([], [])
      for range in answer {
        guard let kind = range[0] as? String, let start = range[1] as? Int,
          let end = range[2] as? Int
        else { continue }
        let whole = Int64(start)..<Int64(max(end, start + 1))
        if kind == "days" { days.append(whole) } else { times.append(whole) }
      }
      let (wantedDays, wantedTimes) = (NumberRanges(days), NumberRanges(times))
      let first = CivilTime.daysSinceEpoch(year: 2026, month: 1, day: 1)
      for day in first..<(first + 365) {
        #expect(
          (calendar.days(with: day) != nil) == wantedDays.contains(day),
          "\(DayFilter.date(day))\n\(text)")
      }
      for half in first * 48..<(first + 365) * 48 {
        let seconds = half * 1800
        let instant = ScheduleInstant(milliseconds: seconds * 1000)
        let local = seconds + Int64(zone.offsetSeconds(at: WallInstant(instant)))
        let wanted =
          wantedTimes.contains(seconds)
          || wantedDays.contains(local.flooredQuotient(by: 86_400))
        #expect(
          calendar.contains(instant, in: zone) == wanted,
          "\(WallInstant(instant).rfc3339())\n\(text)")
        compared += 1
      }
    }
    print("icalendar: \(count) files agree in \(compared) half hours and in all days")
  }

  // MARK: Files

  private static func calendar(_ random: inout SplitMix64) -> String {
    let events = (0..<Int.random(in: 1...4, using: &random)).map { event($0, &random) }
    let text =
      "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//takt//test//EN\n"
      + events.joined() + "END:VCALENDAR\n"
    return text.replacing("\n", with: random.oneIn(2) ? "\r\n" : "\n")
  }

  private static func event(_ number: Int, _ random: inout SplitMix64) -> String {
    let isDate = random.oneIn(2)
    let zones = ["", "Z", ";TZID=Europe/Berlin", ";TZID=America/New_York"]
    let zone = isDate ? "" : zones.randomElement(using: &random) ?? ""
    // Hours that no clock change skips or repeats.
    let hour = Int.random(in: 8...20, using: &random)
    func value(_ day: Int64, hour: Int = hour) -> String {
      let date = DayFilter.date(day).filter { $0 != "-" }
      guard !isDate else { return ";VALUE=DATE:" + date }
      let time = date + "T" + (hour < 10 ? "0" : "") + "\(hour)0000"
      return zone == "Z" ? ":\(time)Z" : "\(zone):\(time)"
    }
    // A Monday that is the first of a month, so that DTSTART is an instance of each rule below.
    let base = CivilTime.daysSinceEpoch(year: 2025, month: 9, day: 1)
    let isSeries = random.oneIn(2)
    let start = isSeries ? base : base + Int64.random(in: 100...500, using: &random)
    var lines = ["UID:\(number)", "DTSTART" + value(start)]
    switch Int.random(in: 0...2, using: &random) {
    case 0: break
    case 1:
      lines.append(
        isDate
          ? "DTEND" + value(start + Int64.random(in: 1...3, using: &random))
          : "DTEND" + value(start, hour: hour + Int.random(in: 1...3, using: &random)))
    default:
      lines.append("DURATION:" + (isDate ? "P2D" : "PT2H"))
    }
    if isSeries {
      let rules = [
        "FREQ=WEEKLY", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "FREQ=MONTHLY", "FREQ=DAILY;INTERVAL=3",
        "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=70", "FREQ=MONTHLY;BYMONTHDAY=1;COUNT=14",
        "FREQ=MONTHLY;BYDAY=1MO,-1FR",
      ]
      var rule = rules.randomElement(using: &random) ?? ""
      if random.oneIn(3), !rule.contains("COUNT") {
        rule +=
          isDate
          ? ";UNTIL=20260801" : zone == "" ? ";UNTIL=20260801T000000" : ";UNTIL=20260801T000000Z"
      }
      lines.append("RRULE:" + rule)
      if random.oneIn(2), rule.hasPrefix("FREQ=WEEKLY") {
        lines.append("EXDATE" + value(start + 7 * Int64.random(in: 1...30, using: &random) * 2))
      }
      if random.oneIn(3) {
        lines.append("RDATE" + value(base + Int64.random(in: 130...400, using: &random)))
      }
    }
    if random.oneIn(8) { lines.append("STATUS:CANCELLED") }
    let folded = lines.map { line in
      guard line.utf8.count > 20, random.oneIn(3) else { return line }
      return line.prefix(12) + "\n " + line.dropFirst(12)
    }
    return "BEGIN:VEVENT\n" + folded.joined(separator: "\n") + "\nEND:VEVENT\n"
  }
}
