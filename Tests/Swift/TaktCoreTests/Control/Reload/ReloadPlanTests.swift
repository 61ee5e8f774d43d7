import TaktTime
import Testing

@testable import TaktCore

/// The plan of a reload among jobs that share parts of their specs.
@Suite struct ReloadPlanTests: MakesJobs {
  /// Jobs of one load: each has one of two surroundings and one of two policies, which it shares.
  private func load(_ choices: [(timeout: Int, tag: Int)]) throws -> [JobSpec] {
    var executions: [Int: Shared<Execution>] = [:]
    var policies: [Int: Shared<JobPolicies>] = [:]
    return try choices.enumerated().map { place, choice in
      var own = JobPolicies()
      own.tags = ["t\(choice.tag)"]
      let execution =
        executions[choice.timeout] ?? Shared(Execution(timeout: .seconds(choice.timeout)))
      executions[choice.timeout] = execution
      let policy = policies[choice.tag] ?? Shared(own)
      policies[choice.tag] = policy
      return JobSpec(
        name: try #require(JobName("job\(place)")), timing: Timing(schedule: every(10)),
        action: .argv(["true"]), execution: execution, policies: policy, summary: nil)
    }
  }

  @Test func `each job is compared by what it says, whatever it shares with others`() throws {
    let before = try load([(1, 1), (1, 1), (2, 1), (2, 2), (1, 2), (2, 2)])
    let after = try load([(1, 1), (2, 1), (2, 2), (2, 2), (1, 2), (1, 1)])
    let plan = ReloadPlan(from: Snapshot(jobs: before), to: Snapshot(jobs: after))
    #expect(plan.keptCount == 3)
    let steps = plan.steps.map { step in
      "\(step.change.rawValue) \(step.spec.name): "
        + step.details.map { "\($0.key) \($0.from ?? "-") → \($0.to ?? "-")" }
        .joined(separator: ", ")
    }
    #expect(
      steps == [
        "updated job1: timeout 1s → 2s", "updated job2: tags t1 → t2",
        "updated job5: timeout 2s → 1s, tags t2 → t1",
      ])
    // The spec before is kept.
    for place in [0, 3, 4] { #expect(plan.snapshot.jobs[place].isCopy(of: before[place])) }
  }

  @Test func `a zone that the system has changed is why a job is rearmed`() throws {
    func snapshot(_ name: String, hours: Int, cron: String = "0 9 * * *") throws -> Snapshot {
      let zone = Zone(name: name, initialOffsetSeconds: hours * 3600)
      let rule = ClockRule(.cron(try CronExpression(cron), days: .cron), zone: zone, dst: .cron)
      return Snapshot(jobs: [try job("a", Schedule(rules: [rule]))])
    }
    func details(_ old: Snapshot, _ new: Snapshot) -> [String] {
      ReloadPlan(from: old, to: new).steps.map { step in
        "\(step.change.rawValue) "
          + step.details.map { "\($0.key): \($0.from ?? "-") → \($0.to ?? "-")" }
          .joined(separator: ", ")
      }
    }
    let old = try snapshot("local", hours: 0)
    #expect(
      try details(old, snapshot("local", hours: 1))
        == ["rearmed timezone: local → local, which the system has changed"])
    #expect(try details(old, snapshot("local", hours: 0)) == [])
    let moved = try details(old, snapshot("Europe/Berlin", hours: 1))
    #expect(moved.count == 1 && moved[0].hasPrefix("rearmed cron: 0 9 * * * in local, "))
    let other = try details(old, snapshot("local", hours: 1, cron: "0 8 * * *"))
    #expect(other.count == 1 && other[0].hasPrefix("rearmed cron: "))
  }
}
