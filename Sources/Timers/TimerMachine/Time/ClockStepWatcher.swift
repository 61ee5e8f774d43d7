public import Dispatch

/// Reports when the wall clock is set, forward or backward.
///
/// On Linux the kernel reports it at once, and again when the machine wakes from sleep. On other
/// systems `isWatching` is false, and the handler is never called; timers follow the wall clock there
/// by an alarm of the system.
public final class ClockStepWatcher: Sendable {
  private let source: ClockStepSource?

  /// Watches from now until it is released.
  ///
  /// - Parameters:
  ///   - queue: where `handler` is called.
  ///   - handler: called once for one or more steps in quick succession. It may be called once more
  ///     while the watcher is being released.
  public init(queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
    source = ClockStepSource(queue: queue, handler: handler)
  }

  /// Whether the system reports clock steps; false on other systems than Linux, and there if
  /// no file descriptor is left.
  public var isWatching: Bool { source != nil }
}
