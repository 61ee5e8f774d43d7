import Testing

@testable import TaktCore

/// A suite that makes jobs.
protocol MakesJobs {}

extension MakesJobs {
  func job(
    _ name: String, _ schedule: Schedule, _ change: (inout JobSpec) -> Void = { _ in }
  ) throws -> JobSpec {
    var spec = JobSpec(
      name: try #require(JobName(name)), timing: Timing(schedule: schedule),
      action: .argv(["true"]))
    change(&spec)
    return spec
  }

  func follower(
    _ name: String, of parent: String, on condition: Following.Condition = .success
  ) throws -> JobSpec {
    var schedule = Schedule()
    schedule.after = [Following(try #require(JobName(parent)), on: condition)]
    return try job(name, schedule)
  }

  func every(_ seconds: Int) -> Schedule { Schedule(every: Every(.seconds(seconds))) }

  func spread(_ name: String, _ seconds: Int, jitter: Int = 0) throws -> JobSpec {
    var spec = try job(name, every(100))
    spec.timing.spread = Spread(over: .seconds(seconds), seed: name)
    spec.timing.jitter = .seconds(jitter)
    return spec
  }
}
