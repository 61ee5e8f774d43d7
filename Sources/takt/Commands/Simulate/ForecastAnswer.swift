import TaktCore
import TaktTime

struct ForecastAnswer: Encodable {
  /// Half of the simulations have at most `median`, 95 % at most `p95`.
  private struct Spread<Value: Encodable>: Encodable {
    var median: Value
    var p95: Value
  }

  private struct Job: Encodable {
    var job: String
    var slots: Spread<Int>
    var notServed: Spread<Int>
    var lateSlots: Spread<Int>
    var lateMaxMs: Spread<Int64>
    var runningMax: Spread<Int>
    var historyRuns: Int
    var byHour: Bool
    var trend: Double
  }

  private struct Part: Encodable {
    var from: String
    var runningMax: Spread<Int>
    var coresMax: Spread<Double>
    var coreSeconds: Spread<Double>
    var memoryMaxBytes: Spread<Int64>
  }

  private struct Change: Encodable {
    var job: String
    var laterMs: Spread<Int64>?
    var laterFrom: String?
    var earlierMs: Spread<Int64>?
    var earlierFrom: String?
    var lateSlots: Int
    var notServed: Int
    var ran: Int
    var failures: Int
    var reasons: [String: Int]
  }

  private struct Comparison: Encodable {
    var wakesBefore: Int
    var wakesAfter: Int
    var added: [String]
    var removed: [String]
    var changes: [Change]
  }

  private var from: String
  private var to: String
  private var seed: UInt64
  private var seeds: Int
  private var cores: Int
  private var memoryBytes: Int64
  private var historyRuns: Int
  private var historyFrom: String?
  private var historyTo: String?
  private var slots: Spread<Int>
  private var lateSlots: Spread<Int>
  private var notServed: Spread<Int>
  private var runningMax: Spread<Int>
  private var jobs: [Job]
  private var parts: [Part]
  private var comparison: Comparison?

  init(
    _ forecast: Forecast, _ snapshot: Snapshot, _ history: RunHistory, _ machine: MachineSize,
    _ compared: ForecastComparison?
  ) {
    func spread<Value: Comparable & Sendable & Encodable>(
      _ value: (Forecast.Draw) -> Value
    ) -> Spread<Value> {
      let found = forecast.spread(value)
      return Spread(median: found.median, p95: found.high)
    }
    let plan = forecast.plan
    from = plan.start.rfc3339()
    to = (plan.start + plan.span).rfc3339()
    (seed, seeds) = (plan.seed, forecast.draws.count)
    (cores, memoryBytes) = (machine.cores, machine.memoryBytes)
    historyRuns = history.count
    historyFrom = history.range?.lowerBound.rfc3339()
    historyTo = history.range?.upperBound.rfc3339()
    slots = spread { $0.report.verdictCounts.slots }
    lateSlots = spread { $0.lateSlots }
    notServed = spread { $0.notServed }
    runningMax = spread { $0.report.runningMax }
    let draws = RunDraws(history, in: snapshot.settings.zone)
    jobs = snapshot.jobs.map(\.name).sorted().map { name in
      Job(
        job: name.text, slots: spread { $0.report.job(name).verdictCounts.slots },
        notServed: spread {
          let counts = $0.report.job(name).verdictCounts
          return counts.slots - counts.ran
        }, lateSlots: spread { $0.services[name]?.lateSlots ?? 0 },
        lateMaxMs: spread { $0.report.job(name).latest.milliseconds },
        runningMax: spread { $0.report.job(name).runningMax },
        historyRuns: history.jobs[name]?.count ?? 0,
        byHour: draws.pattern(of: name)?.dependsOnHour ?? false,
        trend: draws.pattern(of: name)?.trend ?? 1)
    }
    parts = (0..<forecast.partCount).map { place in
      Part(
        from: forecast.start(ofPart: place).rfc3339(),
        runningMax: spread { $0.load.parts[place].runningMax },
        coresMax: spread { $0.load.parts[place].coresMax },
        coreSeconds: spread { $0.load.parts[place].coreSeconds },
        memoryMaxBytes: spread { $0.load.parts[place].memoryMaxBytes })
    }
    comparison = compared.map(Self.comparison)
  }

  private static func comparison(_ comparison: ForecastComparison) -> Comparison {
    func spread(_ shift: ForecastComparison.Shift?) -> Spread<Int64>? {
      shift.map { Spread(median: $0.median.milliseconds, p95: $0.high.milliseconds) }
    }
    func time(_ shift: ForecastComparison.Shift?) -> String? {
      shift.map { comparison.after.start(ofPart: $0.part).rfc3339() }
    }
    return Comparison(
      wakesBefore: comparison.before.spread { $0.report.wakes }.median,
      wakesAfter: comparison.after.spread { $0.report.wakes }.median,
      added: comparison.added.map(\.text), removed: comparison.removed.map(\.text),
      changes: comparison.changes.map { change in
        Change(
          job: change.job.text, laterMs: spread(change.later), laterFrom: time(change.later),
          earlierMs: spread(change.earlier), earlierFrom: time(change.earlier),
          lateSlots: change.lateSlots, notServed: change.notServed, ran: change.ran,
          failures: change.failures, reasons: change.reasons)
      })
  }
}
