import TaktCore
import TaktTesting
import Testing
import TaktTime

@Suite struct RecurrenceTests {
  private func split(_ row: String) -> [String] {
    row.split(separator: "|", omittingEmptySubsequences: false).map {
      String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  private func times(_ text: String, _ zone: Zone, after start: Int64, count: Int) throws
    -> [String]
  {
    let recurrence = try Recurrence.read(text).recurrence
    var instant = WallInstant(milliseconds: start * 1000)
    var times: [String] = []
    while times.count < count,
      let next = recurrence.next(after: instant, in: zone, dst: recurrence.ownDST)
    {
      times.append(zone.civilTime(at: next).description.prefix(16).description)
      instant = next
    }
    return times
  }

  /// The examples of RFC 5545, section 3.8.5.3: the first times, and whether there are more.
  @Test(arguments: [
    "19970902T090000 | FREQ=DAILY;COUNT=3 | 1997-09-02 1997-09-03 1997-09-04 never",
    "19971222T090000 | FREQ=DAILY;UNTIL=19971224T000000Z | 1997-12-22 1997-12-23 never",
    "19970902T090000 | FREQ=DAILY;INTERVAL=10;COUNT=5 | 1997-09-02 1997-09-12 1997-09-22 1997-10-02 1997-10-12 never",
    "19990130T090000 | FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA | 1999-01-30 1999-01-31 2000-01-01 2000-01-02",
    "20000130T090000 | FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1 | 2000-01-30 2000-01-31 never",
    "19970902T090000 | FREQ=WEEKLY;INTERVAL=2;WKST=SU | 1997-09-02 1997-09-16 1997-09-30 1997-10-14",
    "19970902T090000 | FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH | 1997-09-02 1997-09-04 1997-09-09 1997-09-11 1997-09-16 1997-09-18 1997-09-23 1997-09-25 1997-09-30 1997-10-02 never",
    "19970901T090000 | FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR | 1997-09-01 1997-09-03 1997-09-05 1997-09-15 1997-09-17 1997-09-19 1997-09-29 1997-10-01",
    "19970902T090000 | FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH | 1997-09-02 1997-09-04 1997-09-16 1997-09-18 1997-09-30 1997-10-02 1997-10-14 1997-10-16 never",
    "19970905T090000 | FREQ=MONTHLY;COUNT=10;BYDAY=1FR | 1997-09-05 1997-10-03 1997-11-07 1997-12-05 1998-01-02 1998-02-06 1998-03-06 1998-04-03 1998-05-01 1998-06-05 never",
    "19970907T090000 | FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU | 1997-09-07 1997-09-28 1997-11-02 1997-11-30 1998-01-04 1998-01-25 1998-03-01 1998-03-29 1998-05-03 1998-05-31 never",
    "19970922T090000 | FREQ=MONTHLY;COUNT=6;BYDAY=-2MO | 1997-09-22 1997-10-20 1997-11-17 1997-12-22 1998-01-19 1998-02-16 never",
    "19970928T090000 | FREQ=MONTHLY;BYMONTHDAY=-3 | 1997-09-28 1997-10-29 1997-11-28 1997-12-29 1998-01-29 1998-02-26",
    "19970902T090000 | FREQ=MONTHLY;COUNT=4;BYMONTHDAY=2,15 | 1997-09-02 1997-09-15 1997-10-02 1997-10-15 never",
    "19970930T090000 | FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1 | 1997-09-30 1997-10-01 1997-10-31 1997-11-01 1997-11-30 1997-12-01 1997-12-31 1998-01-01 1998-01-31 1998-02-01 never",
    "19970910T090000 | FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15 | 1997-09-10 1997-09-11 1997-09-12 1997-09-13 1997-09-14 1997-09-15 1999-03-10 1999-03-11 1999-03-12 1999-03-13 never",
    "19970902T090000 | FREQ=MONTHLY;INTERVAL=2;BYDAY=TU | 1997-09-02 1997-09-09 1997-09-16 1997-09-23 1997-09-30 1997-11-04 1997-11-11",
    "19970610T090000 | FREQ=YEARLY;COUNT=4;BYMONTH=6,7 | 1997-06-10 1997-07-10 1998-06-10 1998-07-10 never",
    "19970310T090000 | FREQ=YEARLY;INTERVAL=2;COUNT=5;BYMONTH=1,2,3 | 1997-03-10 1999-01-10 1999-02-10 1999-03-10 2001-01-10 never",
    "19970101T090000 | FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200 | 1997-01-01 1997-04-10 1997-07-19 2000-01-01 2000-04-09 2000-07-18 2003-01-01 2003-04-10 2003-07-19 2006-01-01 never",
    "19970519T090000 | FREQ=YEARLY;BYDAY=20MO | 1997-05-19 1998-05-18 1999-05-17",
    "19970512T090000 | FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO | 1997-05-12 1998-05-11 1999-05-17",
    "20250512T090000 | FREQ=YEARLY;BYWEEKNO=20 | 2025-05-12 2026-05-11 2027-05-17",
    "20250514T090000 | FREQ=YEARLY;BYWEEKNO=20;BYMONTH=5;COUNT=2 | 2025-05-14 2026-05-13 never",
    "20250512T090000 | FREQ=YEARLY;BYWEEKNO=20;BYMONTHDAY=12,13 | 2025-05-12 2025-05-13 2026-05-12 2026-05-13",
    "19970313T090000 | FREQ=YEARLY;BYMONTH=3;BYDAY=TH | 1997-03-13 1997-03-20 1997-03-27 1998-03-05 1998-03-12",
    "19970605T090000 | FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8 | 1997-06-05 1997-06-12",
    "19970902T090000 | FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13 EXDATE:19970902T090000 | 1998-02-13 1998-03-13 1998-11-13 1999-08-13 2000-10-13",
    "19970913T090000 | FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13 | 1997-09-13 1997-10-11 1997-11-08 1997-12-13 1998-01-10 1998-02-07 1998-03-07",
    "19961105T090000 | FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8 | 1996-11-05 2000-11-07 2004-11-02",
    "19970904T090000 | FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3 | 1997-09-04 1997-10-07 1997-11-06 never",
    "19970929T090000 | FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2 | 1997-09-29 1997-10-30 1997-11-27 1997-12-30 1998-01-29 1998-02-26 1998-03-30",
    "19970902T090000 | FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z | 1997-09-02T09:00 1997-09-02T12:00 1997-09-02T15:00 never",
    "19970902T090000 | FREQ=MINUTELY;INTERVAL=90;COUNT=4 | 1997-09-02T09:00 1997-09-02T10:30 1997-09-02T12:00 1997-09-02T13:30 never",
    "19970902T160000 | FREQ=DAILY;BYHOUR=9,16;BYMINUTE=0,40 | 1997-09-02T16:00 1997-09-02T16:40 1997-09-03T09:00 1997-09-03T09:40",
    "19970902T160000 | FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,16 | 1997-09-02T16:00 1997-09-02T16:20 1997-09-02T16:40 1997-09-03T09:00",
    "19970805T090000 | FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO | 1997-08-05 1997-08-10 1997-08-19 1997-08-24 never",
    "19970805T090000 | FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU | 1997-08-05 1997-08-17 1997-08-19 1997-08-31 never",
    "20070115T090000 | FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5 | 2007-01-15 2007-01-30 2007-02-15 2007-03-15 2007-03-30 never",
  ])
  func `an example of the RFC gives its times`(row: String) throws {
    let parts = split(row)
    let zone = try TestZones.named("America/New_York")
    let wanted = parts[2].split(separator: " ").map {
      $0.contains("T") || $0 == "never" ? "\($0)" : "\($0)T09:00"
    }
    let isOver = wanted.last == "never"
    let found = try times(
      "DTSTART;TZID=America/New_York:\(parts[0]) RRULE:\(parts[1])", zone, after: 0,
      count: wanted.count)
    #expect(found + (isOver && found.count < wanted.count ? ["never"] : []) == wanted, "\(row)")
  }

  @Test(arguments: [
    "20260104T023000 | FREQ=WEEKLY;INTERVAL=2;BYDAY=SU | 2026-03-14T00:00 | 2026-03-15T02:30+01:00 2026-03-29T03:00+02:00 2026-04-12T02:30+02:00 | 02:30 is skipped on 29 March",
    "20261001T023000 | FREQ=DAILY | 2026-10-24T12:00 | 2026-10-25T02:30+02:00 2026-10-26T02:30+01:00 | once, the first time",
    "20261001T000000 | FREQ=HOURLY;INTERVAL=2 | 2026-10-25T00:00 | 2026-10-25T02:00+02:00 2026-10-25T02:00+01:00 2026-10-25T04:00+01:00 | below a day both passes",
    "20260301T003000 | FREQ=HOURLY | 2026-03-29T01:00 | 2026-03-29T01:30+01:00 2026-03-29T03:30+02:00 | and no slot for what is skipped",
    "20260105T090000 | FREQ=WEEKLY;INTERVAL=2 | 2026-03-22T00:00 | 2026-03-30T09:00+02:00 2026-04-13T09:00+02:00 | nine o'clock before and after the change",
  ])
  func `a clock change in Berlin`(row: String) throws {
    let parts = split(row)
    let zone = try TestZones.named("Europe/Berlin")
    let recurrence = try Recurrence.read("DTSTART:\(parts[0]) \(parts[1])").recurrence
    let numbers = parts[2].split { "-T:".contains($0) }.compactMap { Int($0) }
    guard
      case .once(var instant) = zone.read(
        CivilTime(
          year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3],
          minute: numbers[4]))
    else { return }
    for wanted in parts[3].split(separator: " ") {
      let next = try #require(recurrence.next(after: instant, in: zone, dst: recurrence.ownDST))
      #expect(next.rfc3339(in: zone).replacing(":00.000", with: "") == wanted, "\(row)")
      instant = next
    }
  }

  @Test(arguments: [
    " | 0 | the recurrence is empty", "FREQ=DAILY | 0 | DTSTART is missing",
    "DTSTART:20260105T090000 | 23 | RRULE is missing",
    "DTSTART:20260230T090000 FREQ=DAILY | 8 | '20260230T090000' in DTSTART is no date from 1601 to 2261",
    "DTSTART:2026-01-05 FREQ=DAILY | 8 | '2026-01-05' in DTSTART is no date from 1601 to 2261",
    "DTSTART:22990101T090000 FREQ=DAILY | 8 | '22990101T090000' in DTSTART is no date from 1601 to 2261",
    "DTSTART:15000101T090000 FREQ=DAILY | 8 | '15000101T090000' in DTSTART is no date from 1601 to 2261",
    "DTSTART:20260105T090000 FREQ=FORTNIGHTLY | 29 | unknown frequency 'FORTNIGHTLY'",
    "DTSTART:20260105T090000 RRULE:INTERVAL=2 | 30 | FREQ is missing",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY;INTERVAL=0 | 50 | INTERVAL does not take '0'",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY;INTERVAL=-1 | 50 | INTERVAL does not take '-1'",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY;COUNT=99999999999999999999 | 47 | COUNT does not take '99999999999999999999'",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY;COUNT=10001 | 47 | COUNT has more than 10000",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY;COUNT=3;UNTIL=20270101T000000 | 41 | COUNT cannot be combined with UNTIL",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY;UNTIL=20270101 | 47 | UNTIL and DTSTART have different forms",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY;FREQ=DAILY | 41 | FREQ is given twice",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY;BYDY=MO | 41 | unknown word 'BYDY'",
    "DTSTART:20260105T090000 RRULE:FREQ=WEEKLY;BYDAY=2MO | 48 | BYDAY=2MO cannot be combined with FREQ=WEEKLY",
    "DTSTART:20260105T090000 RRULE:FREQ=WEEKLY;BYDAY=MON | 48 | BYDAY does not take 'MON'",
    "DTSTART:20260105T090000 RRULE:FREQ=WEEKLY;BYMONTHDAY=1 | 42 | BYMONTHDAY cannot be combined with FREQ=WEEKLY",
    "DTSTART:20260105T090000 RRULE:FREQ=MONTHLY;BYWEEKNO=1 | 43 | BYWEEKNO cannot be combined with FREQ=MONTHLY",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY;BYHOUR=24 | 48 | BYHOUR does not take '24'",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY;BYHOUR=9,,10 | 50 | BYHOUR does not take ''",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY;BYSECOND=60 | 50 | BYSECOND does not take '60'",
    "DTSTART:20260105T090000 RRULE:FREQ=MONTHLY;BYSETPOS=1 | 43 | BYSETPOS needs another BY part",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY EXDATE:20260106 | 48 | EXDATE and DTSTART have different forms",
    "DTSTART:20260105 RRULE:FREQ=HOURLY | 23 | FREQ cannot be combined with a DTSTART without a time of day",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY RRULE:FREQ=DAILY | 41 | RRULE is given twice",
    "DTSTART:20260105T090000 RRULE: FREQ=DAILY | 30 | RRULE is empty",
    "DTSTART:20260105T090000 RRULE: | 30 | RRULE is empty",
    "DTSTART: 20260105T090000 RRULE:FREQ=DAILY | 8 | DTSTART is empty",
    "DTSTART:20260105T090000 RRULE:FREQ=DAILY EXDATE;TZID=UTC:\n20260106T090000 | 57 | EXDATE is empty",
    "DTSTAMP:20260105T090000 RRULE:FREQ=DAILY | 0 | unknown word 'DTSTAMP'",
  ])
  func `what is wrong is said with its place`(row: String) throws {
    let parts = split(row)
    let problem = try #require(throws: RecurrenceProblem.self) { try Recurrence.read(parts[0]) }
    #expect("\(problem.offset)" == parts[1], "\(row)")
    #expect(problem.sentence == parts[2], "\(row)")
  }

  @Test(arguments: [
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR | every 2 weeks on Monday and Friday at 09:00, from 2026-01-05 on",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1 | every month on each Monday, Tuesday, Wednesday, Thursday and Friday at 09:00, only the last of each month, from 2026-01-05 on",
    "FREQ=YEARLY;COUNT=3 | every year on day 5 of the month in January at 09:00, from 2026-01-05 on, 3 times",
    "FREQ=MONTHLY;BYDAY=2TU,-1FR | every month on the second Tuesday of the month and the last Friday of the month at 09:00, from 2026-01-05 on",
    "FREQ=YEARLY;BYMONTHDAY=5 | every year on day 5 of each month at 09:00, from 2026-01-05 on",
    "FREQ=YEARLY;BYDAY=MO | every year on each Monday at 09:00, from 2026-01-05 on",
    "FREQ=YEARLY;BYWEEKNO=20 | every year on each Monday, if that is in week 20 of the year, at 09:00, from 2026-01-05 on",
    "FREQ=MONTHLY;BYMONTHDAY=-7 | every month on the seventh-to-last day of the month at 09:00, from 2026-01-05 on",
    "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR,SA | every month on day 13 of the month, if that is Friday or Saturday, at 09:00, from 2026-01-05 on",
    "FREQ=DAILY;INTERVAL=2;BYDAY=MO,TU | every 2 days, if that is Monday or Tuesday, at 09:00, from 2026-01-05 on",
    "FREQ=MONTHLY;BYDAY=MO,WE;BYSETPOS=-7,22 | every month on each Monday and Wednesday at 09:00, only the seventh-to-last and the 22nd of each month, from 2026-01-05 on",
    "FREQ=HOURLY;BYMONTHDAY=-1;BYMINUTE=0,30 | every hour, if that is the last day of the month, at minutes 0 and 30, from 2026-01-05 on",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU | every 2 weeks on Tuesday and Sunday at 09:00, with weeks that start on Sunday, from 2026-01-05 on",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;WKST=SU | every 2 weeks on Sunday at 09:00, with weeks that start on Sunday, from 2026-01-05 on",
    "FREQ=WEEKLY;INTERVAL=2;WKST=SU | every 2 weeks on Monday at 09:00, from 2026-01-05 on",
    "FREQ=WEEKLY;BYDAY=TU,SU;WKST=SU | every week on Tuesday and Sunday at 09:00, from 2026-01-05 on",
    "FREQ=WEEKLY;BYDAY=TU,SU;BYSETPOS=1;WKST=SU | every week on Tuesday and Sunday at 09:00, only the first of each week, with weeks that start on Sunday, from 2026-01-05 on",
    "FREQ=YEARLY;BYWEEKNO=1;BYDAY=SU;WKST=TH | every year on each Sunday, if that is in week 1 of the year, at 09:00, with weeks that start on Thursday, from 2026-01-05 on",
    "FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10 | every 20 minutes at hours 9 and 10, from 2026-01-05 on",
  ])
  func `a recurrence in words is`(row: String) throws {
    let parts = split(row)
    #expect(try Recurrence.read("DTSTART:20260105T090000 " + parts[0]).recurrence.words == parts[1])
  }

  @Test(arguments: [
    "EXDATE:20260106T080000Z | Europe/Berlin | 2026-01-05 2026-01-07 never",
    "EXDATE:20260106T080000Z,20260107T080000Z | Europe/Berlin | 2026-01-05 never",
    "EXDATE;TZID=UTC:20260106T080000 | Europe/Berlin | 2026-01-05 2026-01-07 never",
    "RDATE:20260110T080000Z | Europe/Berlin | 2026-01-05 2026-01-06 2026-01-07 2026-01-10 never",
    "EXDATE:20260106T090000 | Europe/Berlin | 2026-01-05 2026-01-07 never",
    "EXDATE:20260106T090000Z | Europe/London | 2026-01-05 2026-01-07 never",
  ])
  func `other times may be in UTC beside a zone`(row: String) throws {
    let parts = split(row)
    let zone = try TestZones.named(parts[1])
    for start in ["DTSTART;TZID=\(parts[1]):", "DTSTART:"] {
      let text = "\(start)20260105T090000 RRULE:FREQ=DAILY;COUNT=3 \(parts[0])"
      let recurrence = try Recurrence.read(text) { $0 == "UTC" ? .utc : zone }.recurrence
      var (found, instant): ([String], WallInstant) = ([], WallInstant(milliseconds: 0))
      while let next = recurrence.next(after: instant, in: zone, dst: recurrence.ownDST) {
        found.append(String(zone.civilTime(at: next).description.prefix(10)))
        instant = next
      }
      #expect(found + ["never"] == parts[2].split(separator: " ").map(String.init), "\(text)")
      // Far from clock changes they are stored by the clock, as earlier versions read them.
      #expect(!recurrence.normalized.contains("Z"), "\(text)")
    }
  }

  @Test(arguments: [
    "20270320T023000 FREQ=DAILY EXDATE:20270328T010000Z | 2027-03-27T12:00Z | 2027-03-29T02:30+02:00 | the end of the gap, at which it runs",
    "20270320T023000 FREQ=DAILY EXDATE:20270328T013000Z | 2027-03-27T12:00Z | 2027-03-29T02:30+02:00 | the skipped time as the RFC reads it",
    "20270320T023000 FREQ=DAILY EXDATE:20270328T003000Z | 2027-03-27T12:00Z | 2027-03-28T03:00+02:00",
    "20270320T033000 FREQ=DAILY EXDATE:20270328T013000Z | 2027-03-27T12:00Z | 2027-03-29T03:30+02:00",
    "20271030T023000 FREQ=DAILY EXDATE:20271031T003000Z | 2027-10-30T12:00Z | 2027-11-01T02:30+01:00",
    "20271030T023000 FREQ=DAILY EXDATE:20271031T013000Z | 2027-10-30T12:00Z | 2027-10-31T02:30+02:00 2027-11-01T02:30+01:00",
    "20271030T023000 FREQ=DAILY EXDATE;TZID=Europe/London:20271031T013000 | 2027-10-30T12:00Z | 2027-11-01T02:30+01:00",
    "20271030T023000 FREQ=DAILY RDATE:20271031T013000Z | 2027-10-30T12:00Z | 2027-10-31T02:30+02:00 2027-10-31T02:30+01:00 2027-11-01T02:30+01:00",
    "20271030T023000 FREQ=DAILY RDATE:20271031T013000Z EXDATE:20271031T013000Z | 2027-10-30T12:00Z | 2027-10-31T02:30+02:00 2027-11-01T02:30+01:00",
    "20271001T000000 FREQ=HOURLY EXDATE:20271031T000000Z | 2027-10-30T23:00Z | 2027-10-31T02:00+01:00 2027-10-31T03:00+01:00",
  ])
  func `a time in UTC is one instant also where the clock changes`(row: String) throws {
    let parts = split(row)
    let zone = try TestZones.named("Europe/Berlin")
    let recurrence = try Recurrence.read("DTSTART:" + parts[0]) { name in
      guard let name else { return zone }
      return name == "UTC" ? .utc : try? TestZones.named(name)
    }.recurrence
    var instant = try #require(try InstantText(parts[1]).instant)
    for wanted in parts[2].split(separator: " ") {
      let next = try #require(recurrence.next(after: instant, in: zone, dst: recurrence.ownDST))
      #expect(next.rfc3339(in: zone).replacing(":00.000", with: "") == wanted, "\(row)")
      instant = next
    }
    #expect(Recurrence(stored: recurrence.normalized) == recurrence)
  }

  @Test
  func `weeks without days are the day of DTSTART, and whole in the ledger of an earlier version`()
    throws
  {
    let text = "DTSTART:20250512T090000 RRULE:FREQ=YEARLY;BYWEEKNO=20"
    let read = try Recurrence.read(text).recurrence
    #expect(read.normalized.contains("FREQ=YEARLY;BYDAY=MO;BYWEEKNO=20"))
    #expect(Recurrence(stored: read.normalized) == read)
    let earlier = try #require(Recurrence(stored: text))
    let whole = try Recurrence.read(
      text.replacing("BYWEEKNO", with: "BYDAY=MO,TU,WE,TH,FR,SA,SU;BYWEEKNO")
    ).recurrence
    #expect(earlier == whole)
  }

  @Test func `the normal form reads back as an equal value`() throws {
    var generator = RecurrenceGenerator(seed: 6)
    for index in 0..<2000 {
      var text = generator.next().text
      if index % 7 == 0 { text += "\nRDATE:20260303T030000,20260101T000000 EXDATE:20270101T000000" }
      let recurrence = try Recurrence.read(text).recurrence
      let again = try Recurrence.read(recurrence.normalized).recurrence
      #expect(again == recurrence, "\(text)")
      #expect(again.normalized == recurrence.normalized, "\(text)")
    }
  }

  @Test func `no text makes the parser trap`() throws {
    var generator = RecurrenceGenerator(seed: 7)
    let signs = Array("=;:,-+09TZ FREQBYDAMO\n\u{0}é")
    for _ in 0..<20_000 {
      var text = Array(generator.next().text)
      for _ in 0..<generator.number(1...4) {
        let place = generator.number(0...(text.count - 1))
        let sign = signs[generator.number(0...(signs.count - 1))]
        if generator.random.oneIn(2) { text[place] = sign } else { text.insert(sign, at: place) }
      }
      do throws(RecurrenceProblem) {
        let recurrence = try Recurrence.read(String(text)).recurrence
        #expect(!recurrence.words.isEmpty)
      } catch {
        #expect(error.offset <= String(text).utf8.count)
        #expect(!error.sentence.isEmpty)
      }
    }
  }

  @Test(arguments: [
    "cron 0 9 * * MON | 2 weeks 2026-01-05 | | 2026-01-05 2026-01-19 2026-02-02",
    "cron 0 9 * * MON,THU | 2 weeks 2026-01-08 | | 2026-01-08 2026-01-19 2026-01-22 2026-02-02",
    "cron 0 9 * * * | 3 days 2026-01-30 | | 2026-01-30 2026-02-02 2026-02-05",
    "calendar *-*-15 09:00 | 3 months 2026-02-20 | | 2026-05-15 2026-08-15 2026-11-15",
    "cron 0 9 * * * | | 1 | 2026-01-01 2026-02-02 2026-03-02 2026-04-01",
    "cron 0 9 * * * | | -1 | 2026-01-30 2026-02-27 2026-03-31",
    "calendar 09:00 | | -2 | 2026-01-29 2026-02-26 2026-03-30",
    "cron 0 9 * * * | | 23 | 2026-07-31 2026-12-31",
    "cron 0 9 * * * | 2 months 2026-01-01 | -1 | 2026-01-30 2026-03-31 2026-05-29",
    "cron 0 9 * * TUE | 2 weeks 2026-01-05 | 2 | 2026-02-03 2026-03-03 2026-08-04",
  ])
  func `times of an expression on some days are`(row: String) throws {
    let parts = split(row)
    let text = String(parts[0].drop { $0 != " " }.dropFirst())
    let base: ClockRule.Expression =
      parts[0].hasPrefix("cron")
      ? .cron(try CronExpression(text), days: .cron) : .calendar(try CalendarExpression(text))
    let filter = try #require(
      DayFilter(nthText: parts[1].isEmpty ? nil : parts[1], workingDay: Int(parts[2])))
    let zone = try TestZones.named("Europe/Berlin")
    let rule = ClockRule(base.filtered(on: filter), zone: zone, dst: .cron)
    var instant = WallInstant(milliseconds: 1_767_222_000_000)  // 2026-01-01T00:00+01:00
    for wanted in parts[3].split(separator: " ") {
      let next = try #require(rule.next(after: instant))
      #expect(zone.civilTime(at: next).description.prefix(16) == wanted + "T09:00", "\(row)")
      instant = next
    }
  }
}
