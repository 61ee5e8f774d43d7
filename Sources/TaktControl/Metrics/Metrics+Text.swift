import TaktCore
import TaktTime

/// The figures that are not counted but looked up for each request.
struct MetricsMoment: Sendable {
  struct Job: Sendable {
    var name: String
    var streak: Int
    /// Nil for a job without `expect_success_within`.
    var isStale = false
    /// True if no machine of the cluster has the labels that it needs.
    var isUnplaced = false
    /// The hooks that have failed and have not succeeded since.
    var failedAlarms: [String] = []
    var succeededAt: WallInstant?
    /// The processor time of its runs since takt started; nil without processes.
    var cpu: Duration?
    /// The peak memory of the last run that has one.
    var memoryPeakBytes: Int64?
    var lastRun: (at: WallInstant, outcome: Outcome)?
    var nextSlot: WallInstant?
    var counts = JobCounts()
  }

  var scheduler: SchedulerView
  var facts: DaemonFacts
  var figures: DaemonFigures
  var jobs: [Job]
  /// Nil without a cluster.
  var cluster: ClusterView?
  var now: Now
  /// The number of readers of events.
  var clients: Int
}

extension Metrics {
  /// All figures in Prometheus' format.
  func text(_ moment: MetricsMoment) -> [UInt8] {
    var text = PrometheusText()
    appendBuild(moment, to: &text)
    appendSlots(to: &text)
    appendRuns(moment, to: &text)
    appendProcesses(moment.figures.processes, to: &text)
    appendWakes(moment.figures, to: &text)
    appendReloads(to: &text)
    appendLedger(moment.figures, to: &text)
    appendJobs(moment.scheduler, to: &text)
    appendLabelledJobs(moment.jobs, to: &text)
    let settings = moment.scheduler.settings.metrics
    if settings.hasCounters { appendJobCounters(moment.jobs, to: &text) }
    if settings.hasCounters || settings.hasHistograms {
      appendJobDurations(moment.jobs, isHistogram: settings.hasHistograms, to: &text)
    }
    if let cluster = moment.cluster { appendCluster(cluster, to: &text) }
    return text.bytes
  }

  private func appendBuild(_ moment: MetricsMoment, to text: inout PrometheusText) {
    text.family("takt_build_info", "gauge", "The program; the value is always 1.")
    text.sample("takt_build_info", [("version", moment.facts.version)], 1)
    text.single(
      "takt_start_time_seconds", "gauge", "When takt started, in seconds since the epoch.",
      moment.facts.started.inSeconds)
    text.single(
      "takt_event_clients", "gauge", "Connections that read events.", moment.clients)
  }

  private func appendSlots(to text: inout PrometheusText) {
    text.family("takt_slots_total", "counter", "Slots with a verdict, by verdict and reason.")
    for label in SlotLabel.all {
      text.sample(
        "takt_slots_total", [("verdict", label.verdict), ("reason", label.reason)],
        slots[label] ?? 0)
    }
    text.family(
      "takt_slot_lateness_seconds", "histogram",
      "Delay between the due time and the start of a slot, by QoS class.")
    for qos in QoS.allCases {
      text.histogram(
        "takt_slot_lateness_seconds", [("qos", qos.rawValue)],
        lateness[qos] ?? Histogram(Histogram.seconds))
    }
    text.family(
      "takt_slot_lateness_leeway_ratio", "histogram",
      "Lateness as a share of the leeway, for slots with leeway; above 1 is later than allowed.")
    text.histogram("takt_slot_lateness_leeway_ratio", [], latenessShare)
  }

  private func appendRuns(_ moment: MetricsMoment, to text: inout PrometheusText) {
    text.family("takt_runs_total", "counter", "Runs that have ended, by outcome.")
    for outcome in Outcome.allCases {
      text.sample("takt_runs_total", [("outcome", outcome.rawValue)], runs[outcome] ?? 0)
    }
    text.family("takt_hooks_total", "counter", "Hooks that have ended, by outcome.")
    for outcome in Outcome.allCases {
      text.sample("takt_hooks_total", [("outcome", outcome.rawValue)], hooks[outcome] ?? 0)
    }
    text.family("takt_run_duration_seconds", "histogram", "Durations of runs.")
    text.histogram("takt_run_duration_seconds", [], runDuration)
    text.family(
      "takt_process_start_seconds", "histogram",
      "From the decision to start an attempt to its process.")
    text.histogram("takt_process_start_seconds", [], startLatency)
    let view = moment.scheduler
    text.single("takt_runs_running", "gauge", "Active runs.", view.running)
    text.single("takt_runs_queued", "gauge", "Waiting runs.", view.queued)
    text.single(
      "takt_runs_running_max", "gauge", "Maximum number of active runs.",
      view.settings.maxRunning)
  }

