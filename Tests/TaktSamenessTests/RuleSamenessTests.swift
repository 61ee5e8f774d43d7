import FormerCore
import TaktCore
import TaktTesting
import TaktTime
import Testing

/// Cron and calendar rules, and what is foreseen of whole schedules, in both cores.
@Suite struct RuleSamenessTests {
  @Test(arguments: UInt64(0)..<400)
  func `a rule has the same instants in both cores`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let rule = StormTimings.rule(&random)
    let former = rule.former
    var instant = StormTimings.start(&random)
    #expect(rule.text == former.text)
    for _ in 0..<60 {
      let (next, formerNext) = (rule.next(after: instant), former.next(after: instant))
      #expect(next == formerNext, "\(rule.text) in \(rule.zone.name) after \(instant.rfc3339())")
      guard let next, next == formerNext else { return }
      instant =
        random.oneIn(5) ? next + .seconds(Int.random(in: 0...9_000_000, using: &random)) : next
    }
    let changes = rule.clockChanges(after: instant)
    let formerChanges = former.clockChanges(after: instant)
    #expect(changes.map(\.at) == formerChanges.map(\.at))
    #expect(changes.map(\.time) == formerChanges.map(\.time))
    #expect(changes.map(\.slots) == formerChanges.map(\.slots))
  }

  @Test(arguments: UInt64(0)..<200)
  func `the slots to come are the same in both cores`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var now = Now(
      wall: StormTimings.start(&random), monotonic: MonotonicInstant(nanoseconds: 7_000_000_000))
    now.wall = now.wall + .microseconds(Int.random(in: 0...999_999, using: &random))
    let specs = StormSpecs(isSlow: !random.oneIn(4)).snapshot(of: 3, at: now, &random).jobs
    for spec in specs where spec.timing.schedule.exclusions.isEmpty {
      let slots = TaktCore.SlotPreview.slots(of: spec, startingAt: now, count: 30)
      let former = FormerCore.SlotPreview.slots(of: spec.former, startingAt: now, count: 30)
      let isSame = slots.former == former
      #expect(isSame, "\(spec.timing.schedule.summary): \(slots.map(\.nominal)), \(former)")
      #expect(spec.timing.schedule.summary == spec.former.timing.schedule.summary)
    }
  }

  @Test(arguments: UInt64(0)..<60)
  func `the slots to come without excluded days are the same in both cores`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let now = Now(
      wall: StormTimings.start(&random), monotonic: MonotonicInstant(nanoseconds: 7_000_000_000))
    var schedule = TaktCore.Schedule(
      every: TaktCore.Every(.seconds(60) * Int.random(in: 100...900, using: &random)))
    schedule.exclusions = [StormTimings.exclusion(&random)]
    let name = TaktCore.JobName("a")
    let spec = TaktCore.JobSpec(
      name: try #require(name), timing: TaktCore.Timing(schedule: schedule),
      action: .argv(["true"]))
    let slots = TaktCore.SlotPreview.slots(of: spec, startingAt: now, count: 30)
    let former = FormerCore.SlotPreview.slots(of: spec.former, startingAt: now, count: 30)
    #expect(slots.former == former)
  }
}
