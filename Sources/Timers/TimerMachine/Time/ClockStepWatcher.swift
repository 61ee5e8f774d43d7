public import Dispatch

/// Reports each setting of the wall clock, forward or backward.
///
/// On Linux the kernel reports it at once, and again when the machine wakes from sleep. On other
/// systems `isWatching` is false, and the handler is never called; timers follow the wall clock there
/// by an alarm of the system.
public final class ClockStepWatcher: Sendable {
  private let source: ClockStepSource?

  /// Watches from now until it is released.
  ///
  /// - Parameters:
  ///   - queue: the queue of `handler`.
  ///   - handler: called once for one or more steps in quick succession. It may be called once more
  ///     while the watcher is being released.
  public init(queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
    source = ClockStepSource(queue: queue, handler: handler)
  }

  /// True if the system reports clock steps; false on systems other than Linux, and on Linux if no
  /// file descriptor is left.
  public var isWatching: Bool { source != nil }
}
