import Dispatch
package import TaktCore
package import TaktSystem
import TaktTime
package import TimerMachine

/// Tells when one of a set of files or folders is not what it was: also one that an editor replaces,
/// that is not there yet, or that a link leads to.
///
/// A change is told a moment after the first sign of it, so that several make one. A job that writes
/// beside the jobs file makes none.
package final class FileWatcher: Sendable {
  /// How long a change may settle before it is told.
  package static let settleTime = Duration.milliseconds(200)

  let watches: PathWatches
  private let owner: String
  private let timer: SafeTimer

  /// A watcher of nothing yet; both callbacks are made on a queue of the watcher's own.
  ///
  /// - Parameters:
  ///   - owner: whose files they are, for messages.
  ///   - timerName: what its timer is called in the log.
  ///   - timerLog: told of every transition of its timers. Default none.
  ///   - onError: a path cannot be watched: a sentence for people that says what to do.
  package init(
    of owner: String = "jobs file", timerName: String = "reload-timer", reactor: Reactor,
    factory: any TimerFactory, timerLog: (any TimerObserver)? = nil,
    onChange: @escaping @Sendable () -> Void,
    onError: @escaping @Sendable (String) -> Void
  ) throws(SystemError) {
    let queue = DispatchQueue(label: "takt.watch", qos: .utility)
    let timer = SafeTimer(
      name: timerName, factory: factory, queue: queue, observer: timerLog
    ) { _ in onChange() }
    self.owner = owner
    self.timer = timer
    watches = try PathWatches(
      reactor: reactor, factory: factory, timerLog: timerLog, queue: queue,
      onChange: { _ in
        // While it waits, the change is told when it fires.
        if timer.state != .running { _ = timer.activate(.once(afterClamping: Self.settleTime)) }
      }, onError: onError)
  }

  /// Watches these files, and no others from now on. A change since they were read is told, or, of a
  /// path that was watched before, since it was looked at last.
  package func watch(_ files: FilesRead) {
    watches.watch(
      Set(
        files.paths.map {
          WatchKey(owner: owner, path: $0, debounce: .zero, changeKind: .differences)
        }), read: files)
  }

  /// Watches nothing any more. Waits at most a second for changes that are being looked at.
  package func close() {
    let done = DispatchSemaphore(value: 0)
    watches.watch([]) { done.signal() }
    _ = done.wait(timeout: .now() + .seconds(1))
    if timer.state == .running { timer.cancel() }
  }
}
