import TaktCore
import Testing
import TaktTime

@Suite struct CronExpressionTests {
  private func split(_ row: String) -> [String] {
    row.split(separator: "|", omittingEmptySubsequences: false).map {
      var part = $0
      while part.first == " " { part.removeFirst() }
      while part.last == " " { part.removeLast() }
      return String(part)
    }
  }

  private func instant(_ text: String, _ zone: Zone) throws -> WallInstant {
    let numbers = text.split { "-T:".contains($0) }.compactMap { Int($0) }
    let civil = CivilTime(
      year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4])
    switch zone.read(civil) {
    case .once(let instant), .skipped(let instant), .twice(let instant, _): return instant
    }
  }

  @Test(arguments: [
    "30 2 * * * | 2026-03-28T12:00 Europe/Berlin | 2026-03-29T03:00+02:00 2026-03-30T02:30+02:00 | 02:30 does not exist that night",
    "30 2 * * * | 2026-10-24T12:00 Europe/Berlin | 2026-10-25T02:30+02:00 2026-10-26T02:30+01:00 | once, the first time",
    "*/30 2 * * * | 2026-10-24T12:00 Europe/Berlin | 2026-10-25T02:00+02:00 2026-10-25T02:30+02:00 2026-10-25T02:00+01:00 2026-10-25T02:30+01:00 2026-10-26T02:00+01:00 | a step goes on through both passes",
    "*/20 2 25 10 * | 2026-10-25T02:45 Europe/Berlin | 2026-10-25T02:00+01:00 2026-10-25T02:20+01:00 2026-10-25T02:40+01:00 2027-10-25T02:00+02:00 | the second pass comes before the next year",
    "0 */30 2 25 10 * 2026 | 2026-10-25T02:10 Europe/Berlin | 2026-10-25T02:30+02:00 2026-10-25T02:00+01:00 2026-10-25T02:30+01:00 never | the last pass of the last year",
    "0 * * * * | 2026-03-29T00:30 Europe/Berlin | 2026-03-29T01:00+01:00 2026-03-29T03:00+02:00 | hourly knows no gap",
    "15 2 * * * | 2026-10-03T12:00 Australia/Lord_Howe | 2026-10-04T02:30+11:00 2026-10-05T02:15+11:00 | a gap of half an hour",
    "45 1 * * * | 2026-04-04T12:00 Australia/Lord_Howe | 2026-04-05T01:45+11:00 2026-04-06T01:45+10:30 | a repeat of half an hour",
    "0 0 * * * | 2018-11-03T12:00 America/Sao_Paulo | 2018-11-04T01:00-02:00 2018-11-05T00:00-02:00 | midnight does not exist",
    "30 23 * * * | 2018-02-17T12:00 America/Sao_Paulo | 2018-02-17T23:30-02:00 2018-02-18T23:30-03:00 | the hour before midnight comes twice",
    "30 1 * * * | 2026-03-28T12:00 Europe/Dublin | 2026-03-29T02:00+01:00 2026-03-30T01:30+01:00 | winter is the odd time there",
    "30 1 * * * | 2026-10-24T12:00 Europe/Dublin | 2026-10-25T01:30+01:00 2026-10-26T01:30Z | and comes twice in autumn",
    "0 12 * * * | 2011-12-29T13:00 Pacific/Apia | 2011-12-31T00:00+14:00 2011-12-31T12:00+14:00 | 30 December was left out",
    "0 12 30 12 * | 2011-12-29T13:00 Pacific/Apia | 2011-12-31T00:00+14:00 2012-12-30T12:00+14:00 | also when it is named",
    "0 9 LW * * | 2026-01-01T00:00 UTC | 2026-01-30T09:00Z 2026-02-27T09:00Z | the last weekday",
    "0 9 1W * * | 2026-08-01T00:00 UTC | 2026-08-03T09:00Z 2026-09-01T09:00Z | not in the month before",
    "0 0 * * MON#1,MON#3 | 2026-01-01T00:00 UTC | 2026-01-05T00:00Z 2026-01-19T00:00Z | a list of such days",
    "0 0 * * FRIL | 2026-01-01T00:00 UTC | 2026-01-30T00:00Z | the last Friday by name",
    "0 0 1 1 * | 2026-01-01T00:00 UTC | 2027-01-01T00:00Z | strictly after",
    "0 0 0 1 1 * 2030-2040/5 | 2026-01-01T00:00 UTC | 2030-01-01T00:00Z 2035-01-01T00:00Z 2040-01-01T00:00Z never | years",
    "0 0 0 1 1 * 2020 | 2026-01-01T00:00 UTC | never | a year that is over",
    "30 2 30 2 * | 2026-01-01T00:00 UTC | never | no such day",
    "0 22-2/2 * * FRI-MON | 2026-01-01T00:00 UTC | 2026-01-02T00:00Z 2026-01-02T02:00Z 2026-01-02T22:00Z | ranges go past the end",
    "0 0 13 * 5 | 2026-01-01T00:00 UTC | 2026-01-02T00:00Z 2026-01-09T00:00Z 2026-01-13T00:00Z | either day field",
    "0 0 */2 * 1 | 2026-01-01T00:00 UTC | 2026-01-05T00:00Z 2026-01-19T00:00Z 2026-02-09T00:00Z | both, because one begins with a star",
    "0 0 13 * */3 | 2026-01-01T00:00 UTC | 2026-05-13T00:00Z 2026-06-13T00:00Z 2026-09-13T00:00Z | both: a Sunday, Wednesday or Saturday",
    "0 0 * * 1/2 | 2026-01-02T00:00 UTC | 2026-01-05T00:00Z 2026-01-07T00:00Z 2026-01-09T00:00Z 2026-01-12T00:00Z | a step without an end ends at Saturday",
    "0 0 1 * 1,* | 2026-01-01T00:00 UTC | 2026-01-02T00:00Z 2026-01-03T00:00Z 2026-01-04T00:00Z | either, because none begins with a star: daily",
    "0 0 1,* * 1 | 2026-01-01T00:00 UTC | 2026-01-02T00:00Z 2026-01-03T00:00Z | the other field likewise",
    "0 0 1 * *,1 | 2026-01-01T00:00 UTC | 2026-02-01T00:00Z 2026-03-01T00:00Z | a star in front counts",
    "0 0 */2 * 1,* | 2026-01-02T00:00 UTC | 2026-01-03T00:00Z 2026-01-05T00:00Z | both, of which one is every day",
    "0 0 * * 1,* | 2026-01-01T00:00 UTC | 2026-01-02T00:00Z 2026-01-03T00:00Z | each day",
    "0 0 ? * 1 | 2026-01-01T00:00 UTC | 2026-01-05T00:00Z 2026-01-12T00:00Z | a question mark is any day",
    "30 * * * * | 2026-03-29T01:00 Europe/Berlin | 2026-03-29T01:30+01:00 2026-03-29T03:30+02:00 | hour by hour: nothing for 02:30",
    "30 */2 * * * | 2026-03-29T00:00 Europe/Berlin | 2026-03-29T00:30+01:00 2026-03-29T04:30+02:00 | a star with a step too",
    "30 1-3 * * * | 2026-03-29T01:00 Europe/Berlin | 2026-03-29T01:30+01:00 2026-03-29T03:00+02:00 2026-03-29T03:30+02:00 | fixed hours run right after the gap",
    "@hourly | 2026-10-04T00:30 Australia/Lord_Howe | 2026-10-04T01:00+10:30 2026-10-04T03:00+11:00 | 02:00 does not exist, and 02:30 is no hour",
    "30 0-23 * * * | 2026-03-29T01:00 Europe/Berlin | 2026-03-29T01:30+01:00 2026-03-29T03:30+02:00 | all hours are a star",
  ])
  func `the next instants are`(row: String) throws {
    let parts = split(row)
    let start = parts[1].split(separator: " ").map(String.init)
    let zone = try TestZones.named(start[1])
    var after = try instant(start[0], zone)
    for wanted in parts[2].split(separator: " ") {
      let next = try CronExpression(parts[0]).next(after: after, in: zone)
      let text = next?.rfc3339(in: zone).replacing(":00.000", with: "") ?? "never"
      #expect(text == wanted, "\(row)")
      after = next ?? after
    }
  }

  @Test(arguments: [
    "30 2 * * * | skip first | 2026-03-28T12:00 | 2026-03-30T02:30+02:00 | no run on the day of the gap",
    "30 2 * * * | runAfter second | 2026-10-24T12:00 | 2026-10-25T02:30+01:00 2026-10-26T02:30+01:00 | the second time",
    "30 2 * * * | runAfter both | 2026-10-24T12:00 | 2026-10-25T02:30+02:00 2026-10-25T02:30+01:00 2026-10-26T02:30+01:00 | both times",
    "* 2 * * * | skip second | 2026-10-25T02:59 | 2026-10-25T02:00+01:00 | what recurs goes on",
    "*/20 2 * * * | skip first | 2026-03-28T12:00 | 2026-03-30T02:00+02:00 | nothing in the gap",
  ])
  func `a policy for clock changes in Berlin`(row: String) throws {
    let parts = split(row)
    let zone = try TestZones.named("Europe/Berlin")
    let policy = DSTPolicy(
      gap: parts[1].hasPrefix("skip") ? .skip : .runAfter,
      overlap: try #require(DSTPolicy.Overlap(rawValue: String(parts[1].split(separator: " ")[1]))))
    var after = try instant(parts[2], zone)
    for wanted in parts[3].split(separator: " ") {
      let next = try CronExpression(parts[0]).next(after: after, in: zone, dst: policy)
      let text = next?.rfc3339(in: zone).replacing(":00.000", with: "") ?? "never"
      #expect(text == wanted, "\(row)")
      after = next ?? after
    }
  }

  @Test(arguments: [
    " | 0 | the cron expression is empty |",
    "* * * * | 7 | a cron expression has 5, 6 or 7 fields, not 4 | write minute, hour, day of month, month, day of week; of six fields, the first is seconds; of seven, the last is the year",
    "* * * * * * * * | 14 | a cron expression has 5, 6 or 7 fields, not 8 | write minute, hour, day of month, month, day of week; of six fields, the first is seconds; of seven, the last is the year",
    "60 * * * * | 0 | 60 is outside 0 to 59 in the minute field |",
    "*/60 * * * * | 2 | a step of 60 is outside 1 to 59 in the minute field | write '0' for once an hour, or 'every: 60m' for every 60 minutes",
    "0 */24 * * * | 4 | a step of 24 is outside 1 to 23 in the hour field | write '0' for once a day, or 'every: 24h' for every 24 hours",
    "*/100 * * * * | 2 | a step of 100 is outside 1 to 59 in the minute field | write '0' for once an hour, or 'every: 100m' for every 100 minutes",
    "0 0 */40 * * | 6 | a step of 40 is outside 1 to 31 in the day of month field | write '1' for once a month, or 'every: 40d' for every 40 days",
    "*/0 * * * * | 2 | a step of 0 is outside 1 to 59 in the minute field |",
    "0 10 * * ? * | 9 | these six fields go from minute to year, as in AWS; here the first is seconds | write '0 10 * * ?'",
    "0 8 1 * ? * | 8 | these six fields go from minute to year, as in AWS; here the first is seconds | write '0 8 1 * ?'",
    "0/5 8-17 ? * 2-6 2027 | 9 | these six fields go from minute to year, as in AWS; here the first is seconds | write '0 0/5 8-17 ? * MON-FRI 2027'",
    "0 9 ? * 3#2 * | 4 | these six fields go from minute to year, as in AWS; here the first is seconds | write '0 9 ? * TUE#2'",
    "? * * * * | 0 | '?' has no meaning in the minute field | '?' belongs to the two day fields; write '*'",
    "0 0 1 ? * | 6 | '?' has no meaning in the month field | '?' belongs to the two day fields; write '*'",
    "* 5- * * * | 4 | missing value in the hour field |",
    "1, * * * * | 2 | missing value in the minute field |",
    "* * * JAM * | 6 | unknown name 'JAM' in the month field | did you mean 'JAN'?",
    "* * * * SUNDAY | 8 | unknown name 'SUNDAY' in the day of week field | write SUN to SAT or 0 to 7; a command belongs under 'run', a user under 'user'",
    "*/5 * * * * root /bin/x | 12 | unknown name 'root' in the day of week field | write SUN to SAT or 0 to 7; a command belongs under 'run', a user under 'user'",
    "0 9–17 * * * | 3 | unexpected '–' in the hour field | write '-' for a range",
    "* * 1-2W * * | 7 | unexpected 'W' in the day of month field |",
    "* * 1,2W * * | 6 | '2W' must be the whole field in the day of month field |",
    "* L * * * | 2 | 'L' has no meaning in the hour field |",
    "* * * * 5#6 | 10 | 6 is outside 1 to 5 in the day of week field |",
    "@reboot | 0 | '@reboot' is not a time | use 'on: boot'",
    "@dayly | 0 | unknown name '@dayly' | did you mean '@daily'?",
    "@every 5m | 0 | '@every' is an interval, not a cron expression | use 'every: 5m'",
    "@every | 0 | '@every' is an interval, not a cron expression | use 'every: 5m'",
    "TZ=Asia/Tokyo 0 4 * * * | 0 | a cron expression cannot name its time zone | use 'timezone: Asia/Tokyo'",
    "CRON_TZ=UTC @daily | 0 | a cron expression cannot name its time zone | use 'timezone: UTC'",
    "0 0 0 1 1 * 2030-2020 | 12 | the range from 2030 to 2020 is backwards in the year field |",
    "H(9-5) * * * * | 2 | the range from 9 to 5 is backwards in the minute field |",
    "99999999999999999999 * * * * | 0 | 99999999999999999999 is outside 0 to 59 in the minute field |",
  ])
  func `what is wrong is said with its place`(row: String) throws {
    let parts = split(row)
    let problem = try #require(throws: CronProblem.self) { try CronExpression(parts[0]) }
    #expect("\(problem.offset)" == parts[1], "\(row)")
    #expect(problem.sentence == parts[2])
    #expect(problem.hint ?? "" == parts[3])
  }

  @Test(arguments: ["@every\t", "@every  "])
  func `an interval that is missing is said, too`(text: String) throws {
    let problem = try #require(throws: CronProblem.self) { try CronExpression(text) }
    #expect(problem.hint == "use 'every: 5m'")
  }

  @Test(arguments: [
    "0 2 * * * | at 02:00",
    "30 2,14 * * 1-5 | at 02:30 and 14:30 on Monday to Friday",
    "* * * * * | every minute",
    "* * * * * * | every second",
    "*/5 9-17 * * * | every 5 minutes, from 09:00 to 17:59",
    "0 * * * * | every hour on the hour",
    "15 * 1,15 * * | every hour at minute 15 on day 1 and 15 of the month",
    "0 0 L 1-3 * | at 00:00 on the last day of the month in January to March",
    "0 0 13 * 5 | at 00:00 on day 13 of the month or on Friday",
    "0 0 */15 * 5 | at 00:00 on day 1, 16 and 31 of the month, if that is Friday",
    "0 9 L * */5 | at 09:00 on the last day of the month, if that is Friday or Sunday",
    "*/45 * * * * | at minutes 0 and 45",
    "*/7 * * * * | every 7 minutes from minute 0 to 56",
    "0 */5 * * * | at minute 0, every 5 hours from hour 0 to 20",
    "0 9 * * 1#1 | at 09:00 on the first Monday of the month",
    "10 0 9 15W 6 * 2030 | at 09:00:10 on the weekday nearest to day 15 of the month in June in 2030",
    "*/10 * * * * * | every 10 seconds",
    "0 */2 * * * | at minute 0, every 2 hours",
    "7-59/10 3 * * * | every 10 minutes from minute 7, in the hour from 03:00",
  ])
  func `an expression in words is`(row: String) throws {
    let parts = split(row)
    #expect(try CronExpression(parts[0]).words() == parts[1])
  }

  @Test(arguments: [
    "@daily | 0 0 * * *", "0 00 02 * * * | 0 2 * * *",
    "*/15 0-23 1-31 JAN-MAR,DEC sun-sat | */15 * 1-31 1-3,12 MON-SUN",
    "5,7,6 1 * * 7 | 5,6,7 1 * * SUN", "10 */7 * * * * * | 10 */7 * * * *",
    "0 0 0 1 1 ? 2030,2031 | 0 0 0 1 1 * 2030,2031",
    "5-5 * L-3,1 * 5l,1#2 | 5-5 * 1,L-3 * MON#2,FRIL",
    "0 */2,5 * * * | 0 */2,5 * * *", "0 0-23/2 * * * | 0 0/2 * * *",
    "0 0 13 * */2,0-6 | 0 0 13 * *", "0 0 */15 * 1 | 0 0 */15 * MON",
    "0 0 */15 * * | 0 0 1,16,31 * *",
    "0 0 13 * */2,5 | 0 0 13 * */2,5",
  ])
  func `the normalized form is`(row: String) throws {
    let parts = split(row)
    #expect(try CronExpression(parts[0]).normalized == parts[1])
  }

  @Test func `expressions of one meaning are equal`() throws {
    #expect(try CronExpression("0 0 * * 0") == CronExpression("@weekly"))
    #expect(try CronExpression("0 0 0 * * SUN") == CronExpression("0 0 ? * 7"))
    #expect(try CronExpression("0 0 *,L * *,FRI#2") == CronExpression("@daily"))
    #expect(try CronExpression("0 0 * * 0") != CronExpression("0-0 0 * * 0"))
  }

  @Test func `H is chosen by the seed and stays permanently`() throws {
    #expect(try CronExpression("H H * * *", seed: "backup").normalized == "4 14 * * *")
    #expect(try CronExpression("H H H * H", seed: "a") != CronExpression("H H H * H", seed: "b"))
    var minutes: Set<String> = []
    for index in 0..<1000 {
      let seed = "job-\(index)"
      let text = try CronExpression("H(10-19) H/6 H * *", seed: seed).normalized
      let fields = text.split(separator: " ")
      minutes.insert(String(fields[0]))
      #expect((10...19).contains(Int(fields[0]) ?? 0))
      #expect((1...28).contains(Int(fields[2]) ?? 0))
      #expect(fields[1].hasSuffix("/6"))
    }
    #expect(minutes.count == 10)
  }

  @Test(arguments: [
    "*/45 * * * * | the step of 45 minutes is uneven: the last gap of each cycle is 15 minutes",
    "0 */5 * * * | the step of 5 hours is uneven: the last gap of each cycle is 4 hours",
    "0 9-17/3 * * * | ", "*/15 */6 * * * | ", "0,45 * * * * | ", "0 0 1 1,12 * | ",
    "* */6 * * * | this is every minute of the hours 0, 6, 12 and 18, 240 slots a day",
    "0 0 31 6 * | June has no day 31, and so no slot", "0 0 1-31 * * | ", "0 0 31 12 * | ",
    "0 0 29 2 * | February has a day 29 only in leap years",
    "0 0 */10 * * | the step of 10 days starts again in each month: day 1 follows day 31",
    "0 0 1 * 1 | both day fields are set: the job runs on days that match either of them",
    "0 0 */2 * 1 | the day of month field starts with '*', so a day must match both day fields, as in cron",
  ])
  func `what is odd is said`(row: String) throws {
    let parts = split(row)
    let warnings = try CronExpression(parts[0]).warnings()
    #expect(warnings.map(\.sentence).joined(separator: "; ") == parts[1])
  }

  @Test func `a time that a clock change skips is said`() throws {
    let zone = try TestZones.named("Europe/Berlin")
    let start = try instant("2026-01-01T00:00", zone)
    let sentence = { (text: String, zone: Zone) throws -> String? in
      let policy = DSTPolicy(gap: .skip, overlap: .first)
      let rule = ClockRule(.calendar(try CalendarExpression(text)), zone: zone, dst: policy)
      return rule.droppedTime(after: start)?.sentence
    }
    #expect(
      try sentence("02:30", zone)
        == "02:30 does not exist on 2026-03-29 in Europe/Berlin (clocks go forward), and 'calendar' "
        + "drops the times of that hour")
    #expect(try sentence("*-*-* 00/2:15", zone)?.hasPrefix("02:15 does not exist") == true)
    for text in ["Mon 02:30", "03:30", "*:30"] {
      #expect(try sentence(text, zone) == nil)
    }
    #expect(try sentence("02:30", .utc) == nil)
    let cron = ClockRule(
      .cron(try CronExpression("30 2 * * *"), days: .any), zone: zone, dst: .cron)
    #expect(cron.droppedTime(after: start) == nil)
    let beirut = try TestZones.named("Asia/Beirut")
    let halfDays = try CronExpression("0 */12 * * *")
    let rule = ClockRule(.cron(halfDays, days: .cron), zone: beirut, dst: halfDays.ownDST)
    #expect(
      rule.droppedTime(after: start)?.sentence
        == "00:00 does not exist on 2026-03-29 in Asia/Beirut (clocks go forward), and an hour field "
        + "with '*' drops the times of that hour")
  }

  @Test(arguments: [
    "30 * * * * | 2026-03-29T02:30 never", "*/5 * * * * | ", "*/30 1-3 * * * | ",
    "15 1-3 * * * | 2026-03-29T02:15 2026-03-29T03:00+02:00",
    "0 */2 * * * | 2026-03-29T02:00 never",
  ])
  func `a clock change that drops or adds a slot of what recurs is known`(row: String) throws {
    let parts = split(row)
    let zone = try TestZones.named("Europe/Berlin")
    let expression = try CronExpression(parts[0])
    let rule = ClockRule(.cron(expression, days: .cron), zone: zone, dst: expression.ownDST)
    let changes = rule.clockChanges(after: try instant("2026-01-01T00:00", zone)).map { change in
      let slots = change.slots.map { $0.rfc3339(in: zone).replacing(":00.000", with: "") }
      return change.time.description.prefix(16) + " " + (slots.first ?? "never")
    }
    #expect(changes.joined(separator: "; ") == parts[1], "\(row)")
  }
}
