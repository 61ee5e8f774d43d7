public import Dispatch

/// Tells when the clock that people read was set, forward or backward.
///
/// On Linux the kernel tells it at once, and again when the machine wakes from sleep. Other
/// systems tell nothing here: `isWatching` is false and the handler is never called.
public final class ClockStepWatcher: Sendable {
  #if os(Linux)
    private let source: ClockStepSource?
  #endif

  /// Watches from now until it is released.
  ///
  /// - Parameters:
  ///   - queue: where `handler` is called.
  ///   - handler: called once for one or more steps in quick succession. It may come once more
  ///     while the watcher is being released.
  public init(queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
    #if os(Linux)
      source = ClockStepSource(queue: queue, handler: handler)
    #endif
  }

  /// Whether the system tells of clock steps; false when it has no descriptor left for it.
  public var isWatching: Bool {
    #if os(Linux)
      source != nil
    #else
      false
    #endif
  }
}
