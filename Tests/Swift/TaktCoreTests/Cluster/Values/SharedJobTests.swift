import TaktTime
import Testing

@testable import TaktCore

/// A machine's state of a shared job, without a scheduler.
struct SharedJobTests {
  private func slot(_ minute: Int) -> WallInstant {
    WallInstant(milliseconds: Int64(minute) * 60_000)
  }

  /// A job whose schedule, 1, is in force.
  private var accepted: SharedJob {
    var job = SharedJob(schedule: 1, isChanged: false)
    _ = job.accept()
    return job
  }

  @Test func `a newer schedule of another machine is news once, and so is its end`() {
    var job = accepted
    #expect(job.drift() && !job.drift())
    #expect(job.accept() && !job.accept())
  }

  @Test func `a change is declared until the schedule is in force`() {
    var job = SharedJob(schedule: 1, isChanged: true)
    job.declare(schedule: 1, isChanged: false, isNew: false, rests: false) { _ in true }
    #expect(job.isChanged)
    _ = job.accept()
    #expect(!job.isChanged)
  }

  @Test func `slots are asked for one question at a time, and under a schedule in force only`() {
    var job = SharedJob(schedule: 1, isChanged: false)
    #expect(job.add([slot(2), slot(1)]) == [])
    #expect(job.ask()?.schedule == nil)
    _ = job.accept()
    #expect(job.ask()?.slots == [slot(1), slot(2)])
    #expect(job.ask()?.schedule == nil)
    job.endAsking()
    #expect(job.ask()?.schedule == 1)
  }

  @Test func `slots are asked for under the schedule that named them`() {
    var job = accepted
    _ = job.add([slot(1), slot(2)])
    job.declare(schedule: 2, isChanged: true, isNew: false, rests: false) { $0 == slot(2) }
    _ = job.accept()
    _ = job.add([slot(0)], former: [slot(0): 7])
    let first = job.ask() ?? ([], 0)
    #expect(first.slots == [slot(2)] && first.schedule == 2)
    job.endAsking()
    _ = job.settle(first.slots, known: first.slots, displaced: [])
    let second = job.ask() ?? ([], 0)
    #expect(second.slots == [slot(1)] && second.schedule == 1)
    job.endAsking()
    _ = job.settle(second.slots, known: [], displaced: [])
    #expect(job.ask()?.schedule == 7)
  }

  @Test func `the oldest of too many slots are given back`() {
    var job = accepted
    let slots = (0..<SharedJob.unsettledMax + 2).map { slot($0) }
    #expect(job.add(slots) == [slot(0), slot(1)])
    #expect(job.unsettled.first == slot(2) && job.unsettled.count == SharedJob.unsettledMax)
    #expect(job.ask()?.slots == Array(slots.suffix(SharedJob.askedMax)))
  }

  @Test func `an answer tells what others have had, and leaves the rest to this machine`() {
    var job = accepted
    _ = job.add((1...4).map { slot($0) })
    // The last one is not waiting.
    let asked = [1, 2, 3, 9].map { slot($0) }
    let settled = job.settle(asked, known: [slot(1), slot(2), slot(9)], displaced: [slot(2)])
    #expect(settled.known.map(\.slot) == [slot(1), slot(2)])
    #expect(settled.known.map(\.isDisplaced) == [false, true])
    #expect(settled.open == [slot(3)] && job.unsettled == [slot(4)])
  }

  @Test func `the end that a delay counts from is asked for once at a time`() {
    var job = SharedJob(schedule: 1, isChanged: false)
    #expect(job.askEnd() == false)
    _ = job.accept()
    #expect(job.askEnd() && !job.askEnd())
    job.endAskingEnd()
    #expect(job.askEnd() == true)
  }

  @Test func `the newest slot that was served counts`() {
    var job = accepted
    for minute in [2, 5, 3] { job.noteServed(slot(minute)) }
    #expect(job.lastServed == slot(5))
  }
}
