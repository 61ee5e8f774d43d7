import FormerCore
import TaktCore

/// How the timers of the present core are named in the former one, where job and run have names.
struct FormerTimers {
  func former(_ key: TaktCore.TimerKey) -> FormerCore.TimerKey {
    switch key {
    case .job(let name): .job(name.former)
    case .run(let run): .run(run.former)
    case .expected(let run): .expected(run.former)
    case .shutdown: .shutdown
    }
  }
}
