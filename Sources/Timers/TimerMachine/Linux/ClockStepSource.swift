#if os(Linux) && !TIMERMACHINE_PORTABLE
  import CTimerFD
  @preconcurrency import Dispatch

  /// A timerfd that the kernel cancels when the wall clock is set, read by a dispatch source.
  final class ClockStepSource: Sendable {
    // Made once, activated at once and only cancelled afterwards: safe from any thread.
    private let source: any DispatchSourceRead

    /// `nil` when the system gives no timerfd.
    init?(queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
      let descriptor = ctimerfd_clock_watch_open()
      guard descriptor >= 0 else { return nil }
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { @Sendable in
        if ctimerfd_clock_watch_take(descriptor) { handler() }
      }
      // Dispatch may trap when a watched descriptor is closed before the source has let it go.
      source.setCancelHandler { @Sendable in ctimerfd_close(descriptor) }
      source.activate()
    }

    deinit {
      source.cancel()
    }
  }
#else
  import Dispatch

  /// Other systems report no steps.
  final class ClockStepSource: Sendable {
    init?(queue: DispatchQueue, handler: @escaping @Sendable () -> Void) { return nil }
  }
#endif
