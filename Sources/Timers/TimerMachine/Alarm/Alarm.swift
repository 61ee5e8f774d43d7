import Dispatch
import TaktTime

#if os(Linux) && !TIMERMACHINE_PORTABLE
  import CTimerFD
  import Synchronization
#endif

/// Calls a handler at an instant that any thread may change at any time.
///
/// On Linux a dedicated thread waits for a timerfd: a call wakes one thread, and setting the alarm
/// wakes none. Elsewhere, and where the system refuses a thread, it is a dispatch timer.
package final class Alarm: Sendable {
  private let clock: any AlarmClock

  /// An alarm that is set for nothing.
  ///
  /// - Parameters:
  ///   - name: the thread's, at most 15 characters.
  ///   - nice: added to the thread's nice value. Default 0.
  ///   - onDue: called once per setting whose instant comes, never concurrently. It may set the
  ///     alarm. A call may still belong to an earlier setting.
  package init(name: String, nice: Int32 = 0, onDue: @escaping @Sendable () -> Void) {
    #if os(Linux) && !TIMERMACHINE_PORTABLE
      clock =
        AlarmThread(name: name, nice: nice, onDue: onDue) ?? AlarmSource(name: name, onDue: onDue)
    #else
      clock = AlarmSource(name: name, onDue: onDue)
    #endif
  }

  // A call in progress continues; no other follows.
  deinit { clock.end() }

  /// Sets it for an instant, in place of the one before; nil for none.
  package func set(_ instant: MonotonicInstant?) { clock.set(instant ?? .distantFuture) }

  /// Sets it for the time after `delay` from now.
  package func set(after delay: Duration) { set(SystemTimeSource().monotonic + delay) }
}

private protocol AlarmClock: Sendable {
  func set(_ instant: MonotonicInstant)
  func end()
}

/// `@unchecked Sendable`: its only property is constant, a dispatch source, which any thread may use.
/// The source is activated at once and never suspended.
private final class AlarmSource: AlarmClock, @unchecked Sendable {
  private let source: any DispatchSourceTimer

  init(name: String, onDue: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: name))
    source.setEventHandler(handler: onDue)
    source.schedule(deadline: .distantFuture)
    source.activate()
  }

  func set(_ instant: MonotonicInstant) { source.schedule(deadline: DispatchTime(instant)) }

  func end() { source.cancel() }
}

#if os(Linux) && !TIMERMACHINE_PORTABLE
  /// The thread owns a reference, so that the descriptor stays open until the thread ends.
  private final class AlarmThread: AlarmClock {
    private let descriptor: Int32
    private let name: String
    private let nice: Int32
    private let onDue: @Sendable () -> Void
    private let hasEnded = Atomic<Bool>(false)

    /// Nil when the system gives no timerfd or no thread.
    init?(name: String, nice: Int32, onDue: @escaping @Sendable () -> Void) {
      descriptor = ctimerfd_alarm_open()
      self.name = name
      self.nice = nice
      self.onDue = onDue
      guard descriptor >= 0, start() else { return nil }
    }

    // By now no thread waits for it, and none can set it.
    deinit { if descriptor >= 0 { ctimerfd_close(descriptor) } }

    func set(_ instant: MonotonicInstant) {
      ctimerfd_alarm_set(descriptor, instant.nanoseconds)
    }

    func end() {
      hasEnded.store(true, ordering: .sequentiallyConsistent)
      ctimerfd_alarm_set(descriptor, 0)
    }

    private func start() -> Bool {
      // The new thread takes over the one reference that is made here.
      let argument = Unmanaged.passRetained(self)
      let isStarted = ctimerfd_alarm_start(
        { argument in
          guard let argument else { return nil }
          Unmanaged<AlarmThread>.fromOpaque(argument).takeRetainedValue().run()
          return nil
        }, argument.toOpaque())
      if !isStarted { argument.release() }
      return isStarted
    }

    private func run() {
      ctimerfd_alarm_begin(name, nice)
      while true {
        ctimerfd_alarm_wait(descriptor)
        if hasEnded.load(ordering: .sequentiallyConsistent) { return }
        onDue()
      }
    }
  }
#endif