  private func appendProcesses(
    _ figures: DaemonFigures.ProcessFigures, to text: inout PrometheusText
  ) {
    text.single(
      "takt_process_starts_ready", "gauge", "1 while processes can be started.",
      figures.isResponsive ? 1 : 0)
    text.single(
      "takt_process_starts_stuck", "gauge",
      "Processes that hang before their program starts, and that no run waits for.",
      figures.stuckNow)
    text.single(
      "takt_process_starts_stuck_total", "counter",
      "Processes that hung before their program started.", figures.stuck)
    text.single(
      "takt_processes_released_total", "counter",
      "Processes that commands left running and that were released (kill.leftovers).",
      figures.released)
    text.single(
      "takt_processes_left_alone_total", "counter",
      "Adopted processes that could not be attributed to a run, and were left alone.",
      figures.unrelated)
  }

  private func appendWakes(_ figures: DaemonFigures, to text: inout PrometheusText) {
    text.single("takt_wakes_total", "counter", "Wake-ups.", figures.wakes)
    text.single(
      "takt_wake_timers_total", "counter",
      "Timers served by those wake-ups; divide by takt_wakes_total for timers per wake-up.",
      figures.served)
    text.single(
      "takt_stuck_threads", "gauge",
      "Threads that wait for a file system that does not answer.", figures.stuckThreads)
    text.single(
      "takt_stuck_threads_total", "counter",
      "Threads given up because they waited too long.", figures.stuckThreadsTotal)
  }

  private func appendReloads(to text: inout PrometheusText) {
    text.family("takt_reloads_total", "counter", "Reloads, by outcome.")
    text.sample("takt_reloads_total", [("outcome", "applied")], reloadsApplied)
    text.sample("takt_reloads_total", [("outcome", "refused")], reloadsRefused)
    text.family("takt_diagnostics_total", "counter", "Diagnostics of reloads, by severity.")
    text.sample("takt_diagnostics_total", [("severity", "error")], diagnostics[.error] ?? 0)
    text.sample("takt_diagnostics_total", [("severity", "warning")], diagnostics[.warning] ?? 0)
    text.family("takt_plugin_restarts_total", "counter", "Restarts of service plugins.")
    for (name, count) in pluginRestarts.sorted(by: { $0.key < $1.key }) {
      text.sample("takt_plugin_restarts_total", [("plugin", name)], count)
    }
  }

  private func appendLedger(_ figures: DaemonFigures, to text: inout PrometheusText) {
    guard let ledger = figures.ledger else { return }
    text.single(
      "takt_ledger_queue_entries", "gauge", "Entries that are not written yet.", ledger.queued)
    text.single(
      "takt_ledger_lost_entries_total", "counter", "Entries that could not be kept.",
      ledger.lostEntries)
    text.single(
      "takt_ledger_failing", "gauge", "1 while the ledger cannot be written.",
      ledger.isFailing ? 1 : 0)
  }
}

extension Metrics {
  fileprivate func appendCluster(_ view: ClusterView, to text: inout PrometheusText) {
    text.single(
      "takt_cluster_members", "gauge",
      "Machines of the cluster with a lease, as of the engine's last answer.", view.aliveCount)
    text.single(
      "takt_cluster_engine_up", "gauge", "1 while the cluster's engine answers.",
      view.engineAnswers ? 1 : 0)
    text.single(
      "takt_cluster_lease_seconds", "gauge",
      "How long this machine's lease is still valid; 0 without one.",
      (view.lease ?? .zero).inSeconds)
    text.single(
      "takt_cluster_clock_offset_seconds", "gauge",
      "How far this machine's clock is ahead of the engine's.", view.facts.clockOffset.inSeconds)
    text.single(
      "takt_cluster_waiting_slots", "gauge",
      "Slots that are due and that the engine has not decided yet, here.",
      view.unsettledCount + view.claimCount)
    text.single(
      "takt_cluster_drifted_jobs", "gauge",
      "Jobs that have a newer schedule on another machine.", view.driftedCount)
    text.single(
      "takt_cluster_unplaced_jobs", "gauge",
      "Jobs with labels that no machine of the cluster has.", view.unplacedCount)
  }
}

extension WallInstant {
  /// Since the epoch.
  var inSeconds: Double { Double(milliseconds) / 1000 }
}
