import Dispatch
import Synchronization
package import TaktCore
import TaktSystem
package import TimerMachine
import TaktTime

/// The watches of the jobs in the present set; reports changes to the scheduler.
///
/// Safe from any thread. There is no watcher as long as no job has a path to watch.
package final class JobWatches: Sendable {
  private struct State {
    var keys: [JobName: Set<PathWatch>] = [:]
    var watches: PathWatches?
    var hasFailed = false
  }

  private let reactor: Reactor
  private let factory: any TimerFactory
  private let observer: any Observer
  private let send: @Sendable (SchedulerEvent) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - observer: gets paths that cannot be watched.
  ///   - send: gets the changes; called on a queue of the watcher's own.
  package init(
    reactor: Reactor, factory: any TimerFactory, observer: any Observer,
    send: @escaping @Sendable (SchedulerEvent) -> Void
  ) {
    self.reactor = reactor
    self.factory = factory
    self.observer = observer
    self.send = send
  }

  /// Watches the paths of these jobs.
  ///
  /// - Parameter done: called when that is done, before any change is reported; at once if there is
  ///   nothing to watch.
  package func begin(with specs: [JobSpec], done: @escaping @Sendable () -> Void) {
    change(done) { keys in
      for spec in specs where !spec.timing.schedule.watch.isEmpty {
        keys[spec.name] = spec.timing.schedule.watch
      }
    }
  }

  /// Watches the paths of the jobs after a reload; paths that stay keep changes that are not
  /// reported yet.
  ///
  /// - Parameter done: as for `begin`.
  package func apply(_ plan: ReloadPlan, done: @escaping @Sendable () -> Void) {
    change(done) { keys in
      for step in plan.steps {
        let watch = step.spec.timing.schedule.watch
        keys[step.spec.name] = step.change == .removed || watch.isEmpty ? nil : watch
      }
    }
  }

  /// Ends all watches, so that the log shows the end of each timer. Waits for that at most a
  /// second.
  package func close() {
    let done = DispatchSemaphore(value: 0)
    let watches = state.withLock { $0.watches }
    guard let watches else { return }
    watches.watch([]) { done.signal() }
    _ = done.wait(timeout: .now() + .seconds(1))
  }

  private func change(
    _ done: @escaping @Sendable () -> Void, _ body: (inout [JobName: Set<PathWatch>]) -> Void
  ) {
    let watches = state.withLock { state in
      body(&state.keys)
      if state.watches == nil, !state.keys.isEmpty, !state.hasFailed {
        state.watches = open()
        state.hasFailed = state.watches == nil
      }
      let keys = state.keys.flatMap { name, watches in
        watches.map { WatchKey($0, owner: name.text) }
      }
      state.watches?.watch(Set(keys), done: done)
      return state.watches
    }
    if watches == nil { done() }
  }

  private func open() -> PathWatches? {
    do throws(SystemError) {
      return try PathWatches(
        reactor: reactor, factory: factory, timerLog: OtherTimerLog(observer: observer),
        onPaths: { [send] key, paths in
          guard let name = JobName(key.owner) else { return }
          send(.changed(name, key.watch, paths: paths))
        }, onChange: { _ in },
        onError: { [observer, factory] in Self.logMessage($0, .warning, observer, factory) })
    } catch {
      Self.logMessage("cannot watch any path: \(error)", .error, observer, factory)
      return nil
    }
  }

  private static func logMessage(
    _ message: String, _ level: LogLevel, _ observer: any Observer, _ factory: any TimerFactory
  ) {
    observer.observe(
      LogRecord(at: factory.time.wall, level, .scheduler, [LogField(.message, .text(message))]))
  }
}
