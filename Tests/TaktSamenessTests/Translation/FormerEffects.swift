@testable import FormerCore
import TaktCore

/// Effects of the present core as those of the former one: with `FormerTokens`, the only place that
/// knows how the two differ.
struct FormerEffects {
  let timers = FormerTimers()

  func former(
    _ effect: TaktCore.SchedulerEffect, of core: TaktCore.SchedulerCore,
    _ tokens: inout FormerTokens
  ) -> FormerCore.SchedulerEffect {
    switch effect {
    case .arm(let key, let deadline, let leeway, let token):
      let key = timers.former(key, in: core)
      return .arm(
        key, deadline: deadline, leeway: leeway, token: tokens.former(token, of: key))
    case .disarm(let key): return .disarm(timers.former(key, in: core))
    case .start(let request): return .start(former(request))
    case .signal(let run, let signal): return .signal(run.former, signal.former)
    case .record(let entry): return .record(entry.former)
    case .awaitLedger(let run): return .awaitLedger(run.former)
    case .served(let start):
      return .served(
        FormerCore.SlotStart(
          job: start.job.former, run: start.run.former, lateness: start.lateness,
          window: start.window, qos: start.qos.former))
    case .log(let record): return .log(record.former)
    case .finish: return .finish
    }
  }

  private func former(_ request: TaktCore.AttemptRequest) -> FormerCore.AttemptRequest {
    FormerCore.AttemptRequest(
      run: request.run.former, attempt: request.attempt, spec: request.spec.former,
      slot: request.slot, action: request.action.former, step: request.step,
      deadline: request.deadline,
      facts: request.facts.map { facts in
        FormerCore.RunFacts(
          hook: facts.hook.former, run: facts.run.former, attempts: facts.attempts,
          end: facts.end?.former, duration: facts.duration, lateness: facts.lateness,
          failureStreak: facts.failureStreak, output: facts.output.former)
      })
  }
}
