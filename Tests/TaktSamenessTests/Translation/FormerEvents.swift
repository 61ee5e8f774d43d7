import FormerCore
import TaktCore

/// What both cores are told. The timers of the present core are named by `FormerTimers`.
extension TaktCore.SchedulerCommand: HasFormer {
  var former: FormerCore.SchedulerCommand {
    switch self {
    case .trigger(let job, let slot, let parameters, let isForced):
      .trigger(
        job.former, slot: slot,
        parameters: FormerCore.RunParameters(
          values: parameters.values.mapValues(\.former), environment: parameters.environment),
        isForced: isForced)
    case .suspend(let job, let until, let reason):
      .suspend(job.former, until: until, reason: reason)
    case .resume(let job): .resume(job.former)
    case .cancelJob(let job): .cancelJob(job.former)
    case .cancelRun(let run): .cancelRun(run.former)
    }
  }
}

extension TaktCore.SchedulerReply: HasFormer {
  var former: FormerCore.SchedulerReply {
    switch self {
    case .done(let runs): .done(runs: runs.former)
    case .unknownJob: .unknownJob
    case .unknownRun: .unknownRun
    case .notSuspended: .notSuspended
    case .past: .past
    case .tooMany: .tooMany
    case .overlapping(let run): .overlapping(run.former)
    case .unavailable: .unavailable
    }
  }
}

extension TaktCore.AttemptReport: HasFormer {
  var former: FormerCore.AttemptReport {
    FormerCore.AttemptReport(
      result.former, descendants: descendants.former,
      output: FormerCore.OutputFacts(
        stdoutBytes: output.stdoutBytes, stderrBytes: output.stderrBytes,
        matchesFailurePattern: output.matchesFailurePattern, kept: output.kept.former))
  }
}

extension TaktCore.AttemptResult: HasFormer {
  var former: FormerCore.AttemptResult {
    switch self {
    case .exited(let status): .exited(status)
    case .signalled(let number): .signalled(number)
    case .notStarted(let stage, let errno): .notStarted(stage.former, errno: errno)
    case .done: .done
    case .failed(let reason): .failed(reason)
    }
  }
}

extension TaktCore.Descendant: HasFormer {
  var former: FormerCore.Descendant { FormerCore.Descendant(pid: pid, name: name) }
}

extension TaktCore.KeptOutput: HasFormer {
  var former: FormerCore.KeptOutput {
    FormerCore.KeptOutput(head: head, tail: tail, droppedBytes: droppedBytes)
  }
}

extension TaktCore.FormerBooks: HasFormer {
  var former: FormerCore.FormerBooks {
    var jobs: [FormerCore.JobName: FormerCore.FormerJob] = [:]
    for (name, job) in self.jobs { jobs[name.former] = job.former }
    var former = FormerCore.FormerBooks(lastRun: lastRun, jobs: jobs, runs: runs.former)
    former.isUnread = isUnread
    return former
  }
}

extension TaktCore.FormerJob: HasFormer {
  var former: FormerCore.FormerJob {
    FormerCore.FormerJob(
      mark: mark.former, isSameBoot: isSameBoot, version: version.former, isOpen: isOpen,
      pending: pending)
  }
}

extension TaktCore.FormerRun: HasFormer {
  var former: FormerCore.FormerRun {
    FormerCore.FormerRun(
      head.former, isUndecided: isUndecided, attempts: attempts, retry: retry?.former,
      isEnded: isEnded)
  }
}
