import TaktCore
import TaktTime

struct ForecastTable {
  let forecast: Forecast
  let snapshot: Snapshot
  let history: RunHistory
  let machine: MachineSize

  private var zone: Zone { snapshot.settings.zone }

  func print() {
    let draws = RunDraws(history, in: zone)
    Console.print(
      titles: [
        "job", "slots", "not served", "late slots", "late at most", "at once", "drawn from",
      ],
      rows: snapshot.jobs.map { row($0, draws) })
    Console.print("")
    Console.print(
      titles: ["from", "runs at once", "cores", "memory"],
      rows: (0..<forecast.partCount).map(part))
    Console.print("")
    for line in summary { Console.print(line) }
  }

  private func row(_ spec: JobSpec, _ draws: RunDraws) -> [String] {
    let name = spec.name
    let late = forecast.spread { $0.report.job(name).latest }
    return [
      name.text, number { $0.report.job(name).verdictCounts.slots },
      number {
        let counts = $0.report.job(name).verdictCounts
        return counts.slots - counts.ran
      }, number { $0.services[name]?.lateSlots ?? 0 },
      Self.words(late, DurationText.brief), number { $0.report.job(name).runningMax },
      source(spec, draws),
    ]
  }

  private func source(_ spec: JobSpec, _ draws: RunDraws) -> String {
    guard let job = history.jobs[spec.name], let pattern = draws.pattern(of: spec.name) else {
      return spec.expectedDuration.map { "expected \(DurationText.format($0))" }
        ?? DurationText.format(forecast.plan.runTime)
    }
    var words = "\(job.count) \(job.count == 1 ? "run" : "runs")"
    if pattern.dependsOnHour { words += ", by hour" }
    if pattern.trend != 1 { words += ", now \(Self.brief(pattern.trend)) times as long" }
    return words
  }

  private func part(_ place: Int) -> [String] {
    [
      time(ofPart: place), number { $0.load.parts[place].runningMax },
      Self.words(forecast.spread { $0.load.parts[place].coresMax }, Self.brief),
      Self.words(forecast.spread { $0.load.parts[place].memoryMaxBytes }, SizeText.brief),
    ]
  }

  private var summary: [String] {
    let plan = forecast.plan
    var lines = [
      "\(DurationText.format(plan.span)) from \(plan.start.rfc3339(in: zone)) in \(zone.name), "
        + "jobs: \(snapshot.jobs.count), simulations: \(forecast.draws.count), first seed \(plan.seed)"
    ]
    if let range = history.range {
      lines.append(
        "drawn from \(history.count) runs, \(range.lowerBound.rfc3339(in: zone)) to "
          + range.upperBound.rfc3339(in: zone))
    }
    lines.append("late slots: \(number { $0.lateSlots })")
    lines.append("slots not served: \(number { $0.notServed })")
    lines.append("runs at once: at most \(number { $0.report.runningMax })")
    lines.append(
      use("cores", of: Self.brief(Double(machine.cores)), Double(machine.cores), Self.brief) {
        $0.coresMax
      })
    lines.append(
      use("memory", of: SizeText.brief(machine.memoryBytes), machine.memoryBytes, SizeText.brief) {
        $0.memoryMaxBytes
      })
    return lines
  }

  /// The peak use of the machine, and the times at which it exceeds the machine.
  private func use<Value: Comparable & Sendable>(
    _ what: String, of whole: String, _ limit: Value, _ words: (Value) -> String,
    _ value: (LoadCurve.Part) -> Value
  ) -> String {
    let most = forecast.spread { draw in
      let values = draw.load.parts.map(value)
      return values.max() ?? values[0]
    }
    let above = (0..<forecast.partCount).filter { place in
      forecast.spread { value($0.load.parts[place]) }.median > limit
    }
    let line = "\(what): at most \(Self.words(most, words)) of \(whole)"
    guard let first = above.first else { return line }
    return line + ", more than there is from \(time(ofPart: first))"
      + (above.count > 1 ? " and in \(above.count - 1) more rows" : "")
  }

  private func number(_ value: (Forecast.Draw) -> Int) -> String {
    Self.words(forecast.spread(value)) { String($0) }
  }

  func time(ofPart place: Int) -> String {
    Self.time(forecast.start(ofPart: place), span: forecast.plan.span, in: zone)
  }

  /// `02:00`; with the date if the range is longer than a day.
  static func time(_ instant: WallInstant, span: Duration, in zone: Zone) -> String {
    let text = instant.rfc3339(in: zone)
    return span <= .seconds(86_400)
      ? String(text.dropFirst(11).prefix(5)) : String(text.prefix(16))
  }

  /// The median, with the value that 95 % do not exceed if that differs.
  private static func words<Value: Sendable>(
    _ spread: Forecast.Spread<Value>, _ words: (Value) -> String
  ) -> String {
    let (median, high) = (words(spread.median), words(spread.high))
    return median == high ? median : "\(median) (p95 \(high))"
  }

  /// Rounded to one decimal.
  static func brief(_ number: Double) -> String {
    let tenths = Int((min(number, 1e12) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
