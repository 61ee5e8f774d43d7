import TaktCore
import TaktEngine
import TaktTime

@testable import TaktTesting

/// Timings of minutes, hours and days, in zones whose clocks change.
enum StormTimings {
  static let zones: [Zone] =
    [
      "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Europe/Dublin", "Asia/Kathmandu",
    ].compactMap { ZoneFiles().zone(named: $0) } + [.utc]

  /// Some hours before the clocks of one of the zones change, in 2025 to 2027.
  static func start(_ random: inout SplitMix64) -> WallInstant {
    let zone = zones.randomElement(using: &random) ?? .utc
    let from = WallInstant(
      milliseconds: 1_740_000_000_000 + Int64.random(in: 0...60_000_000, using: &random) * 1000)
    guard !random.oneIn(4), let change = zone.nextChange(after: from) else { return from }
    return change - .seconds(Int.random(in: 0...200_000, using: &random))
  }

  /// The triggers of a job of the simulation, a thousand times as slow.
  static func timing(of spec: JobSpec, at now: Now, _ random: inout SplitMix64) -> Timing {
    var timing = spec.timing
    var schedule = timing.schedule
    let minutes = Duration.seconds(60)
    if var every = schedule.every {
      every.interval = minutes * Int.random(in: 5...600, using: &random)
      every.first = every.first.map { _ in minutes * Int.random(in: 0...100, using: &random) }
      schedule.every = every
    }
    if !schedule.rules.isEmpty || random.oneIn(6) {
      schedule.rules = (0..<Int.random(in: 1...2, using: &random)).map { _ in rule(&random) }
    }
    let instants = schedule.at.map { _ in
      WallInstant(
        milliseconds: now.wall.milliseconds + Int64.random(in: -300...6000, using: &random) * 60_000
      )
    }
    schedule.at = Set(instants).sorted()
    schedule.notBefore = schedule.notBefore.map { _ in
      WallInstant(
        milliseconds: now.wall.milliseconds + Int64.random(in: -9...90, using: &random) * 1_000_000)
    }
    schedule.until = schedule.until.map { _ in
      WallInstant(
        milliseconds: now.wall.milliseconds + Int64.random(in: 0...900, using: &random) * 1_000_000)
    }
    schedule.at = schedule.at.filter(schedule.isWithinBounds)
    schedule.exclusions = random.oneIn(3) ? [exclusion(&random)] : []
    timing.schedule = schedule
    if timing.leeway != .none, random.oneIn(2) {
      timing.leeway = .duration(minutes * Int.random(in: 0...40, using: &random))
    }
    if timing.jitter > .zero { timing.jitter = minutes * Int.random(in: 1...20, using: &random) }
    if let spread = timing.spread {
      timing.spread = Spread(
        over: minutes * Int.random(in: 1...100, using: &random), seed: spread.seed)
    }
    return timing
  }

  static func exclusion(_ random: inout SplitMix64) -> Exclusion {
    let texts = ["Sat,Sun", "*-*-1..7", "12..13:*:*", "*:0..29:*", "2..3:*:*", "Mon *-*-* 8:*:*"]
    let zone = zones.randomElement(using: &random) ?? .utc
    let text = texts.randomElement(using: &random) ?? "Sat"
    guard let expression = try? CalendarExpression(text) else { preconditionFailure(text) }
    return Exclusion(
      expression, isWholeDays: Exclusion.namesWholeDays(text, expression), zone: zone)
  }

  // MARK: Rules

  static func rule(_ random: inout SplitMix64) -> ClockRule {
    let zone = zones.randomElement(using: &random) ?? .utc
    let dst = DSTPolicy(
      gap: random.oneIn(2) ? .runAfter : .skip,
      overlap: DSTPolicy.Overlap.allCases.randomElement(using: &random) ?? .first)
    if random.oneIn(2) {
      let text = cron(&random)
      guard let cron = try? CronExpression(text, seed: "storm") else { preconditionFailure(text) }
      return ClockRule(.cron(cron, days: random.oneIn(2) ? .any : .all), zone: zone, dst: dst)
    }
    let text = calendar(&random)
    guard let calendar = try? CalendarExpression(text) else { preconditionFailure(text) }
    return ClockRule(.calendar(calendar), zone: zone, dst: dst)
  }

  private static func one(_ texts: [String], _ random: inout SplitMix64) -> String {
    texts.randomElement(using: &random) ?? "*"
  }

  private static func cron(_ random: inout SplitMix64) -> String {
    let minute = one(["0", "30", "*/7", "5,50", "H", "0-20/5", "*/30", "59"], &random)
    let hour = one(["*", "2", "1-3", "0,12,23", "*/5", "H", "3"], &random)
    let day = one(
      ["*", "*", "*", "1-15", "L", "15W", "1W", "31W", "LW", "31", "L-3", "*/2"], &random)
    let month = one(["*", "*", "*", "3,10,11", "*/2", "1-6"], &random)
    let weekday = one(["*", "*", "*", "SUN", "MON-FRI", "7#1", "5L", "1,3"], &random)
    let text = "\(minute) \(hour) \(day) \(month) \(weekday)"
    return random.oneIn(4) ? "\(one(["0", "15,45", "*/20"], &random)) \(text)" : text
  }

  private static func calendar(_ random: inout SplitMix64) -> String {
    let weekday = one(["", "", "", "Sun ", "Mon..Fri ", "Sat,Sun "], &random)
    let date = one(
      ["*-*-*", "*-*-*", "*-*-*", "*-*-1..15", "*-3,10,11-*", "*-*~3", "*-*-2/3", "2026-*-*"],
      &random)
    let time = one(
      ["02:30", "*:0/7", "1..3:15:30", "00:00", "0/5:45", "*:*:0", "2:0/20", "23:59:59.5"],
      &random)
    return "\(weekday)\(date) \(time)"
  }
}
