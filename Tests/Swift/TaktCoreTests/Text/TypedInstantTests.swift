import Foundation
import TaktTime
import Testing

/// Instants as people type them.
@Suite struct TypedInstantTests {
  /// 2026-12-24T18:00:00+01:00, a Thursday.
  private static let now = WallInstant(milliseconds: 1_798_131_600_000)
  private static let zone = Zone(name: "X", initialOffsetSeconds: 3600)

  /// `text | preference | instant`
  @Test(arguments: [
    "2026-12-20T06:00 | today | 2026-12-20T06:00:00.000+01:00",
    "2026-12-20 06:00:05 | today | 2026-12-20T06:00:05.000+01:00",
    "2026-12-20T06:00:05.250Z | today | 2026-12-20T07:00:05.250+01:00",
    "2026-12-20T06:00-05:00 | today | 2026-12-20T12:00:00.000+01:00",
    "17:00 | today | 2026-12-24T17:00:00.000+01:00",
    "17:00 | past | 2026-12-24T17:00:00.000+01:00",
    "17:00 | future | 2026-12-25T17:00:00.000+01:00",
    "19:30 | today | 2026-12-24T19:30:00.000+01:00",
    "19:30 | past | 2026-12-23T19:30:00.000+01:00",
    "19:30 | future | 2026-12-24T19:30:00.000+01:00",
    "18:00 | past | 2026-12-24T18:00:00.000+01:00",
    "18:00 | future | 2026-12-25T18:00:00.000+01:00",
    "6:05 | today | 2026-12-24T06:05:00.000+01:00",
    "06:00:07 | today | 2026-12-24T06:00:07.000+01:00",
    "tomorrow 06:00 | past | 2026-12-25T06:00:00.000+01:00",
    "Tomorrow 6:00 | past | 2026-12-25T06:00:00.000+01:00",
    "yesterday 23:59 | future | 2026-12-23T23:59:00.000+01:00",
    "today 06:00 | future | 2026-12-24T06:00:00.000+01:00",
    "now | past | 2026-12-24T18:00:00.000+01:00",
    "monday 02:30 | past | 2026-12-21T02:30:00.000+01:00",
    "Mon 2:30 | future | 2026-12-28T02:30:00.000+01:00",
    "thursday 17:00 | past | 2026-12-24T17:00:00.000+01:00",
    "thursday 19:00 | past | 2026-12-17T19:00:00.000+01:00",
    "thursday 17:00 | future | 2026-12-31T17:00:00.000+01:00",
    "friday 06:00 | today | 2026-12-18T06:00:00.000+01:00",
  ])
  func `an instant is read in the zone`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    let instant = try TypedInstant.read(
      parts[0], at: Self.now, in: Self.zone,
      preferring: parts[1] == "past" ? .past : parts[1] == "future" ? .future : .today)
    #expect(instant.rfc3339(in: Self.zone) == parts[2])
  }

  @Test(
    arguments: [
      ("tomorrow", .bareDate), ("2026-12-24", .bareDate), ("25:00", .noSuchTime),
      ("12:60", .noSuchTime),
      ("2026-02-30T06:00", .noSuchTime), ("soon", .form), ("", .form), ("6", .form),
      ("6 pm", .form),
      ("tomorrow 06:00 sharp", .form), ("last night", .bareDate), ("last day", .form),
      ("monday", .bareDate), ("someday 06:00", .form), ("1969-01-01T00:00", .outOfRange),
    ] as [(String, InstantText.Problem)])
  func `a text that is no instant is refused`(text: String, problem: InstantText.Problem) {
    #expect(throws: problem) {
      try TypedInstant.read(text, at: Self.now, in: Self.zone, preferring: .today)
    }
  }
}

@Suite struct TypedPeriodTests {
  /// 2026-12-24T18:00:00+01:00, a Thursday.
  private static let now = WallInstant(milliseconds: 1_798_131_600_000)
  private static let zone = Zone(name: "X", initialOffsetSeconds: 3600)

  /// `text | preference | first | end`
  @Test(arguments: [
    "yesterday | past | 2026-12-23T00:00:00.000+01:00 | 2026-12-24T00:00:00.000+01:00",
    "last night | past | 2026-12-23T18:00:00.000+01:00 | 2026-12-24T06:00:00.000+01:00",
    "Last  Night | past | 2026-12-23T18:00:00.000+01:00 | 2026-12-24T06:00:00.000+01:00",
    "monday | past | 2026-12-21T00:00:00.000+01:00 | 2026-12-22T00:00:00.000+01:00",
    "thursday | past | 2026-12-24T00:00:00.000+01:00 | 2026-12-25T00:00:00.000+01:00",
    "sunday | future | 2026-12-27T00:00:00.000+01:00 | 2026-12-28T00:00:00.000+01:00",
    "tomorrow | past | 2026-12-25T00:00:00.000+01:00 | 2026-12-26T00:00:00.000+01:00",
    "2026-12-01 | past | 2026-12-01T00:00:00.000+01:00 | 2026-12-02T00:00:00.000+01:00",
    "2026-12-31 | past | 2026-12-31T00:00:00.000+01:00 | 2027-01-01T00:00:00.000+01:00",
    "17:00 | past | 2026-12-24T17:00:00.000+01:00 | 2026-12-24T17:01:00.000+01:00",
    "17:00:05 | past | 2026-12-24T17:00:05.000+01:00 | 2026-12-24T17:00:06.000+01:00",
    "2026-12-24T16:00:05.250Z | past | 2026-12-24T17:00:05.250+01:00 | 2026-12-24T17:00:05.251+01:00",
    "2026-12-24T17:00:05-03:30 | past | 2026-12-24T21:30:05.000+01:00 | 2026-12-24T21:30:06.000+01:00",
    "now | past | 2026-12-24T18:00:00.000+01:00 | 2026-12-24T18:01:00.000+01:00",
    "monday 02:30 | past | 2026-12-21T02:30:00.000+01:00 | 2026-12-21T02:31:00.000+01:00",
  ])
  func `a text names a day, a night, or as much time as it was typed with`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    let period = try TypedPeriod(
      parts[0], at: Self.now, in: Self.zone, preferring: parts[1] == "past" ? .past : .future)
    #expect(period.first.rfc3339(in: Self.zone) == parts[2])
    #expect(period.end.rfc3339(in: Self.zone) == parts[3])
  }
}

@Suite struct BriefDurationTests {
  @Test(arguments: [
    "0 | 0 µs", "412000 | 412 µs", "999499 | 999 µs", "999500 | 1 ms", "3240000 | 3.2 ms",
    "318400000 | 318 ms", "999940000 | 999 ms", "999950000 | 1 s", "1000000000 | 1 s",
    "46458505000 | 46.5 s", "59949000000 | 59.9 s", "59950000000 | 1m", "63000000000 | 1m 03s",
    "300000000000 | 5m", "3599600000000 | 1h", "7620000000000 | 2h 07m", "273600000000000 | 3d 04h",
    "-1500000000 | -1.5 s",
  ])
  func `a length of time has one unit or two`(row: String) throws {
    let parts = row.components(separatedBy: " | ")
    #expect(DurationText.brief(.nanoseconds(try #require(Int64(parts[0])))) == parts[1])
  }
}
