import TaktCore
import TaktTesting
import Testing
import TaktTime

@Suite struct CalendarExpressionTests {
  /// Rows of systemd's documentation and its own ways, for machines without the program.
  @Test(arguments: [
    "Sat,Thu,Mon..Wed,Sat..Sun | Mon..Thu,Sat,Sun *-*-* 00:00:00",
    "Mon,Sun 12-*-* 2,1:23 | Mon,Sun 2012-*-* 01,02:23:00",
    "Wed *-1 | Wed *-*-01 00:00:00",
    "Wed..Wed,Wed *-1 | Wed *-*-01 00:00:00",
    "10-15 | *-10-15 00:00:00",
    "monday *-12-* 17:00 | Mon *-12-* 17:00:00",
    "12,14,13,12:20,10,30 | *-*-* 12,13,14:10,20,30:00",
    "03-05 08:05:40 | *-03-05 08:05:40",
    "Sat,Sun 12-05 08:05:40 | Sat,Sun *-12-05 08:05:40",
    "2003-02..04-05 | 2003-02..04-05 00:00:00",
    "2003-03-05 05:40:23.4200004/3.1700005 | 2003-03-05 05:40:23.420000/3.170001",
    "*-*~1 UTC | *-*~01 00:00:00 UTC",
    "*:0/5 Europe/Berlin | *-*-* *:00/5:00 Europe/Berlin",
    "@1395716396 | 2014-03-25 02:59:56 UTC",
    "quarterly | *-01,04,07,10-01 00:00:00",
  ])
  func `the normalized form is`(row: String) throws {
    let parts = row.split(separator: "|")
    let expression = try CalendarExpression(String(parts[0].dropLast()))
    #expect(expression.normalized == parts[1].dropFirst())
  }

  @Test(arguments: [
    "Mon..Fri 09:00 | at 09:00 on Monday to Friday",
    "*:0/5 | every 5 minutes",
    "hourly | every hour on the hour",
    "*:*:* | every second",
    "8..17:0/30 Europe/Berlin | every 30 minutes, at hours 8 to 17 in the zone Europe/Berlin",
    "*-*~1 18:00 | at 18:00 on the last day of the month",
    "*-02~1..3 | at 00:00 on the third-to-last day to the last day of the month in February",
    "Mon *-*-1..7 | at 00:00 on Monday if that is day 1 to 7 of the month",
    "2030-1/3-1,15 6:00:00.5 | at 06:00:00.500000 on day 1 or day 15 of the month in January onwards in steps of 3 in 2030",
    "*:7,9 | at minutes 7 and 9, every hour",
  ])
  func `an expression in words is`(row: String) throws {
    let parts = row.split(separator: "|")
    let expression = try CalendarExpression(String(parts[0].dropLast()))
    #expect(expression.words == parts[1].dropFirst())
  }

  @Test(arguments: [
    " | 0 | the calendar expression is empty | ",
    "Mno 10:00 | 0 | unknown word 'Mno' | did you mean 'Mon'?",
    "Mon–Fri 09:00 | 3 | unexpected '–' | write '..' for a range, as in 'Mon..Fri'",
    "every day at 9 | 0 | unknown word 'every' | write days such as 'Mon..Fri', times such as '09:00', or 'daily'",
    "dayly | 0 | unknown word 'dayly' | did you mean 'daily'?",
    "Fri..Mon 10:00 | 5 | the range of days is backwards | write 'Sat,Sun,Mon' for 'Sat..Mon'",
    "10 | 2 | the calendar expression ends too early | write a date such as '*-*-1', a time such as '09:00', or both",
    "24:00 | 0 | a value is missing or out of range (0 to 23) in the hour | ",
    "*-13-1 | 2 | a value is missing or out of range (1 to 12) in the month | ",
    "12:00:60 | 6 | a value is missing or out of range (0 to 59.999999) in the second | ",
    "10:00/0 | 6 | a step cannot be 0 in the minute | ",
    "10: | 3 | missing value in the minute | ",
    "10:5x | 4 | unexpected 'x' in the minute | ",
    "*-*-* 10:00 Europe/ | 11 | unexpected ' ' | ",
  ])
  func `what is wrong is said with its place`(row: String) throws {
    let parts = row.split(separator: "|", omittingEmptySubsequences: false).map { part in
      var part = part
      while part.first == " " { part.removeFirst() }
      while part.last == " " { part.removeLast() }
      return String(part)
    }
    let problem = try #require(throws: CalendarProblem.self) { try CalendarExpression(parts[0]) }
    #expect("\(problem.offset)" == parts[1], "\(row)")
    #expect(problem.sentence == parts[2])
    #expect(problem.hint ?? "" == parts[3])
  }

  @Test func `the zone's name is kept for the caller`() throws {
    #expect(try CalendarExpression("10:00 America/New_York").zoneName == "America/New_York")
    #expect(try CalendarExpression("10:00 utc").zoneName == "UTC")
    #expect(try CalendarExpression("10:00").zoneName == nil)
    #expect(try CalendarExpression("10:00 No/Where").zoneName == "No/Where")
  }

