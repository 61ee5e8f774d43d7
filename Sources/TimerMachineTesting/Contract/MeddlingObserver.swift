import TimerMachine

/// Suspends its machine when it sees the activation and resumes it when it sees the suspension.
final class MeddlingObserver: TimerObserver {
  let log = TransitionLog()
  let holder = MachineHolder()

  func observe(_ transition: TimerTransition) {
    log.observe(transition)
    switch transition.event {
    case .activate: holder.machine?.suspend()
    case .suspend: holder.machine?.resume()
    case .resume, .reschedule, .fire, .fireNow, .cancel, .release: break
    }
  }
}
