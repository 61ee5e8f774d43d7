import FormerCore
import TaktCore

/// How the present core names a timer: with `FormerTimers`, all that changes when it names them
/// otherwise.
typealias PresentTimer = TaktCore.TimerID

/// How the timers of the present core are named in the former one, where job and run have names.
struct FormerTimers {
  func former(_ timer: PresentTimer, in core: TaktCore.SchedulerCore) -> FormerCore.TimerKey {
    switch timer {
    case .job(let id): .job(core.jobName(of: id).former)
    case .run(let run): .run(run.former)
    case .expected(let run): .expected(run.former)
    case .shutdown: .shutdown
    }
  }

  /// Timers that are perhaps nobody's.
  static func foreign(_ run: TaktCore.RunID) -> [PresentTimer] {
    [.run(run), .expected(run), .shutdown]
      + [.job(TaktCore.JobID(index: .max))]
  }
}
