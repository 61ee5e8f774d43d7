@preconcurrency import Dispatch
import TimerMachine

/// Calls that kill a process on a bare dispatch source, and the same calls on a machine.
enum Misuse: String, CaseIterable, Codable, Sendable {
  case resumesTwice, resumesAfterActivation, resumesAfterCancel
  case releasesSuspended, releasesSuspendedAndCancelled, suspendsCancelledAndReleases
  case releasesNeverActivated, releasesNeverActivatedAndCancelled
  case suspendsBeforeActivationAndReleases
  case negativeInterval, notANumber, negativeLeeway

  /// Does it to a bare source.
  func commitOnBareSource() {
    var source: (any DispatchSourceTimer)? = DispatchSource.makeTimerSource(
      queue: DispatchQueue(label: "misuse"))
    source?.setEventHandler { @Sendable in }
    let never = DispatchTime.distantFuture
    source?.schedule(deadline: never)
    switch self {
    case .resumesTwice: source?.resume(); source?.resume()
    case .resumesAfterActivation: source?.activate(); source?.resume()
    case .resumesAfterCancel: source?.activate(); source?.cancel(); source?.resume()
    case .releasesSuspended: source?.activate(); source?.suspend()
    case .releasesSuspendedAndCancelled: source?.activate(); source?.suspend(); source?.cancel()
    case .suspendsCancelledAndReleases: source?.activate(); source?.cancel(); source?.suspend()
    case .releasesNeverActivated: break
    case .releasesNeverActivatedAndCancelled: source?.cancel()
    case .suspendsBeforeActivationAndReleases: source?.suspend(); source?.activate()
    case .negativeInterval: source?.schedule(deadline: never, repeating: .seconds(-1))
    case .notANumber: source?.schedule(deadline: never, repeating: Double.nan)
    case .negativeLeeway:
      source?.schedule(deadline: never, repeating: .seconds(1), leeway: .seconds(-1))
    }
    source = nil
  }

  /// Does the same to a machine, which is released at the end as well.
  func commit(on machine: consuming SafeTimer, schedule: TimerSchedule) throws {
    switch self {
    case .resumesTwice: machine.resume(); machine.resume()
    case .resumesAfterActivation: _ = machine.activate(schedule); machine.resume()
    case .resumesAfterCancel: _ = machine.activate(schedule); machine.cancel(); machine.resume()
    case .releasesSuspended: _ = machine.activate(schedule); machine.suspend()
    case .releasesSuspendedAndCancelled:
      _ = machine.activate(schedule); machine.suspend(); machine.cancel()
    case .suspendsCancelledAndReleases:
      _ = machine.activate(schedule); machine.cancel(); machine.suspend()
    case .releasesNeverActivated: break
    case .releasesNeverActivatedAndCancelled: machine.cancel()
    case .suspendsBeforeActivationAndReleases: machine.suspend(); _ = machine.activate(schedule)
    case .negativeInterval: _ = machine.activate(try .every(.seconds(-1)))
    case .notANumber: _ = machine.activate(try .every(TimerSchedule.duration(seconds: .nan)))
    case .negativeLeeway: _ = machine.activate(try .every(.seconds(1), leeway: .seconds(-1)))
    }
  }

  /// True if a machine answers with an error: its schedule cannot be made.
  var isThrownByMachine: Bool {
    switch self {
    case .negativeInterval, .notANumber, .negativeLeeway: true
    case .resumesTwice, .resumesAfterActivation, .resumesAfterCancel, .releasesSuspended,
      .releasesSuspendedAndCancelled, .suspendsCancelledAndReleases, .releasesNeverActivated,
      .releasesNeverActivatedAndCancelled, .suspendsBeforeActivationAndReleases:
      false
    }
  }
}
