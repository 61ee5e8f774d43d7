import Testing

@testable import TaktCore
import TaktTime

@Suite struct SimulatorTests: MakesJobs {
  private static let start = WallInstant(milliseconds: 1_790_000_000_000)

  private func snapshot() throws -> Snapshot {
    var slow = try job("slow", every(60))
    slow.policies.expectedDuration = .seconds(90)
    return Snapshot(jobs: [try job("quick", every(30)), slow])
  }

  private static let faults = [
    SimulatedFault(.crash(down: .seconds(70)), at: start + .seconds(600)),
    SimulatedFault(.step(.seconds(-40)), at: start + .seconds(1200)),
  ]

  /// Half an hour with faults; counted by hand from the events.
  private func simulated(emitsAll: Bool) throws -> (
    report: SimulationReport, emitted: [String: Int]
  ) {
    var simulator = Simulator(
      try snapshot(), from: Self.start, faults: Self.faults, emitsAll: emitsAll)
    var emitted: [String: Int] = [:]
    simulator.run(for: .seconds(1800)) { event in
      switch event {
      case .verdict(let record, _, _):
        emitted["\(record.job) \(record.verdict.name)", default: 0] += record.slots.count
      case .began(let job, _, _): emitted["\(job) began", default: 0] += 1
      case .ended(let job, _, _, _): emitted["\(job) ended", default: 0] += 1
      case .wake(_, let served):
        emitted["wakes", default: 0] += 1
        emitted["served", default: 0] += served
      case .retried(let job, _, _): emitted["\(job) retried", default: 0] += 1
      case .called(let job, let hook, _): emitted["\(job) \(hook.rawValue)", default: 0] += 1
      case .fault: emitted["faults", default: 0] += 1
      }
      return true
    }
    return (simulator.report, emitted)
  }

  @Test func `the report counts the emitted events`() throws {
    let (report, emitted) = try simulated(emitsAll: true)
    #expect(report.wakes == emitted["wakes"] && report.served == emitted["served"])
    for job in report.jobs {
      for kind in Verdict.Kind.allCases {
        #expect(job.verdictCounts[kind] == emitted["\(job.name) \(kind.rawValue)", default: 0])
      }
      #expect(job.verdictCounts.ran == emitted["\(job.name) began"])
    }
    #expect(report.verdictCounts.slots == report.jobs.reduce(0) { $0 + $1.verdictCounts.slots })
    #expect(report.job(try #require(JobName("slow"))).reasons["skipped(overlap)", default: 0] > 0)
  }

  @Test func `the report is the same when only wakes and faults are emitted`() throws {
    let (all, few) = (try simulated(emitsAll: true), try simulated(emitsAll: false))
    #expect(few.emitted == all.emitted.filter { ["wakes", "served", "faults"].contains($0.key) })
    #expect(few.report.verdictCounts == all.report.verdictCounts)
    #expect(few.report.runningMax == all.report.runningMax)
    #expect(few.report.busiest == all.report.busiest)
    for job in all.report.jobs {
      let other = few.report.job(job.name)
      #expect(other.verdictCounts == job.verdictCounts && other.reasons == job.reasons)
      #expect(other.latest == job.latest && other.runningMax == job.runningMax)
    }
  }

  @Test func `runs last, fail and hang as a test sets them`() throws {
    var quick = SimulatedRuns()
    quick.length = .seconds(10)
    quick.failures = 2
    quick.status = 3
    var slow = SimulatedRuns()
    slow.hangs = true
    let names = try ["quick", "slow"].map { try #require(JobName($0)) }
    var simulator = Simulator(
      try snapshot(), from: Self.start, runs: [names[0]: quick, names[1]: slow])
    var ends: [RunEnd] = []
    var starts: [RunID: WallInstant] = [:]
    var lengths: Set<Duration> = []
    simulator.run(for: .seconds(110)) { event in
      switch event {
      case .began(_, let run, let at): starts[run] = at
      case .ended(_, let run, let end, let at):
        ends.append(end)
        if let start = starts[run] { lengths.insert(at - start) }
      case .verdict, .retried, .called, .wake, .fault: break
      }
      return true
    }
    #expect(ends.map(\.outcome) == [.failed, .failed, .succeeded])
    #expect(ends.first?.reason == .exit(3) && lengths == [.seconds(10)])
    #expect(simulator.report.job(names[1]).verdictCounts.ran == 1)
  }

  @Test func `a run that is stopped ends then, and not when it would have`() {
    var ends = RunEnds()
    func instant(_ seconds: Int64) -> MonotonicInstant {
      MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }
    ends.insert(RunID(2), .attempt(.exited(0)), at: instant(10))
    ends.insert(RunID(1), .attempt(.exited(0)), at: instant(10))
    ends.insert(RunID(3), .attempt(.exited(0)), at: instant(5))
    ends.change(RunID(2), .attempt(.signalled(15)), at: instant(1))
    ends.change(RunID(9), .group, at: instant(0))
    var taken: [UInt64] = []
    while ends.next != nil { if let (run, _) = ends.popNext() { taken.append(run.number) } }
    #expect(taken == [2, 3, 1])
    #expect(ends.end(of: RunID(2)) == nil)
  }

  /// Half an hour in which 20 slots pass, and a newest one that may still start.
  @Test(arguments: [
    (SimulatedFault.Kind.crash(down: .seconds(1800)), "down"),
    (.sleep(.seconds(1800)), "asleep"), (.step(.seconds(1800)), "clock"),
    (.stall(.seconds(1800)), "stalled"),
  ])
  func `slots older than the interval are missed, whatever let them pass`(
    kind: SimulatedFault.Kind, cause: String
  ) throws {
    var spec = try job("a", Schedule(every: Every(.seconds(90), from: .epoch)))
    spec.timing.leeway = .duration(.seconds(60))
    let begin = WallInstant(milliseconds: 1_767_225_610_000)  // 2026-01-01T00:00:10Z
    for (within, coalesced) in [(nil, 0), (Duration.seconds(600), 6)] {
      spec.missed.within = within
      var simulator = Simulator(
        Snapshot(jobs: [spec]), from: begin,
        faults: [SimulatedFault(kind, at: begin + .seconds(730))])
      simulator.run(for: .seconds(3590)) { _ in true }
      let counts = simulator.report.verdictCounts
      #expect(counts[.missed] == 20 - coalesced && counts[.coalesced] == coalesced)
      let reasons = simulator.report.job(spec.name).reasons
      #expect(reasons["missed(\(cause))"] == 20 - coalesced, "\(reasons)")
    }
  }

  @Test func `a sleep delays the slots of every, which keep their names and are on time`() throws {
    var simulator = Simulator(
      Snapshot(jobs: [try job("a", every(3600))]), from: Self.start,
      faults: [SimulatedFault(.sleep(.seconds(8 * 3600)), at: Self.start + .seconds(5400))])
    var starts: [[Int64]] = []
    simulator.run(for: .seconds(3 * 3600)) { event in
      if case .verdict(let record, let lateness, _) = event {
        let times = [record.slots.first, record.at].map {
          ($0 - Self.start).milliseconds / 3_600_000
        }
        starts.append(times + [lateness.milliseconds])
      }
      return true
    }
    #expect(starts == [[1, 1, 0], [2, 10, 0], [3, 11, 0]])
  }
}
