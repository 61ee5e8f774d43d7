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
    for _ in 0..<30 { job.happen(after: .seconds(10)) }
    job.step(.seconds(-87_000))
    for _ in 0..<240 { job.happen(after: .seconds(10)) }
    // The moments come at which the clock had been far ahead.
    job.pass(.seconds(84_000))
    for _ in 0..<240 { job.happen(after: .seconds(10)) }
    #expect(job.repeated.isEmpty)
  }

  @Test func `slots stay in order when the clock is set back by less than a day`() {
    var job = EventJob()
    let first = job.happen(after: .seconds(60))
    job.step(.seconds(-80_000))
    #expect(job.happen(after: .seconds(60)) == first + .milliseconds(1))
  }

  @Test(arguments: [1, 30, 60 * 24 * 30])
  func `a slot has the present moment again when a clock that was far ahead is right`(
    minutes: Int
  ) {
    var job = EventJob()
    for _ in 0..<60 { job.happen(after: .seconds(60)) }
    job.step(.seconds(20 * 86_400))
    for _ in 0..<60 { job.happen(after: .seconds(minutes)) }
    job.step(.seconds(-20 * 86_400))
    for _ in 0..<60 {
      let nominal = job.happen(after: .seconds(60))
      #expect(nominal - job.now.wall < .milliseconds(8))
    }
    #expect(job.repeated.isEmpty)
  }

  @Test func `a delayed slot has the name of the instant at which it is due, whatever was named`() {
    var job = EventJob()
    for _ in 0..<3_000 { job.happen(after: .seconds(30)) }
    for _ in 0..<8 {
      job.step(.seconds(-72_000))
      let nominal = job.happen(after: .seconds(1), delay: .seconds(300))
      #expect(nominal - job.now.wall - .seconds(300) < .milliseconds(64))
      job.step(.seconds(72_000))
    }
    #expect(job.repeated.isEmpty)
  }

  @Test
  func `a machine that begins each life at one date names no slot twice in ten lives`() {
    var job = EventJob()
    for life in 1...30 {
      job.step(SchedulerWorld.wall - job.now.wall)
      for _ in 0..<(24 * (31 - life)) {
        let nominal = job.happen(after: .seconds(3_600))
        #expect(nominal - job.now.wall < .milliseconds(64))
      }
      #expect(life > 10 || job.repeated.isEmpty)
    }
  }

  @Test func `a job whose grid has taken every millisecond gets one behind them at once`() {
    let schedule = Schedule(every: Every(.milliseconds(1)))
    var now = Now(wall: SchedulerWorld.wall, monotonic: MonotonicInstant(nanoseconds: 1))
    var cursor = ScheduleCursor(schedule: schedule, at: now)
    cursor.decideAll(of: schedule, at: now)
    now.wall = now.wall - .seconds(30 * 86_400)
    #expect(cursor.nameInstant(schedule, at: now) == SchedulerWorld.wall + .milliseconds(1))
  }

  @Test(arguments: UInt64(0)..<40, [Grain.seconds, .milliseconds])
  func `no slot occurs twice, even if the clock is set`(seed: UInt64, grain: Grain) {
    var random = SplitMix64(seed: seed)
    var job = EventJob()
    var backSteps = 0
    for _ in 0..<400 {
      switch Int.random(in: 0...15, using: &random) {
      case 0...6: job.happen(after: grain.unit * Int.random(in: 0...grain.gap, using: &random))
      case 7: job.happen(after: .seconds(Int.random(in: 0...100_000, using: &random)))
      case 8...11:
        let delay = Int.random(in: 1...grain.delay, using: &random)
        job.happen(after: .zero, delay: grain.unit * delay)
      case 12: job.step(grain.steps.randomElement(using: &random) ?? .zero)
      case 13 where backSteps < 5 && random.oneIn(4):
        backSteps += 1
        let step = grain.steps.randomElement(using: &random) ?? .zero
        job.step(random.oneIn(4) ? SchedulerWorld.wall - job.now.wall : .zero - step)
      default: job.restart()
      }
    }
    #expect(job.repeated.isEmpty)
  }

  @Test func `a delayed slot that has passed is not named again after a restart`() {
    var job = EventJob()
    job.happen(after: .zero)
    for _ in 0..<70 { job.happen(after: .seconds(1), delay: .seconds(300)) }
    job.restart()
    job.pass(.seconds(231))
    for _ in 0..<100 { job.happen(after: .seconds(1)) }
    #expect(job.repeated.isEmpty)
  }

  @Test func `the last slot of an earlier version is the end of the first pass`() throws {
    let last = ScheduleInstant(SchedulerWorld.wall)
    // Also where the rest cannot be read.
    for text in ["", "||", "||-", "||x"] {
      var moments = try #require(CursorMemory(text: "||\(last.milliseconds)\(text)")).moments
      #expect(moments.last == last)
      // Far ahead, and back to a quarter of an hour before the last slot.
      moments.name(moments.present(at: last + 100_000_000))
      #expect(moments.present(at: last - 900_000) == last - 900_000 + 6)
    }
  }

  @Test(arguments: [
    "||9223372036854775807", "||-9223372036854775808||0 0", "||x||y z -", "||5|| 7 -1 - - 3",
    "||5||9223372036854775807 -9223372036854775808 9223372036854", "||||||||", "||1|| ",
    "||10||1 2 3 4 5 6 7 8 9 10 11 12",
    "||10||9223372036854775807 9 9 9 9 9 9 9 9 9223372036854775807",
    "|||1 4503599627370495 -4503599627370495|2",
  ])
  func `what no clock has written is read as far as it can be`(text: String) throws {
    var state = EventJob().cursor.state
    state = CursorState(
      clockReading: state.clockReading, clockInstant: state.clockInstant, anchor: state.anchor,
      clockMark: state.clockMark, wallMark: state.wallMark, ahead: text)
    var job = EventJob(state)
    for _ in 0..<100 {
      job.happen(after: .seconds(1))
      job.happen(after: .seconds(1), delay: .seconds(1))
    }
    job.restart()
    for _ in 0..<100 { job.happen(after: .seconds(1)) }
    #expect(job.repeated.isEmpty)
  }

  /// The grain of a job's story: in whole seconds, its moments do come again; in milliseconds,
  /// they are side by side.
  enum Grain {
    case seconds, milliseconds

    var unit: Duration { self == .seconds ? .seconds(1) : .milliseconds(1) }
    var gap: Int { self == .seconds ? 20 : 3 }
    var delay: Int { self == .seconds ? 900 : 9 }

    var steps: [Duration] {
      let all: [Duration] =
        [3_600, 7_200, 86_399, 86_400, 86_401, 604_800, 31_536_000].map { .seconds($0) }
      return all + [1, 2, 3, 5, 10, 600].map { unit * $0 }
    }
  }
}

/// A job whose slots are made by events, under a clock that is set.
private struct EventJob {
  private(set) var now = Now(
    wall: SchedulerWorld.wall, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000))
  private(set) var repeated: [WallInstant] = []
  private(set) var cursor: ScheduleCursor
  private let schedule = Schedule()
  private var named: Set<WallInstant> = []

  init() { cursor = ScheduleCursor(schedule: schedule, at: now) }

  init(_ state: CursorState) {
    self.init()
    cursor = ScheduleCursor(state, isSameBoot: true, at: now)
  }

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

  /// The daemon ends, and the next one reads the ledger.
  mutating func restart() { cursor = ScheduleCursor(cursor.state, isSameBoot: true, at: now) }
}
