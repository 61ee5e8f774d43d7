import TaktTime
import Testing

@testable import TaktCore

/// Past and future slots of all jobs.
@Suite struct AgendaTests {
  /// 2026-03-28T12:00:00Z, the day before clocks in Berlin go forward.
  private static let wall = WallInstant(milliseconds: 1_774_699_200_000)
  private static let now = Now(wall: wall, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000))
  private static let berlin = Zone(
    name: "Europe/Berlin", initialOffsetSeconds: 3600,
    transitions: [
      Zone.Transition(start: 1_774_746_000, offsetSeconds: 7200, isDaylight: true),
      Zone.Transition(start: 1_792_890_000, offsetSeconds: 3600),
    ])

  private static func at(_ text: String) throws -> WallInstant {
    try #require(try InstantText(text).instant)
  }

  private static func job(
    _ name: String, _ cron: String, zone: Zone = .utc, expected: Duration? = nil,
    mean: Duration? = nil, _ change: (inout JobSpec) throws -> Void = { _ in }
  ) throws -> AgendaJob {
    let rule = ClockRule(.cron(try CronExpression(cron), days: .cron), zone: zone, dst: .cron)
    var spec = JobSpec(
      name: try #require(JobName(name)), timing: Timing(schedule: Schedule(rules: [rule])),
      action: .shell("true"))
    spec.expectedDuration = expected
    try change(&spec)
    return AgendaJob(spec, after: nil, at: now, mean: mean)
  }

  private static func range(hours: Int = 24, zone: Zone = .utc) -> Agenda.Range {
    Agenda.Range(
      from: wall - .seconds(18 * 3600), now: wall, to: wall + .seconds(hours * 3600), zone: zone)
  }

  private static func past(
    _ name: String, _ hoursAgo: Int, _ verdict: Verdict = .ran, _ outcome: Outcome? = nil
  ) throws -> DecidedSlot {
    let slot = wall - .seconds(hoursAgo * 3600)
    return DecidedSlot(
      record: VerdictRecord(
        job: try #require(JobName(name)), slots: SlotSeries(slot), verdict: verdict, at: slot,
        run: verdict == .ran ? RunID(UInt64(hoursAgo)) : nil), outcome: outcome)
  }

  private static func shown(_ entries: [Agenda.Entry]) -> [String] {
    entries.map { entry in
      let what = entry.verdict.map { $0 == .ran ? entry.outcome?.rawValue ?? "active" : $0.name }
      return "\(entry.job) \(entry.due.rfc3339()) \(what ?? "to come") \(entry.slots.count)"
    }
  }

  @Test func `slots of last night and of the next day are in the order of time`() throws {
    let agenda = Agenda(
      Self.range(), of: [try Self.job("b", "0 6 * * *"), try Self.job("a", "0 3,18 * * *")],
      past: [
        try Self.past("a", 6, .ran, .failed), try Self.past("b", 12, .missed(.down)),
        try Self.past("a", 1, .ran),
      ], limit: 10)
    #expect(
      Self.shown(agenda.entries) == [
        "b 2026-03-28T00:00:00.000Z missed 1", "a 2026-03-28T06:00:00.000Z failed 1",
        "a 2026-03-28T11:00:00.000Z active 1", "a 2026-03-28T18:00:00.000Z to come 1",
        "a 2026-03-29T03:00:00.000Z to come 1", "b 2026-03-29T06:00:00.000Z to come 1",
      ])
    #expect(agenda.crowds.isEmpty && agenda.moves.isEmpty && agenda.foreseenUntil == nil)
  }

  @Test func `a job with many slots has one entry, and what went wrong has its own`() throws {
    var past = try (1...40).map { try Self.past("often", $0 % 18, .ran, .succeeded) }
    past.append(try Self.past("often", 5, .skipped(.overlap)))
    let agenda = Agenda(
      Self.range(), of: [try Self.job("often", "* * * * *")], past: past, limit: 10)
    #expect(agenda.entries.map(\.slots.count) == [40, 1, 1439])
    #expect(agenda.entries[1].verdict == .skipped(.overlap))
  }

  @Test func `jobs that are expected to run at once are a crowd`() throws {
    let agenda = Agenda(
      Self.range(),
      of: [
        try Self.job("backup", "0 2 * * *", expected: .seconds(3600), mean: .seconds(5)),
        try Self.job("report", "30 2 * * *", mean: .seconds(60)),
        try Self.job("unknown", "30 2 * * *"), try Self.job("alone", "0 5 * * *"),
      ], past: [], limit: 10)
    let crowd = try #require(agenda.crowds.first)
    #expect(agenda.crowds.count == 1 && crowd.peak == 3)
    #expect(crowd.from == (try Self.at("2026-03-29T02:30:00Z")) && crowd.peakAt == crowd.from)
    #expect(crowd.to == (try Self.at("2026-03-29T02:31:00Z")))
    #expect(crowd.jobs.map(\.text) == ["backup", "report", "unknown"])
    #expect(agenda.entries.map(\.atOnce) == [1, 3, 3, 1])
  }

  @Test func `runs of one job that touch are no crowd`() throws {
    let agenda = Agenda(
      Self.range(), of: [try Self.job("slow", "*/10 * * * *", expected: .seconds(3600))], past: [],
      limit: 10)
    #expect(agenda.crowds.isEmpty)
  }

  @Test func `what a calendar leaves out and a clock change skips is said`() throws {
    let sunday = try CalendarExpression("Sun")
    let agenda = Agenda(
      Self.range(zone: Self.berlin),
      of: [
        try Self.job("night", "30 2 * * *", zone: Self.berlin),
        try Self.job("workday", "0 8 * * *") {
          $0.timing.schedule.exclusions = [Exclusion(sunday, isWholeDays: true, zone: .utc)]
        },
      ], past: [], limit: 10)
    #expect(agenda.moves.map(\.kind) == [.clock, .excluded])
    #expect(agenda.moves[0].words.contains("02:30 does not exist"), "\(agenda.moves)")
    #expect(agenda.moves[1].at == (try Self.at("2026-03-29T08:00:00Z")))
    #expect(agenda.moves[1].words.hasPrefix("left out: "))
    // The slot that is left out is no entry; the one that the clocks skip comes right after.
    #expect(Self.shown(agenda.entries) == ["night 2026-03-29T01:00:00.000Z to come 1"])
  }

  @Test func `thousands of jobs stay bounded, and what is left out is counted`() throws {
    let jobs = try (0..<2000).map { try Self.job("job-\($0)", "* * * * *") }
    let agenda = Agenda(
      Self.range(), of: jobs, past: [], limit: 100, slotsMax: 4000)
    #expect(agenda.entries.count == 100 && agenda.later == 1900)
    #expect(agenda.foreseenUntil.map { $0 < Self.range().to } == true)
    let crowd = try #require(agenda.crowds.first)
    #expect(crowd.peak == 2000 && crowd.jobs.count == Agenda.Crowd.jobsMax)
  }

  @Test func `a range that begins later shows only its own slots`() throws {
    var range = Self.range(hours: 48)
    range.from = Self.wall + .seconds(24 * 3600)
    let agenda = Agenda(range, of: [try Self.job("a", "0 3 * * *")], past: [], limit: 10)
    #expect(Self.shown(agenda.entries) == ["a 2026-03-30T03:00:00.000Z to come 1"])
  }

  @Test func `an agenda that begins in the future has the slots of its range`() throws {
    let start = Self.wall + .seconds(12 * 86_400)
    let range = Agenda.Range(
      from: start, now: Self.wall, to: start + .seconds(86_400), zone: .utc)
    let counted = try Self.job("counted", "0 * * * *") { $0.timing.schedule.limit = 300 }
    let often = try Self.job("often", "* * * * *")
    let agenda = Agenda(range, of: [often, counted], past: [], limit: 100)
    let counts = Dictionary(grouping: agenda.entries, by: \.job.text).mapValues {
      $0.reduce(0) { $0 + $1.slots.count }
    }
    // 287 of the 300 are before it, or 288 where now is one of them.
    #expect(counts["often"] == 1440)
    #expect([12, 13].contains(counts["counted"]))
    #expect(agenda.entries.allSatisfy { $0.due >= start } && agenda.foreseenUntil == nil)
  }

  @Test func `slots that are left out are looked at only so far, and only in the range`() throws {
    let start = Self.wall + .seconds(2 * 86_400)
    let range = Agenda.Range(from: start, now: Self.wall, to: start + .seconds(86_400), zone: .utc)
    let always = try CalendarExpression("*:*:00")
    let job = try Self.job("never", "* * * * *") {
      $0.timing.schedule.exclusions = [Exclusion(always, isWholeDays: false, zone: .utc)]
    }
    let agenda = Agenda(range, of: [job], past: [], limit: 10, slotsMax: 50)
    #expect(agenda.entries.isEmpty)
    #expect(try #require(agenda.foreseenUntil) < range.to)
    #expect(agenda.moves.allSatisfy { $0.at >= start } && agenda.moves.count == 1)
  }
}
