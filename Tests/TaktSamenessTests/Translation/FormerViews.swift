@testable import FormerCore
import TaktCore

/// What those see who look at a core.
extension TaktCore.SchedulerView {
  /// - Parameter settings: those of the former core, which are compared less often.
  func former(with settings: FormerCore.SchedulerSettings) -> FormerCore.SchedulerView {
    FormerCore.SchedulerView(
      phase: phase.former, jobs: jobs, suspended: suspended, disabled: disabled, failing: failing,
      running: running, queued: queued, settings: settings)
  }
}

extension TaktCore.RunView: HasFormer {
  var former: FormerCore.RunView { FormerCore.RunView(run: run.former, state: state.former) }
}

extension TaktCore.StoredRun: HasFormer {
  var former: FormerCore.StoredRun {
    FormerCore.StoredRun(
      head.former, beganAt: beganAt, endedAt: endedAt, duration: duration, attempts: attempts,
      end: end?.former)
  }
}

extension TaktCore.Slot: HasFormer {
  var former: FormerCore.Slot {
    var causes: FormerCore.SlotCauses = []
    for cause in self.causes.sorted() { causes.insert(cause.former) }
    var former = FormerCore.Slot(
      nominal: nominal, causes: causes, deadline: deadline, window: window)
    former.offset = offset
    return former
  }
}

/// A job as it is seen, without its spec.
struct FormerJobView: Hashable {
  var state: FormerCore.JobView.State
  var next: FormerCore.Slot?
  var timer: FormerCore.TimerView
  var active: [FormerCore.RunView]
  var failureStreak: Int
  var ranCount: Int
  var suspension: FormerCore.Suspension?

  init(_ view: FormerCore.JobView) {
    state = view.state
    next = view.next
    timer = view.timer
    active = view.active
    failureStreak = view.failureStreak
    ranCount = view.ranCount
    suspension = view.suspension
  }

  init(_ view: TaktCore.JobView) {
    state = view.state.former
    next = view.next?.former
    timer = view.timer.former
    active = view.active.former
    failureStreak = view.failureStreak
    ranCount = view.ranCount
    suspension = view.suspension?.former
  }
}
