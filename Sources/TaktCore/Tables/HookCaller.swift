import TaktTime

/// The run that calls a hook, which may have ended.
struct HookCaller {
  let run: RunID
  let job: JobID
  let spec: JobSpec
  let slot: WallInstant
  let attempts: Int
  let startedAt: MonotonicInstant?
  let lateness: Duration
  let output: KeptOutput
  let use: Shared<RunUse>?
}

extension ActiveRun {
  var caller: HookCaller {
    mutating get {
      HookCaller(
        run: id, job: job, spec: spec, slot: nominal, attempts: machine.attempt,
        startedAt: startedAt, lateness: lateness, output: totals.output,
        use: totals.use)
    }
  }
}
