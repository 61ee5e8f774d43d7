import Testing

@testable import TaktControl
@testable import TaktCore
import TaktTime

@Suite struct MetricsTests {
  private func text(_ metrics: Metrics) -> String {
    let now = Now(
      wall: WallInstant(milliseconds: 5_000), monotonic: MonotonicInstant(nanoseconds: 0))
    return String(
      decoding: metrics.text(
        MetricsMoment(
          scheduler: SchedulerView(
            phase: .running, jobs: 2, waiting: 1, suspended: 1, disabled: 0, failing: 1, stale: 1,
            alarmFailed: 0, running: 0,
            queued: 0,
            settings: SchedulerSettings()),
          facts: DaemonFacts(
            version: "a\"b\\c\nd", pid: 1, started: now.wall, file: "/f", givenFile: "f",
            stateFolder: nil, tracking: "session and mark"),
          figures: DaemonFigures(
            wakes: 3, served: 4, verdictCounts: VerdictCounts(),
            ledger: DaemonFigures.LedgerFigures(
              queued: 1, lostEntries: 0, isFailing: false, words: ""),
            processes: DaemonFigures.ProcessFigures(stuck: 1)),
          jobs: [
            MetricsMoment.Job(
              name: "a", streak: 2, isStale: true, succeededAt: now.wall, cpu: .milliseconds(1500),
              memoryPeakBytes: 4096),
            MetricsMoment.Job(name: "b", streak: 0, isStale: false, succeededAt: nil),
          ], now: now, clients: 0)), as: UTF8.self)
  }

  private var filled: Metrics {
    get throws {
      var metrics = Metrics()
      let job = try #require(JobName("a"))
      for milliseconds in [0, 3, 70_000] {
        metrics.count(
          SlotStart(
            job: job, run: RunID(1), lateness: .milliseconds(milliseconds), window: .seconds(2),
            qos: .utility))
      }
      metrics.count(
        VerdictRecord(
          job: job,
          slots: SlotSeries(
            first: WallInstant(milliseconds: 0), last: WallInstant(milliseconds: 9), count: 4),
          verdict: .skipped(.overlap), at: WallInstant(milliseconds: 9)))
      return metrics
    }
  }

  @Test func `figures are counted`() throws {
    let text = text(try filled)
    for line in [
      #"takt_slots_total{verdict="skipped",reason="overlap"} 4"#,
      #"takt_job_cpu_seconds_total{job="a"} 1.5"#, #"takt_job_memory_peak_bytes{job="a"} 4096"#,
      #"takt_slot_lateness_seconds_bucket{qos="utility",le="0.001"} 1"#,
      #"takt_slot_lateness_seconds_bucket{qos="utility",le="0.005"} 2"#,
      #"takt_slot_lateness_seconds_bucket{qos="utility",le="+Inf"} 3"#,
      #"takt_slot_lateness_seconds_count{qos="utility"} 3"#,
      #"takt_slot_lateness_leeway_ratio_bucket{le="1.0"} 2"#,
      #"takt_build_info{version="a\"b\\c\nd"} 1"#, "takt_wakes_total 3",
      #"takt_jobs{state="served"} 1"#, #"takt_job_failures_in_a_row{job="a"} 2"#,
      #"takt_job_last_success_seconds{job="a"} 5.0"#, "takt_jobs_stale 1",
      "takt_jobs_failing 1", "takt_jobs_waiting 1", "takt_jobs_with_series 2",
      #"takt_job_stale{job="a"} 1"#,
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
  }

  @Test func `counters are at 0 before the first event`() {
    let text = text(Metrics())
    for line in [
      #"takt_slots_total{verdict="ran",reason=""} 0"#,
      #"takt_slots_total{verdict="missed",reason="down"} 0"#,
      #"takt_slots_total{verdict="skipped",reason="overlap"} 0"#,
      #"takt_slots_total{verdict="cancelled",reason="removed"} 0"#,
      #"takt_slot_lateness_seconds_count{qos="utility"} 0"#,
      #"takt_runs_total{outcome="failed"} 0"#, #"takt_reloads_total{outcome="refused"} 0"#,
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
    #expect(PrometheusLint.problems(in: text) == [])
  }

  @Test func `the text keeps the rules of its format`() throws {
    #expect(PrometheusLint.problems(in: text(try filled)) == [])
  }

  @Test(arguments: [
    "x 1\n", "# TYPE x counter\nx 1\n", "# HELP x_total X.\n# TYPE x_total gauge\nx_total 1\n",
    "# HELP x X.\n# TYPE x counter\nx 1\n", "# HELP x X.\n# TYPE x gauge\nx 1\nx 2\n",
    "# HELP x X.\n# TYPE x gauge\nx{a=\"b} 1\n", "# HELP x X.\n# TYPE x gauge\nx one\n",
    "# HELP x X.\n# TYPE x histogram\nx_bucket{le=\"1\"} 2\nx_bucket{le=\"+Inf\"} 1\nx_sum 1\nx_count 1\n",
    "# HELP x X.\n# TYPE x histogram\nx_bucket{le=\"1\"} 2\nx_sum 1\nx_count 2\n",
  ])
  func `what breaks them is found`(text: String) {
    #expect(!PrometheusLint.problems(in: text).isEmpty)
  }

  @Test func `the smallest of many are found without sorting all`() {
    let values = (0..<1000).map { ($0 * 7919) % 1000 }
    #expect(values.smallest(5) == [0, 1, 2, 3, 4])
    #expect([3, 1].smallest(5) == [1, 3])
  }
}
