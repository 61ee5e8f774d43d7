import TaktTime

/// A `spread` for jobs that start at the same instant and make each other wait.
struct CrowdAdvice: AdviceRule {
  static let name = "crowd"
  private static let jobsMin = 4
  private static let choices = [60, 300, 600, 900, 1800].map { Duration.seconds($0) }

  func proposals(for input: AdviceInput) -> [Proposal] {
    var result: [Proposal] = []
    var seen: Set<JobName> = []
    // The largest crowds first; each job is moved once.
    let crowds = input.dueTogether.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    for (at, names) in crowds {
      let movable = Set(
        input.snapshot.jobs.filter { names.contains($0.name) && Self.isMovable($0) }.map(\.name)
      ).subtracting(seen)
      guard movable.count >= Self.jobsMin, isHarmful(names, at, input) else { continue }
      seen.formUnion(movable)
      result += spread(movable, of: names, at, input)
      if seen.count > Self.crowdedMax { break }
    }
    return result
  }

  /// Bounds the jobs in crowds: each crowd is simulated.
  private static let crowdedMax = 500

  private static func isMovable(_ spec: JobSpec) -> Bool {
    let schedule = spec.timing.schedule
    return spec.timing.spread == nil && spec.timing.jitter == .zero
      && spec.timing.leeway == .none
      && (!schedule.rules.isEmpty || schedule.every?.origin == .epoch)
  }

  /// True if jobs of the crowd start late, or need more processors than there are.
  private func isHarmful(
    _ names: Set<JobName>, _ at: WallInstant, _ input: AdviceInput
  ) -> Bool {
    let cores = input.forecast.spread { $0.load.parts[$0.load.place(of: at)].coresMax }
    return Self.lateSlots(of: names, input.forecast) > 0 || cores.median > Double(input.cores)
  }

  private static func lateSlots(of names: Set<JobName>, _ forecast: Forecast) -> Int {
    forecast.spread { draw in
      names.reduce(0) { $0 + (draw.services[$1]?.lateSlots ?? 0) }
    }.median
  }

  /// The improvement by spreading a crowd; nil if it is small.
  private func effect(
    on names: Set<JobName>, _ place: Int, _ before: Forecast, _ after: Forecast
  ) -> String? {
    let late = (Self.lateSlots(of: names, before), Self.lateSlots(of: names, after))
    if late.0 > 0 {
      return late.1 * 2 <= late.0 ? "\(late.1) late slots instead of \(late.0)" : nil
    }
    let most = [before, after].map { $0.spread { $0.load.parts[place].runningMax }.median }
    return most[1] * 3 <= most[0] * 2
      ? "at most \(most[1]) runs at once instead of \(most[0])" : nil
  }

  private func spread(
    _ movable: Set<JobName>, of names: Set<JobName>, _ at: WallInstant, _ input: AdviceInput
  ) -> [Proposal] {
    let place = input.forecast.draws[0].load.place(of: at)
    let gap =
      input.snapshot.jobs.filter { movable.contains($0.name) }
      .compactMap { Self.interval(of: $0, at) }.min() ?? .seconds(3600)
    for over in Self.choices where over <= gap / 4 {
      let other = input.changed(movable) {
        $0.timing.spread = Spread(over: over, seed: $0.name.text)
      }
      guard let effect = effect(on: names, place, input.forecast, other) else { continue }
      let time = at.rfc3339(in: input.snapshot.settings.zone)
      return movable.sorted().map {
        proposal(
          $0, "\(names.count) jobs are due at \(time.dropFirst(11).prefix(5)).",
          "with it on \(movable.count) jobs, \(effect)",
          .init(.spread, DurationText.format(over)))
      }
    }
    return []
  }

  private static func interval(of spec: JobSpec, _ at: WallInstant) -> Duration? {
    let schedule = spec.timing.schedule
    if let every = schedule.every { return every.interval }
    return schedule.rules.compactMap { $0.next(after: at) }.min().map { $0 - at }
  }
}

/// Leeway for frequent jobs, where it saves wake-ups.
struct LeewayAdvice: AdviceRule {
  static let name = "leeway"
  private static let percent = 10.0
  /// A tenth of a shorter interval saves nothing.
  private static let intervals = Duration.seconds(10)...Duration.seconds(3600)
  private static let shareMin = 20

  func proposals(for input: AdviceInput) -> [Proposal] {
    let frequent = input.snapshot.jobs.filter { spec in
      let schedule = spec.timing.schedule
      guard spec.timing.isEnabled, spec.timing.leeway == .none, schedule.isTimed else {
        return false
      }
      let interval =
        schedule.every?.interval
        ?? schedule.rules.compactMap { rule in
          rule.next(after: input.now).flatMap { first in
            rule.next(after: first).map { $0 - first }
          }
        }.min()
      return interval.map(Self.intervals.contains) ?? false
    }
    guard frequent.count > 1 else { return [] }
    let names = Set(frequent.map(\.name))
    let after = input.changed(names) { $0.timing.leeway = .percent(Self.percent) }
      .spread { $0.report.wakes }.median
    let before = input.forecast.spread { $0.report.wakes }.median
    guard before > after, (before - after) * 100 >= before * Self.shareMin else { return [] }
    return names.sorted().map {
      proposal(
        $0, "It is one of \(names.count) frequent jobs that start exactly on time.",
        "with it on all of them, \(after) wake-ups in "
          + "\(DurationText.format(input.forecast.plan.span)) instead of \(before)",
        .init(.leeway, "\(Int(Self.percent))%"))
    }
  }
}
