import TaktCore
import TaktTime

/// The results of a job's runs and slots since takt started.
struct JobCounts: Sendable {
  /// By outcome, then by verdict, then by duration if durations are measured; empty until the first
  /// result.
  private var counts: [UInt64] = []
  /// The total duration of its runs, and the number of those with a duration.
  private(set) var duration = Duration.zero
  private(set) var measuredCount: UInt64 = 0

  private static let size = Outcome.allCases.count + Verdict.Kind.allCases.count

  /// - Parameter isMeasured: true to keep a histogram of durations.
  mutating func add(_ record: RunRecord, measured isMeasured: Bool) {
    add(1, at: Self.place(of: record.end.outcome))
    guard record.attempts > 0 else { return }
    duration += record.duration
    measuredCount += 1
    if isMeasured { addToHistogram(record.duration) }
  }

  /// The durations of its runs; nil until one was measured.
  var durations: Histogram? {
    guard counts.count > Self.size else { return nil }
    return Histogram(
      Metrics.durations, counts: Array(counts[Self.size...]), sum: duration.inSeconds)
  }

  /// Resets durations to 0, so that a histogram covers the same runs as its sum.
  mutating func forgetDurations() {
    duration = .zero
    measuredCount = 0
    if counts.count > Self.size { counts.removeSubrange(Self.size...) }
  }

  private mutating func addToHistogram(_ duration: Duration) {
    if counts.count == Self.size {
      counts += repeatElement(0, count: Metrics.durations.count + 1)
    }
    counts[Self.size + Histogram.place(of: duration.inSeconds, in: Metrics.durations)] += 1
  }

  mutating func add(_ record: VerdictRecord) {
    add(record.slots.count, at: Self.place(of: record.verdict.kind))
  }

  subscript(outcome: Outcome) -> UInt64 { count(at: Self.place(of: outcome)) }
  subscript(verdict: Verdict.Kind) -> UInt64 { count(at: Self.place(of: verdict)) }

  private mutating func add(_ count: Int, at place: Int) {
    if counts.isEmpty { counts = Array(repeating: 0, count: Self.size) }
    counts[place] += UInt64(clamping: count)
  }

  private func count(at place: Int) -> UInt64 { counts.isEmpty ? 0 : counts[place] }

  private static func place(of outcome: Outcome) -> Int {
    Outcome.allCases.firstIndex(of: outcome) ?? 0
  }

  private static func place(of verdict: Verdict.Kind) -> Int {
    Outcome.allCases.count + verdict.place
  }
}

extension Metrics {
  /// Figures of all jobs together.
  func appendJobs(_ view: SchedulerView, to text: inout PrometheusText) {
    text.family("takt_jobs", "gauge", "Jobs, by state.")
    let rest = view.jobs - view.suspended - view.disabled
    text.sample("takt_jobs", [("state", "served")], max(0, rest))
    text.sample("takt_jobs", [("state", "suspended")], view.suspended)
    text.sample("takt_jobs", [("state", "disabled")], view.disabled)
    text.single(
      "takt_jobs_failing", "gauge",
      "Jobs whose last run has failed, suspended and disabled ones too.", view.failing)
    text.single(
      "takt_jobs_stale", "gauge",
      "Jobs without a success within expect_success_within, or whose slots pass without a run.",
      view.stale)
    text.single(
      "takt_jobs_alarm_failed", "gauge",
      "Jobs with a hook or a ping that has failed and has not succeeded since.", view.alarmFailed)
    text.single("takt_jobs_waiting", "gauge", "Jobs that wait for a slot.", view.waiting)
    text.single(
      "takt_jobs_with_series", "gauge",
      "Jobs with series of their own, those with a problem first (scheduler.metrics.jobs).",
      min(view.jobs, view.settings.metrics.jobs))
  }

