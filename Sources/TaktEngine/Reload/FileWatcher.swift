import Dispatch
package import TaktCore
package import TaktSystem
package import TimerMachine

/// Reports when one of a set of files or folders has changed: also one that an editor replaces,
/// that does not exist yet, or that a link leads to.
///
/// A change is reported shortly after its first sign, so that several make one. A job that writes
/// next to the jobs file makes none.
package final class FileWatcher: Sendable {
  /// The time for which a change settles before it is reported.
  package static let settleTime = Duration.milliseconds(200)

  let watches: PathWatches
  private let owner: String
  private let timer: SafeTimer

  /// A watcher of nothing yet; both callbacks are made on a queue of the watcher's own.
  ///
  /// - Parameters:
  ///   - owner: the owner of the files, for messages.
  ///   - timerName: the name of its timer in the log.
  ///   - timerLog: gets every transition of its timers. Default none.
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
        // While it waits, its fire reports the change.
        if timer.state != .running { _ = timer.activate(.once(afterClamping: Self.settleTime)) }
      }, onError: onError)
  }

  /// Watches exactly these files from now on. Reports a change since they were read, or, for a path
  /// that was watched before, since it was last checked.
  package func watch(_ files: FilesRead) {
    watches.watch(
      Set(
        files.paths.map {
          WatchKey(owner: owner, path: $0, debounce: .zero, changeKind: .differences)
        }), read: files)
  }

  /// Ends all watches. Waits at most a second for changes that are being processed.
  package func close() {
    let done = DispatchSemaphore(value: 0)
    watches.watch([]) { done.signal() }
    _ = done.wait(timeout: .now() + .seconds(1))
    if timer.state == .running { timer.cancel() }
  }
}
