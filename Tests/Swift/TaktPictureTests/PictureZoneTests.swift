import TaktTime
import Testing

@testable import TaktPicture

@Suite struct PictureZoneTests {
  static let hourMs: Int64 = 3_600_000
  /// 2026-03-29T01:00Z and 2026-10-25T01:00Z, when Berlin changes its clocks.
  static let spring: Int64 = 1_774_746_000_000
  static let autumn: Int64 = 1_792_890_000_000

  static func ticks(
    around change: Int64, before: Int, after: Int, hours: Int64 = 2, step: PictureStep
  ) throws -> [String] {
    let scale = try #require(
      PictureScale(
        from: change - hours * hourMs, to: change + hours * hourMs, left: 0, columns: 1_000))
    let zone = PictureZone(
      Zone(
        name: "here", initialOffsetSeconds: before,
        transitions: [Zone.Transition(start: change / 1000, offsetSeconds: after)]),
      over: scale)
    return zone.ticks(of: step).map { zone.date($0).minuteText }
  }

  @Test func `the hour that spring leaves out has no tick`() throws {
    let ticks = try Self.ticks(
      around: Self.spring, before: 3_600, after: 7_200, step: .milliseconds(Self.hourMs))
    #expect(ticks == ["00:00", "01:00", "03:00", "04:00", "05:00"])
  }

  @Test func `the hour that autumn repeats has two`() throws {
    let ticks = try Self.ticks(
      around: Self.autumn, before: 7_200, after: 3_600, step: .milliseconds(Self.hourMs))
    #expect(ticks == ["01:00", "02:00", "02:00", "03:00", "04:00"])
  }

  @Test func `coarse ticks stay at round local times across a change`() throws {
    let ticks = try Self.ticks(
      around: Self.spring, before: 3_600, after: 7_200, hours: 12,
      step: .milliseconds(6 * Self.hourMs))
    #expect(ticks == ["18:00", "00:00", "06:00", "12:00"])
  }

  @Test func `an offset of half an hour moves the ticks`() throws {
    let scale = try #require(PictureScale(from: 0, to: 2 * Self.hourMs, left: 0, columns: 100))
    let zone = PictureZone(Zone(name: "here", initialOffsetSeconds: 19_800), over: scale)
    #expect(zone.ticks(of: .milliseconds(Self.hourMs)) == [Self.hourMs / 2, 3 * Self.hourMs / 2])
    #expect(zone.offsetsText == "UTC+5:30")
  }

  @Test(arguments: [
    (Int64(0), "Thu 1 Jan 1970 00:00"), (-1, "Wed 31 Dec 1969 23:59:59.999"),
    (951_782_400_000, "Tue 29 Feb 2000 00:00"), (1_774_746_005_000, "Sun 29 Mar 2026 01:00:05"),
    (PictureScale.earliestMs, "Mon 1 Jan 1 00:00"),
    (PictureScale.latestMs, "Fri 31 Dec 9999 23:59:59.999"),
  ])
  func `dates are those of the calendar`(ms: Int64, text: String) {
    #expect(CivilTime(localMs: ms).fullText == text)
  }

  @Test(arguments: PictureStep.ladder)
  func `a step begins where its index begins`(step: PictureStep) {
    for localMs: Int64 in [-62_135_596_800_000, -1, 0, 1, 1_774_746_000_000] {
      let index = step.index(ofLocal: localMs)
      #expect(step.start(ofIndex: index) <= localMs)
      #expect(step.start(ofIndex: index + 1) > localMs)
      #expect(step.index(ofLocal: step.start(ofIndex: index)) == index)
    }
  }

  static let dayMs = 24 * hourMs
  static let finest: [(spanMs: Int64, step: PictureStep)] = [
    (10, .milliseconds(1)),
    (60_000, .milliseconds(5_000)),
    (hourMs, .milliseconds(300_000)),
    (dayMs, .milliseconds(2 * hourMs)),
    (30 * dayMs, .days(1)),
    (90 * dayMs, .days(7)),
    (730 * dayMs, .months(1)),
    (9_000 * dayMs, .months(24)),
  ]

  @Test(arguments: finest)
  func `ticks are as fine as can be read`(spanMs: Int64, step: PictureStep) throws {
    let scale = try #require(PictureScale(from: 0, to: spanMs, left: 0, columns: 960))
    #expect(PictureStep.finest(for: scale) == step)
  }

  @Test(arguments: [
    (Int64(0), "0s"), (7, "7ms"), (1_500, "1s 500ms"), (21_951, "22s"), (90_000, "1m 30s"),
    (86_400_000, "1d"), (93_600_000, "1d 2h"),
  ])
  func `lengths are shown in two units`(ms: Int64, text: String) {
    #expect(PictureText.duration(ms) == text)
  }
}
