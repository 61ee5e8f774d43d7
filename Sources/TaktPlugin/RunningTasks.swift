import Synchronization

/// The runs in progress.
final class RunningTasks: Sendable {
  private let tasks = Mutex<[String: Task<PluginOutcome, Never>]>([:])

  func add(_ task: Task<PluginOutcome, Never>, _ run: String) { tasks.withLock { $0[run] = task } }

  func remove(_ run: String) { tasks.withLock { $0[run] = nil } }

  func cancel(_ run: String) { tasks.withLock { $0[run] }?.cancel() }
}
