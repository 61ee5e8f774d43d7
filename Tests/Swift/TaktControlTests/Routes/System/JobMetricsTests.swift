import Testing

@testable import TaktControl
@testable import TaktCore

/// Series of single jobs that the jobs file asks for.
@Suite struct JobMetricsTests {
  private func settings(histograms: Bool, jobs: Int = 10) -> SchedulerSettings {
    var settings = SchedulerSettings()
    settings.metrics.hasCounters = true
    settings.metrics.hasHistograms = histograms
    settings.metrics.jobs = jobs
    return settings
  }

  private func reload(
    _ world: ControlWorld, from old: [JobSpec], to new: [JobSpec],
    _ before: SchedulerSettings, _ after: SchedulerSettings
  ) {
    let plan = ReloadPlan(
      from: Snapshot(settings: before, jobs: old), to: Snapshot(settings: after, jobs: new))
    world.scheduler.send(.reloaded(plan))
    world.readModel.apply(
      ReloadReport(at: ControlWorld.wall, plan: plan, settings: [], diagnostics: []))
  }

  private func expect(_ text: String, has lines: [String]) {
    #expect(PrometheusLint.problems(in: text) == [])
    for line in lines { #expect(text.contains("\n\(line)\n"), "\(line) in \(text)") }
  }

  @Test func `a job has a histogram, its last run and its next slot`() async throws {
    let world = try await ControlWorld(
      [.named("a", every: nil), .named("beat", every: .seconds(10))],
      settings: settings(histograms: true))
    let run = try world.trigger("a")
    world.scheduler.pass(.seconds(3))
    world.scheduler.end(run, .exited(1))
    let text = try world.get("/metrics").text
    expect(
      text,
      has: [
        "# TYPE takt_job_run_duration_seconds histogram",
        #"takt_job_run_duration_seconds_bucket{job="a",le="1.0"} 0"#,
        #"takt_job_run_duration_seconds_bucket{job="a",le="5.0"} 1"#,
        #"takt_job_run_duration_seconds_bucket{job="a",le="+Inf"} 1"#,
        #"takt_job_run_duration_seconds_sum{job="a"} 3.0"#,
        #"takt_job_run_duration_seconds_count{job="a"} 1"#,
        #"takt_job_run_duration_seconds_bucket{job="beat",le="+Inf"} 0"#,
        #"takt_job_last_run_seconds{job="a",outcome="failed"} 1790000003.0"#,
      ])
    #expect(text.contains(#"takt_job_next_slot_seconds{job="beat"}"#))
    #expect(!text.contains(#"takt_job_next_slot_seconds{job="a"}"#))
    #expect(!text.contains(#"takt_job_last_run_seconds{job="beat""#))
  }

  @Test func `without histograms there is no bucket, and no work for one`() async throws {
    let world = try await ControlWorld(
      [.named("a", every: nil)], settings: settings(histograms: false))
    world.scheduler.end(try world.trigger("a"))
    let text = try world.get("/metrics").text
    expect(
      text,
      has: [
        "# TYPE takt_job_run_duration_seconds summary",
        #"takt_job_run_duration_seconds_count{job="a"} 1"#,
      ])
    #expect(!text.contains("takt_job_run_duration_seconds_bucket"))
    let isUnmeasured = await world.readModel.read { state in
      state.jobs.values.allSatisfy { $0.counts.durations == nil }
    }
    #expect(isUnmeasured)
  }

  @Test func `a changed job keeps its counters, and those of a removed one go`() async throws {
    let settings = settings(histograms: true)
    let old: [JobSpec] = [try .named("a", every: nil), try .named("b", every: nil)]
    let world = try await ControlWorld(old, settings: settings)
    for name in ["a", "b"] { world.scheduler.end(try world.trigger(name)) }
    reload(world, from: old, to: [try .named("a", every: .seconds(60))], settings, settings)
    let text = try world.get("/metrics").text
    expect(
      text,
      has: [
        #"takt_job_runs_total{job="a",outcome="succeeded"} 1"#,
        #"takt_job_run_duration_seconds_count{job="a"} 1"#, "takt_jobs_with_series 1",
      ])
    #expect(!text.contains(#"job="b""#))
    // It starts again at 0 if it comes back.
    reload(world, from: [try .named("a", every: .seconds(60))], to: old, settings, settings)
    expect(
      try world.get("/metrics").text,
      has: [#"takt_job_runs_total{job="b",outcome="succeeded"} 0"#])
  }

  @Test func `a reload switches histograms on and off, and sums agree with buckets`() async throws {
    let jobs: [JobSpec] = [try .named("a", every: nil)]
    let (off, on) = (settings(histograms: false), settings(histograms: true))
    let world = try await ControlWorld(jobs, settings: off)
    world.scheduler.end(try world.trigger("a"))
    reload(world, from: jobs, to: jobs, off, on)
    world.scheduler.end(try world.trigger("a"))
    expect(
      try world.get("/metrics").text,
      has: [
        #"takt_job_run_duration_seconds_count{job="a"} 1"#,
        #"takt_job_runs_total{job="a",outcome="succeeded"} 2"#,
      ])
    reload(world, from: jobs, to: jobs, on, off)
    let text = try world.get("/metrics").text
    expect(text, has: [#"takt_job_run_duration_seconds_count{job="a"} 0"#])
    #expect(!text.contains("_bucket{job="))
  }

  @Test func `jobs beyond the limit have no series, and a metric says how many have`() async throws
  {
    let world = try await ControlWorld(
      [.named("a", every: nil), .named("b", every: nil), .named("c", every: nil)],
      settings: settings(histograms: true, jobs: 2))
    let text = try world.get("/metrics").text
    expect(text, has: ["takt_jobs_with_series 2", #"takt_jobs{state="served"} 3"#])
    #expect(!text.contains(#"job="c""#))
  }
}
