import Dispatch
import TimerMachine

/// Makes the timers of services: their fires arrive on the reactor's thread.
struct PluginClock: Sendable {
  let factory: any TimerFactory
  let queue: DispatchQueue
  let reactor: Reactor

  /// A timer that is not armed. `body` is called on the reactor's thread, with the generation of the
  /// arming: one that a later arming has overtaken may still come.
  func timer(_ name: String, _ body: @escaping @Sendable (UInt64) -> Void) -> TimerMachine {
    TimerMachine(name: name, factory: factory, queue: queue) { [reactor] fire in
      reactor.perform { _ in body(fire.generation) }
    }
  }
}

extension TimerMachine {
  /// Fires once after a while, in place of any earlier wish; a tenth of the time is leeway. Returns
  /// the generation of this arming; nil when there is none.
  func wait(_ duration: Duration) -> UInt64? {
    guard let schedule = try? TimerSchedule.once(after: duration, leeway: duration / 10) else {
      return nil
    }
    let reply =
      switch state {
      case .idle, .cancelled: activate(schedule)
      case .running, .suspended: reschedule(schedule)
      }
    if case .accepted(let generation) = reply { return generation }
    return nil
  }
}