  /// Figures of jobs with labels of their own.
  func appendLabelledJobs(_ jobs: [MetricsMoment.Job], to text: inout PrometheusText) {
    append(
      jobs, "takt_job_stale", "gauge",
      "1 while no run has succeeded within expect_success_within, or slots pass without a run.",
      to: &text
    ) { $0.isStale ? 1 : 0 }
    append(
      jobs, "takt_job_failures_in_a_row", "gauge", "Failed runs in a row.", to: &text
    ) { $0.streak }
    text.family(
      "takt_job_alarm_failed", "gauge",
      "1 while a hook or a ping has failed and has not succeeded since; absent otherwise.")
    for job in jobs {
      for hook in job.failedAlarms {
        text.sample("takt_job_alarm_failed", [("job", job.name), ("hook", hook)], 1)
      }
    }
    append(
      jobs, "takt_job_unplaced", "gauge",
      "1 while no machine of the cluster has the labels that the job needs; absent otherwise.",
      to: &text
    ) { $0.isUnplaced ? 1 : nil }
    append(
      jobs, "takt_job_last_success_seconds", "gauge",
      "When a run last succeeded, in seconds since the epoch.", to: &text
    ) { $0.succeededAt?.inSeconds }
    append(
      jobs, "takt_job_cpu_seconds_total", "counter", "Processor time of runs that have ended.",
      to: &text
    ) { $0.cpu?.inSeconds }
    append(
      jobs, "takt_job_memory_peak_bytes", "gauge",
      "Peak memory of the last run for which it is known.", to: &text
    ) { $0.memoryPeakBytes }
  }

  private func append<Value: Numeric>(
    _ jobs: [MetricsMoment.Job], _ name: String, _ type: String, _ help: String,
    to text: inout PrometheusText, _ value: (MetricsMoment.Job) -> Value?
  ) {
    text.family(name, type, help)
    for job in jobs {
      if let value = value(job) { text.sample(name, [("job", job.name)], value) }
    }
  }

  /// Counters of each of them, if the jobs file asks for them.
  func appendJobCounters(_ jobs: [MetricsMoment.Job], to text: inout PrometheusText) {
    text.family(
      "takt_job_last_run_seconds", "gauge",
      "When the last run ended, in seconds since the epoch, with its outcome.")
    for job in jobs {
      guard let last = job.lastRun else { continue }
      text.sample(
        "takt_job_last_run_seconds", [("job", job.name), ("outcome", last.outcome.rawValue)],
        last.at.inSeconds)
    }
    append(
      jobs, "takt_job_next_slot_seconds", "gauge",
      "When the next slot is due, in seconds since the epoch; absent without one.", to: &text
    ) { $0.nextSlot?.inSeconds }
    text.family("takt_job_runs_total", "counter", "Runs of the job that have ended, by outcome.")
    for job in jobs {
      for outcome in Outcome.allCases {
        text.sample(
          "takt_job_runs_total", [("job", job.name), ("outcome", outcome.rawValue)],
          job.counts[outcome])
      }
    }
    text.family("takt_job_slots_total", "counter", "Slots of the job with a verdict, by verdict.")
    for job in jobs {
      for verdict in Verdict.Kind.allCases {
        text.sample(
          "takt_job_slots_total", [("job", job.name), ("verdict", verdict.rawValue)],
          job.counts[verdict])
      }
    }
  }

  /// The durations of each one's runs: a histogram if the jobs file asks for it.
  func appendJobDurations(
    _ jobs: [MetricsMoment.Job], isHistogram: Bool, to text: inout PrometheusText
  ) {
    text.family(
      "takt_job_run_duration_seconds", isHistogram ? "histogram" : "summary",
      "Durations of the job's runs.")
    for job in jobs {
      if isHistogram {
        text.histogram(
          "takt_job_run_duration_seconds", [("job", job.name)],
          job.counts.durations ?? Histogram(Self.durations))
        continue
      }
      let labels = [(name: "job", value: job.name)]
      text.sample("takt_job_run_duration_seconds_sum", labels, job.counts.duration.inSeconds)
      text.sample("takt_job_run_duration_seconds_count", labels, job.counts.measuredCount)
    }
  }
}
