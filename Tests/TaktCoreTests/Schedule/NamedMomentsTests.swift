import TaktTesting
import TaktTime
import Testing

@testable import TaktCore

@Suite struct NamedMomentsTests {
  @Test func `a clock that was ahead twice brings no slot again`() {
    var job = EventJob()
    // Ten minutes ahead, then a day more, then right again.
    job.step(.seconds(600))
    for _ in 0..<60 { job.happen(after: .seconds(10)) }
    job.step(.seconds(86_400))
    for _ in 0..<60 { job.happen(after: .seconds(10)) }
    job.step(.seconds(-87_000))
    for _ in 0..<240 { job.happen(after: .seconds(10)) }
    #expect(job.repeated.isEmpty)
    // A day later the moments come at which the clock had been far ahead.
    job.pass(.seconds(85_200 - 600))
    for _ in 0..<240 { job.happen(after: .seconds(10)) }
    #expect(job.repeated.isEmpty)
  }

  @Test func `slots stay in order when the clock is set back by less than a day`() {
    var job = EventJob()
    let first = job.happen(after: .seconds(60))
    job.step(.seconds(-80_000))
    #expect(job.happen(after: .seconds(60)) == first + .milliseconds(1))
  }

  @Test func `a slot has the present moment again when a clock that was far ahead is right`() {
    var job = EventJob()
    job.happen(after: .seconds(60))
    job.step(.seconds(400 * 86_400))
    job.happen(after: .seconds(60))
    job.step(.seconds(-400 * 86_400))
    #expect(job.happen(after: .seconds(60)) == job.now.wall)
  }

  @Test(arguments: UInt64(0)..<200)
  func `whatever a clock does, no slot comes twice`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var job = EventJob()
    // In whole seconds, so that moments do come again.
    let steps = [1, 10, 600, 3_600, 7_200, 86_399, 86_400, 86_401, 604_800, 31_536_000]
    for _ in 0..<400 {
      switch Int.random(in: 0...15, using: &random) {
      case 0...8: job.happen(after: .seconds(Int.random(in: 0...20, using: &random)))
      case 9: job.happen(after: .seconds(Int.random(in: 0...100_000, using: &random)))
      case 10, 11:
        job.happen(after: .zero, delay: .seconds(Int.random(in: 1...900, using: &random)))
      case 12, 13:
        let step = steps.randomElement(using: &random) ?? 0
        job.step(.seconds(random.oneIn(2) ? step : -step))
      case 14: job.step(SchedulerWorld.wall - job.now.wall)
      default: job.restart()
      }
    }
    #expect(job.repeated.isEmpty)
  }

  @Test func `slots of an earlier version are not named again`() throws {
    var job = EventJob()
    let last = ScheduleInstant(job.now.wall)
    let memory = try #require(CursorMemory(text: "||\(last.milliseconds)"))
    #expect(memory.moments.last == last)
    // Far ahead, and back to a quarter of an hour before the last slot.
    var moments = memory.moments
    moments.name(moments.present(at: last + 100_000_000))
    #expect(moments.present(at: last - 900_000) == last + 1)
    #expect(CursorMemory(text: memory.text) == memory)
    job.restart()
  }

  @Test(arguments: [
    "||9223372036854775807|", "||-9223372036854775808||0+0", "||x||y+z", "||5||5+-1 7+",
    "||5|| 9223372036854775807+1 4503599627370495+4503599627370495", "||||||||", "||1||+ + +",
    "||10||8+2 1+3 9+9 8+2",
  ])
  func `what no clock has written is read as far as it can be`(text: String) {
    var moments = CursorMemory(text: text)?.moments ?? NamedMoments()
    for instant in [0, 5, 10, 2_000_000_000_000] as [ScheduleInstant] {
      let free = moments.present(at: instant)
      #expect(free >= instant)
      moments.name(free)
      #expect(moments.free(from: free) == free + 1)
    }
  }
}

/// A job whose slots are made by what happens, under a clock that is set.
private struct EventJob {
  private(set) var now = Now(
    wall: SchedulerWorld.wall, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000))
  private(set) var repeated: [WallInstant] = []
  private let schedule = Schedule()
  private var cursor: ScheduleCursor
  private var named: Set<WallInstant> = []

  init() { cursor = ScheduleCursor(schedule: schedule, at: now) }

  mutating func pass(_ duration: Duration) {
    now = Now(wall: now.wall + duration, monotonic: now.monotonic + duration)
  }

  mutating func step(_ duration: Duration) { now.wall = now.wall + duration }

  @discardableResult
  mutating func happen(after duration: Duration, delay: Duration = .zero) -> WallInstant {
    pass(duration)
    let nominal = cursor.nameInstant(schedule, ahead: delay, at: now)
    if !named.insert(nominal).inserted { repeated.append(nominal) }
    return nominal
  }

  /// The daemon ends, and the next one reads what was kept.
  mutating func restart() { cursor = ScheduleCursor(cursor.state, isSameBoot: true, at: now) }
}
