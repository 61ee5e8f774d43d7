import Foundation
import Glibc
import Testing

@testable import TaktConfig

/// Days and times that are more or fewer than meant.
extension CheckedMistakesTests {
  @Test(arguments: [
    "* */6 * * * | minute of the hours 0, 6, 12 and 18, 240 | 0 | 0-59",
    "* 1,3 * * * | minute of the hours 1 and 3, 120 | 0 | 0-59",
    "*/1 1,3 * * * | minute of the hours 1 and 3, 120 | 0 | 0-59",
    "* 9-10,14 * * * | minute of the hours 9, 10 and 14, 180 | 0 | 0-59",
    "* 0 1,3 * * * | second of minute 0 of the hours 1 and 3, 120 | 0 0 | 0-59 0",
  ])
  func `each minute of single hours is a warning`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    let unit = parts[1].prefix { $0 != " " }
    try checkKeys(
      "warning suspicious | cron: »'\(parts[0])'\\nrun: echo => this is every \(parts[1]) slots a day; "
        + "to run once in each of these hours, start with '\(parts[2])'; if every \(unit) is meant, "
        + "with '\(parts[3])'")
  }

  @Test func `each minute of single days is a warning`() throws {
    try checkKeys(
      "warning suspicious | cron: »'* * 1 * *'\\nrun: echo => this is every minute of each of these "
        + "days, 1440 slots a day; to run once on each, start with '0 0'; if every minute is meant, "
        + "with '0-59'")
  }

  @Test(arguments: [
    "calendar: »'1,3:*' | of the hours 1 and 3, 120 | each of these hours",
    "calendar: »'Mon 03:*' | from 03:00 to 03:59, 60 | this hour",
  ])
  func `each minute of single hours of a calendar is a warning`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    try checkKeys(
      "warning suspicious | \(parts[0])\\nrun: echo => this is every minute \(parts[1]) slots a day; "
        + "to run once in \(parts[2]), write '00' for the minute; if every minute is meant, '00..59'"
    )
  }

  /// Keys, the missing days of some months, and the way to write the last day of each.
  @Test(arguments: [
    "cron: »'0 0 31 * *' | MONTHS have no day 31, and so no slot | L",
    "cron: »'0 0 31W 1-4 *' | February and April have no day 31, and so no slot | LW",
    "cron: »'0 0 1,31 2,3 *' | February has no day 31, and so slots on the other days only | L",
    "cron: »'0 0 15,30 * *' | February has no day 30, and so slots on the other days only | L",
    "cron: »'0 0 29 * *' | February has a day 29 only in leap years | L",
    "cron: »'0 0 1,15,29 * *' | February has a day 29 only in leap years | L",
    "cron: »'0 0 29-31 * *' | February has a day 29 only in leap years | L",
    "cron: »'0 0 30-31 * *' | February has no such day, and so no slot | L",
    "cron: »'0 0 L-30 * *' | MONTHS have no such day, and so no slot | L",
    "calendar: »'*-*-31' | MONTHS have no day 31, and so no slot | *-*~1",
    "calendar: »'*-2,3-29..31' | February has a day 29 only in leap years | *-*~1",
    "rrule: »DTSTART:20260131 RRULE:FREQ=MONTHLY | MONTHS have no day 31, and so no slot | BYMONTHDAY=-1",
    "rrule: »DTSTART:20260131 FREQ=MONTHLY;INTERVAL=4 | September has no day 31, and so no slot | BYMONTHDAY=-1",
    "rrule: »DTSTART:20280229 FREQ=YEARLY | February has a day 29 only in leap years | BYMONTHDAY=-1",
  ])
  func `a day that some months lack is a warning`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    let sentence = parts[1].replacing(
      "MONTHS", with: "February, April, June, September and November")
    let hint =
      sentence.contains("day 31")
      ? "for the last day of each month, write '\(parts[2])'"
      : "write 28 for a day that every month has, or '\(parts[2])' for the last one"
    try checkKeys("warning suspicious | \(parts[0])\\nrun: echo => \(sentence); \(hint)")
  }

  @Test(arguments: [
    "MON#5 | Monday | Monday | MONL",
    "MON#5,5#5 | Monday or Friday | Monday and Friday | MONL,FRIL",
  ])
  func `a fifth weekday is a warning`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    try checkKeys(
      "warning suspicious | cron: »'0 0 * * \(parts[0])'\\nrun: echo => only some months have a fifth "
        + "\(parts[1]), and so a slot; for the last \(parts[2]) of each month, write '\(parts[3])'")
  }

  @Test(arguments: [
    "cron: »'0 0 */2 * *' | 2 | 1 | 31", "cron: »'0 0 3/7 * *' | 7 | 3 | 31",
    "cron: »'0 0 2/2 * *' | 2 | 2 | 30", "cron: »'0 0 2/3 * *' | 3 | 2 | 29",
    "cron: »'0 0 */20 * *' | 20 | 1 | 21", "calendar: »'*-*-1/2' | 2 | 1 | 31",
  ])
  func `a step of days is a warning`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    try checkKeys(
      "warning suspicious | \(parts[0])\\nrun: echo => the step of \(parts[1]) days starts again in "
        + "each month: day \(parts[2]) follows day \(parts[3]); to run every \(parts[1]) days across "
        + "months, write '*' for the day of month and add "
        + "nth: {every: \(parts[1]), unit: days, starting: 2026-01-01}")
  }

  @Test(arguments: [
    "0 22-2/3 * * *", "50-10/15 3 * * *", "* 9-17 * * *", "* 22-3 * * *", "0-59 1,3 * * *",
    "* 9-12,14-17 * * *", "* * * * 1-5", "0 0 28-31 * *", "0 0 1-15/2 * *", "0 0 H/3 * *",
    "0 0 */2 1 *", "0 0 * * MON#4,MON#5", "0 0 L-27 * *", "0 0 30,L * *",
    "0 0 31 1,12 *", "0 0 30 6 *", "0 0 1,11,21 * *", "0 0 1,16 * *", "0 0 L * *", "0 0 15W * *",
  ])
  func `a cron expression that may well be meant is none`(text: String) {
    #expect(load("jobs: {a: {cron: '\(text)', run: echo}}\n").diagnostics == [])
  }

  @Test(arguments: [
    "calendar: '1,3:0..59'", "calendar: '9..17:*'", "calendar: '2096-02-29 03:*'",
    "calendar: '2096-02-29'", "calendar: 'Mon *-*-31'", "calendar: '*-*~1'",
    "calendar: '*-*-28..31'",
    "rrule: DTSTART:20990131T090000 RRULE:FREQ=MONTHLY;COUNT=3",
    "rrule: DTSTART:20260131T090000 RRULE:FREQ=MONTHLY;INTERVAL=12",
    "rrule: DTSTART:20260131T090000 RRULE:FREQ=MONTHLY;BYMONTHDAY=-1",
    "rrule: DTSTART:20260128T090000 RRULE:FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1",
  ])
  func `another expression that may well be meant is none`(keys: String) {
    #expect(load("jobs:\n  a:\n    \(keys)\n    run: echo\n").diagnostics == [])
  }

  @Test(arguments: ["only_on", "except"])
  func `a calendar that cannot be read leaves out no slots`(key: String) throws {
    try check(
      "error unreadable | calendars: {days: {file: »none.ics}}\n"
        + "jobs: {a: {cron: '0 9 * * *', \(key): days, run: echo}} => 'FOLDER/none.ics': there is no "
        + "such file; check the path; relative paths start at the folder of the jobs file")
  }

  @Test(arguments: [
    "error badValue | calendars: {days: {dates: [»2026-13-01]}} => 'dates' takes dates that exist, such "
      + "as 2026-12-25 or 2026-12-24..2027-01-02, not '2026-13-01' in 'days'; ",
    "error badValue | calendars: {days: {dates: »[]}} => the list of 'dates' is empty; "
      + "add an item, or remove 'dates'",
    "error unknownKey | calendars: {days: {»foo: 1}} => unknown key 'foo' in 'days'; "
      + "the keys of a calendar are 'dates', 'file', 'expressions'",
    "error unknownKey | calendars: {days: {»files: [a]}} => unknown key 'files' in 'days'; "
      + "did you mean 'file'?",
  ])
  func `a calendar with a mistake leaves out no slots`(row: String) throws {
    let jobs = "\njobs: {a: {cron: '0 9 * * *', only_on: days, run: echo}} => "
    try check(row.replacing(" => ", with: jobs))
  }
}
