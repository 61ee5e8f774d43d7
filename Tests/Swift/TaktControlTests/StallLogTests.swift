import TaktCore
import TaktTime
import Testing

@testable import TaktControl

/// The times of stalls, as far as takt can know them without a wake of its own.
struct StallLogTests {
  private let start = WallInstant(milliseconds: 1_790_000_000_000)

  private func at(_ seconds: Int) -> WallInstant { start + .seconds(seconds) }

  private func stalls(_ log: StallLog) -> [[Int]] {
    log.stalls(since: start).map { stall in
      [stall.from, stall.to].map { Int(($0 - start).milliseconds / 1000) }
    }
  }

  @Test func `a sleep of the machine is shown although nothing was due`() {
    var log = StallLog()
    log.happened(at: at(0))
    log.happened(at: at(3600))
    log.clockStepped(at: at(3600))
    log.slept(.seconds(3500), until: at(3600))
    #expect(stalls(log) == [[100, 3600]])
  }

  @Test func `a moment of sleep is none`() {
    var log = StallLog()
    log.slept(.milliseconds(900), until: at(10))
    #expect(stalls(log) == [])
  }

  @Test func `slots that were missed in a sleep belong to it`() throws {
    var log = StallLog()
    log.slept(.seconds(100), until: at(200))
    log.slotsPassed(
      VerdictRecord(
        job: try #require(JobName("a")), slots: SlotSeries(at(150)), verdict: .missed(.asleep),
        at: at(200)))
    #expect(stalls(log) == [[100, 200]])
  }

  @Test func `a late sign of life tells of the time without any other`() {
    var log = StallLog()
    log.happened(at: at(0))
    log.beat(due: at(2), at: at(30))
    #expect(stalls(log) == [[2, 30]])
  }

  @Test func `a late sign of life tells nothing where takt worked meanwhile`() {
    var log = StallLog()
    for second in 0...29 { log.happened(at: at(second)) }
    log.beat(due: at(2), at: at(30))
    #expect(stalls(log) == [])
  }
}