  @Test func `fractions of a second are exact to the microsecond`() throws {
    let expression = try CalendarExpression("*:*:0/0.25")
    var instant = WallInstant(milliseconds: 999)
    var found: [Int64] = []
    for _ in 0..<4 {
      instant = try #require(expression.next(after: instant, in: .utc))
      found.append(instant.milliseconds)
    }
    #expect(found == [1000, 1250, 1500, 1750])
    let fine = try CalendarExpression("*:*:00.000001")
    #expect(fine.next(after: WallInstant(nanoseconds: 0), in: .utc)?.nanoseconds == 1000)
  }

  @Test func `a search in which systemd goes in circles ends with the right day`() throws {
    // It takes summer time along from May, into which month 17 falls, to New Year.
    let zone = try TestZones.named("Europe/Berlin")
    let start = WallInstant(
      milliseconds: CivilTime(year: 2020, month: 12, day: 31, hour: 12).epochSeconds * 1000)
    let next = try CalendarExpression("Fri *-01/8-*").next(after: start, in: zone)
    #expect(next?.rfc3339(in: zone) == "2021-01-01T00:00:00.000+01:00")
  }

  @Test func `under a policy for clock changes it agrees with the same cron expression`() throws {
    var random = SplitMix64(seed: 9)
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    for name in ["Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia"] {
      let zone = try TestZones.named(name)
      let changes = TestZones.changes(of: zone, from: 0, to: 2_000_000_000)
      for _ in 0..<300 {
        let (day, hour) = (number(1...31), number(0...3))
        let (first, step) = (number(0...29), number(2...29))
        let isOpen = random.oneIn(2)
        let (minute, hours) = isOpen ? ("\(first)/\(step)", "*") : ("\(first)", "\(hour),13")
        let days = random.oneIn(2) ? "*" : "\(day)"
        let cron = try CronExpression("\(minute) \(hours) \(days) * *")
        let calendar = try CalendarExpression("*-*-\(days) \(hours):\(minute)")
        let policy = DSTPolicy(
          gap: random.oneIn(2) ? .skip : .runAfter,
          overlap: DSTPolicy.Overlap.allCases[number(0...2)])
        let change = changes[number(0...(changes.count - 1))]
        var instant = WallInstant(milliseconds: (change + Int64(number(-90_000...10_000))) * 1000)
        for _ in 0..<5 {
          let next = cron.next(after: instant, in: zone, dst: policy)
          let other = calendar.next(after: instant, in: zone, dst: policy)
          #expect(next == other, "\(cron) \(calendar) in \(name) after \(instant) \(policy)")
          instant = next ?? instant
        }
      }
    }
  }

  @Test func `in every zone the next instant is later and has the time of day`() throws {
    var generator = SplitMix64(seed: 5)
    for name in TestZones.allNames() {
      let zone = try TestZones.named(name)
      let hour = Int.random(in: 4...20, using: &generator)
      let expression = try CalendarExpression("Mon..Fri \(hour):15:30")
      var instant = WallInstant(
        milliseconds: Int64.random(in: 100_000_000...4_000_000_000, using: &generator) * 1000)
      for _ in 0..<5 {
        let next = try #require(expression.next(after: instant, in: zone), "\(name)")
        let civil = zone.civilTime(at: next)
        #expect(next > instant && civil.hour == hour && civil.minute == 15 && civil.second == 30)
        #expect((1...5).contains(CronGenerator.weekday(civil)), "\(name)")
        instant = next
      }
    }
  }

  @Test func `the normalized form reads back as an equal value`() throws {
    var generator = CalendarGenerator(seed: 6)
    for _ in 0..<5000 {
      let text = generator.expression()
      guard let expression = try? CalendarExpression(text) else { continue }
      #expect(try CalendarExpression(expression.normalized) == expression, "'\(text)'")
    }
  }

  @Test func `no text makes the parser trap`() {
    var generator = CalendarGenerator(seed: 8)
    for _ in 0..<20_000 {
      let text = generator.broken()
      do {
        let expression = try CalendarExpression(text)
        _ = expression.normalized
      } catch {
        #expect(error.offset <= text.utf8.count, "'\(text)'")
        #expect(!error.sentence.isEmpty)
      }
    }
  }

  @Test(arguments: [-11, -5, 0, 9, 14])
  func `a time of day occurs from the epoch on, wherever it is`(hours: Int) throws {
    let zone = Zone(name: "X", initialOffsetSeconds: hours * 3600)
    let next = try CalendarExpression("02:30").next(
      after: WallInstant(milliseconds: 0), in: zone, dst: DSTPolicy(gap: .skip))
    let time = zone.civilTime(at: try #require(next))
    #expect(time.year == 1970 && time.hour == 2 && time.minute == 30)
  }
}
