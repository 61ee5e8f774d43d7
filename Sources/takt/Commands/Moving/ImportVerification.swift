import TaktCore
import TaktImport
import TaktTime

/// The next times of imported jobs, compared with those that another program finds for the source.
///
/// Both use UTC: clock changes are a matter of `dst`, and described in the docs.
struct ImportVerification {
  struct Answer: Encodable {
    var job: String
    /// `equal`, `different`, `not verified` or `no clock times`.
    var result: String
    var oracle: String?
    var times: Int
    /// The first instant that only one of the two has.
    var first: String?
  }

  static let count = 1000
  /// takt computes no times from here on.
  private static let end =
    CivilTime.daysSinceEpoch(year: CronExpression.yearMax + 1, month: 1, day: 1) * 86_400
  private(set) var answers: [Answer] = []

  init(of result: Importer.Result, _ snapshot: Snapshot?) {
    let minute = SystemTimeSource().wall.milliseconds / 60_000 * 60
    for job in result.jobs {
      guard !job.times.isEmpty else {
        answers.append(Answer(job: job.name, result: "no clock times", times: 0))
        continue
      }
      guard let spec = snapshot?.jobs.first(where: { $0.name.text == job.name }),
        let oracle = TimeOracle.find(for: job.times),
        let found = oracle.instants(of: job.times, after: minute, count: Self.count)
      else {
        answers.append(Answer(job: job.name, result: "not verified", times: 0))
        continue
      }
      // Another program may continue for a thousand years.
      let expected = found.filter { $0 < Self.end }
      let own = Self.instants(of: spec, after: minute, count: expected.count)
      let difference = zip(own, expected).first { $0 != $1 }
      answers.append(
        Answer(
          job: job.name,
          result: difference == nil && own.count == expected.count ? "equal" : "different",
          oracle: oracle.name, times: expected.count,
          first: difference.map {
            WallInstant(nanoseconds: min($0.0, $0.1) * 1_000_000_000).rfc3339()
          }))
    }
  }

  private static func instants(of spec: JobSpec, after start: Int64, count: Int) -> [Int64] {
    let rules = spec.timing.schedule.rules.map { rule -> ClockRule in
      var rule = rule
      if case .calendar(let expression) = rule.expression, expression.zoneName != nil {
        return rule
      }
      rule.zone = .utc
      return rule
    }
    var instants: [Int64] = []
    var instant = WallInstant(nanoseconds: start * 1_000_000_000)
    while instants.count < count, let next = rules.compactMap({ $0.next(after: instant) }).min() {
      instants.append(next.milliseconds / 1000)
      instant = next
    }
    return instants
  }

  var isComplete: Bool {
    answers.allSatisfy { $0.result == "equal" || $0.result == "no clock times" }
  }

  var lines: [String] {
    answers.map { answer in
      switch answer.result {
      case "equal": "\(answer.job): the next \(answer.times) are those of \(answer.oracle ?? "")"
      case "different":
        "\(answer.job): not those of \(answer.oracle ?? ""), from \(answer.first ?? "the end") on"
      case "not verified":
        "\(answer.job): not verified; install systemd, or croniter for Python"
      default: "\(answer.job): no clock times"
      }
    }
  }
}
