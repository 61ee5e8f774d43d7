package import TaktTime

/// Several simulations of the same jobs, whose runs are drawn from a history with other seeds.
package struct Forecast: Sendable {
  /// The simulated range, its faults and its seeds.
  package struct Plan: Sendable {
    package var start: WallInstant
    package var span: Duration
    package var faults: [SimulatedFault] = []
    /// The length of a run whose job has neither a history nor `expected`.
    package var runTime = Simulator.defaultRunTime
    package var seed: UInt64 = 1
    package var seeds: Int = Self.defaultSeeds

    package static let defaultSeeds = 20

    package init(from start: WallInstant, for span: Duration) {
      self.start = start
      self.span = span
    }
  }

  /// The lateness of a job in one simulation, beyond the counts of the report.
  package struct Service: Hashable, Sendable {
    /// Slots that started later than their leeway and `late_tolerance` allow.
    package var lateSlots = 0
    /// Runs that failed or timed out.
    package var failures = 0
    /// The largest lateness in each part of the range; empty where it was never late.
    package var latest: [Duration] = []
  }

  package struct Draw: Sendable {
    package var report: SimulationReport
    package var load: LoadCurve
    package var services: [JobName: Service]

    package var lateSlots: Int { services.values.reduce(0) { $0 + $1.lateSlots } }
    package var failures: Int { services.values.reduce(0) { $0 + $1.failures } }
    package var notServed: Int { report.verdictCounts.slots - report.verdictCounts.ran }
  }

  package let plan: Plan
  package private(set) var draws: [Draw] = []

  /// Simulates once for each seed.
  ///
  /// - Parameter observe: receives all events, with the number of the simulation; false ends it.
  package init(
    of snapshot: Snapshot, _ history: RunHistory, _ plan: Plan,
    _ observe: (Int, SimulatedEvent) -> Bool = { _, _ in true }
  ) {
    self.plan = plan
    var draws = RunDraws(history, in: snapshot.settings.zone)
    for number in 0..<max(1, plan.seeds) {
      draws.seed = plan.seed &+ UInt64(number)
      self.draws.append(Self.draw(snapshot, draws, plan) { observe(number, $0) })
    }
  }

  private static func draw(
    _ snapshot: Snapshot, _ draws: RunDraws, _ plan: Plan, _ observe: (SimulatedEvent) -> Bool
  ) -> Draw {
    let step = LoadCurve.step(for: plan.span)
    let begin = LoadCurve.start(before: plan.start, step: step)
    let curve = LoadCurve(
      from: begin, for: plan.span + (plan.start - begin), step: step)
    var simulator = Simulator(
      snapshot, from: plan.start, faults: plan.faults, runTime: plan.runTime, draws: draws,
      load: curve)
    var services: [JobName: Service] = [:]
    let tolerances = snapshot.jobs.reduce(into: [:]) { $0[$1.name] = $1.lateTolerance }
    simulator.run(for: plan.span) { event in
      switch event {
      case .verdict(let record, let lateness, let window)
      where record.verdict == .ran && lateness > .zero:
        services[record.job, default: Service()].add(
          lateness, isLate: lateness > window + (tolerances[record.job] ?? .zero),
          curve.place(of: record.at), of: curve.parts.count)
      case .ended(let job, _, let end, _) where end.outcome == .failed || end.outcome == .timedOut:
        services[job, default: Service()].failures += 1
      case .verdict, .began, .ended, .retried, .called, .wake, .fault: break
      }
      return observe(event)
    }
    var load = simulator.load ?? curve
    load.finish()
    return Draw(report: simulator.report, load: load, services: services)
  }

  /// The median and the value that 95 % of the simulations do not exceed.
  package func spread<Value: Comparable & Sendable>(
    _ value: (Draw) -> Value
  ) -> Spread<Value> {
    let ranked = Ranked(draws.map(value))
    // There is at least one.
    return Spread(median: ranked[50] ?? value(draws[0]), high: ranked[95] ?? value(draws[0]))
  }

  package struct Spread<Value: Comparable & Sendable>: Sendable {
    package var median: Value
    package var high: Value
  }

  /// The parts of the range.
  package var partCount: Int { draws[0].load.parts.count }

  package func start(ofPart place: Int) -> WallInstant {
    draws[0].load.start + draws[0].load.step * place
  }
}

extension Forecast.Service {
  fileprivate mutating func add(_ lateness: Duration, isLate: Bool, _ place: Int, of count: Int) {
    if isLate { lateSlots += 1 }
    if latest.isEmpty { latest = Array(repeating: .zero, count: count) }
    latest[place] = max(latest[place], lateness)
  }
}
