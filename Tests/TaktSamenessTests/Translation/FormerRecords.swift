import FormerCore
import TaktCore

/// What both cores have kept.
extension TaktCore.LedgerEntry: HasFormer {
  var former: FormerCore.LedgerEntry {
    switch self {
    case .verdict(let record): .verdict(record.former)
    case .pending(let job, let slot): .pending(job.former, slot)
    case .mark(let mark): .mark(mark.former)
    case .schedule(let version): .schedule(version.former)
    case .scheduleEnded(let job, let edge): .scheduleEnded(job.former, edge.former)
    case .claimed(let beginning): .claimed(beginning.former)
    case .began(let beginning): .began(beginning.former)
    case .attemptBegan(let run, let attempt, let at):
      .attemptBegan(run.former, attempt: attempt, at: at)
    case .backedOff(let run, let retry, let at): .backedOff(run.former, retry.former, at: at)
    case .attemptOutput(let run, let attempt, let output, let at):
      .attemptOutput(run.former, attempt: attempt, output.former, at: at)
    case .ended(let record): .ended(record.former)
    case .settled(let run): .settled(run.former)
    case .process: preconditionFailure("no core knows of processes")
    case .clockStepped(let at, let step): .clockStepped(at: at, by: step)
    case .reloaded(let record):
      .reloaded(FormerCore.ReloadRecord(at: record.at, kept: record.kept, lines: record.lines))
    }
  }
}

extension TaktCore.VerdictRecord: HasFormer {
  var former: FormerCore.VerdictRecord {
    FormerCore.VerdictRecord(
      job: job.former,
      slots: FormerCore.SlotSeries(first: slots.first, last: slots.last, count: slots.count),
      verdict: verdict.former, at: at, run: run?.former)
  }
}

extension TaktCore.Verdict: HasFormer {
  var former: FormerCore.Verdict {
    switch self {
    case .ran: .ran
    case .skipped(let reason): .skipped(reason.former)
    case .coalesced(let into): .coalesced(into: into)
    case .missed(let cause): .missed(cause.former)
    case .cancelled(let reason): .cancelled(reason.former)
    }
  }
}

extension TaktCore.JobMark: HasFormer {
  var former: FormerCore.JobMark {
    FormerCore.JobMark(
      job: job.former, cursor: cursor.former, failureStreak: failureStreak, ranCount: ranCount,
      suspension: suspension?.former)
  }
}

extension TaktCore.Suspension: HasFormer {
  var former: FormerCore.Suspension {
    FormerCore.Suspension(since: since, until: until, reason: reason)
  }
}

extension TaktCore.CursorState: HasFormer {
  var former: FormerCore.CursorState {
    FormerCore.CursorState(
      clockLabel: clockLabel, clockInstant: clockInstant, anchor: anchor, clockMark: clockMark,
      wallMark: wallMark, delayed: delayed, ahead: ahead)
  }
}

extension TaktCore.ScheduleVersion: HasFormer {
  var former: FormerCore.ScheduleVersion {
    FormerCore.ScheduleVersion(
      job: job.former, schedule: schedule.former, isEnabled: isEnabled, anchor: anchor,
      from: from.former, instantsFrom: instantsFrom)
  }
}

extension TaktCore.ScheduleEdge: HasFormer {
  var former: FormerCore.ScheduleEdge {
    FormerCore.ScheduleEdge(clock: clock, wall: wall, at: at)
  }
}

extension TaktCore.RunHead: HasFormer {
  var former: FormerCore.RunHead {
    FormerCore.RunHead(
      run: run.former, job: job.former, slot: slot, kind: kind.former, delivery: delivery.former,
      hook: hook?.former, parent: parent?.former)
  }
}

extension TaktCore.RunBeginning: HasFormer {
  var former: FormerCore.RunBeginning {
    FormerCore.RunBeginning(head.former, attempt: attempt, at: at)
  }
}

extension TaktCore.RetryPosition: HasFormer {
  var former: FormerCore.RetryPosition {
    FormerCore.RetryPosition(attempt: attempt, until: until, end: end.former)
  }
}

extension TaktCore.RunRecord: HasFormer {
  var former: FormerCore.RunRecord {
    FormerCore.RunRecord(
      head.former, attempts: attempts, end: end.former, endedAt: endedAt, duration: duration,
      totals: FormerCore.RunTotals(output: totals.output.former), retry: retry?.former)
  }
}

extension TaktCore.RunEnd: HasFormer {
  var former: FormerCore.RunEnd { FormerCore.RunEnd(outcome.former, reason.former) }
}

extension TaktCore.RunReason: HasFormer {
  var former: FormerCore.RunReason {
    switch self {
    case .exit(let status): .exit(status)
    case .signal(let number): .signal(number)
    case .notStarted(let stage, let errno): .notStarted(stage.former, errno: errno)
    case .done: .done
    case .reported(let words): .reported(words)
    case .failsWhen(let sign): .failsWhen(sign.former)
    case .replaced: .replaced
    case .byOperator: .byOperator
    case .timeout: .timeout
    case .removed: .removed
    case .shutdown: .shutdown
    case .down: .down
    case .ledger: .ledger
    case .descendantsLeft(let count): .descendantsLeft(count)
    }
  }
}

extension TaktCore.LogRecord: HasFormer {
  var former: FormerCore.LogRecord {
    precondition(fact == nil, "no core makes facts")
    return FormerCore.LogRecord(
      at: at, level.former, event.former, routine: isRoutine,
      fields.map { FormerCore.LogField($0.key.former, $0.value.former) })
  }
}

extension TaktCore.LogValue: HasFormer {
  var former: FormerCore.LogValue {
    switch self {
    case .text(let text): .text(text)
    case .bytes(let bytes): .bytes(bytes)
    case .number(let number): .number(number)
    case .milliseconds(let duration): .milliseconds(duration)
    case .instant(let instant): .instant(instant)
    case .machine(.run(let run)): .machine(.run(run.former))
    case .machine(let machine): .text(machine.description)
    }
  }
}
