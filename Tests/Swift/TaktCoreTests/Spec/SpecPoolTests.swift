import Testing

@testable import TaktCore

struct SpecPoolTests {
  @Test func `of equal parts one is kept`() {
    var pool = SpecPool()
    let first = pool.common(Shared(Execution(timeout: .seconds(5))))
    let second = pool.common(Shared(Execution(timeout: .seconds(5))))
    let other = pool.common(Shared(Execution(timeout: .seconds(6))))
    #expect(first.isCopy(of: second))
    #expect(!first.isCopy(of: other))
    #expect(first != other)
  }

  @Test func `a spec that is changed leaves its copies as they are`() throws {
    let job = try #require(JobName("job"))
    let spec = JobSpec(
      name: job, timing: Timing(schedule: Schedule(every: Every(.seconds(5)))), action: .shell("x"))
    var changed = spec
    changed.execution.timeout = .seconds(1)
    changed.overlap = .queue
    changed.timing.jitter = .seconds(2)
    changed.timing.schedule.limit = 3
    #expect(spec.execution.timeout == nil)
    #expect(spec.overlap == .skip)
    #expect(spec.timing == Timing(schedule: Schedule(every: Every(.seconds(5)))))
    #expect(changed.execution.timeout == .seconds(1))
    #expect(changed.overlap == .queue)
    #expect(changed.timing.jitter == .seconds(2))
    #expect(changed.timing.schedule.limit == 3)
    #expect(changed.timing.schedule.every == Every(.seconds(5)))
  }
}
