import Dispatch
import Synchronization
import TaktCore
import TaktEngine

final class ContainerLink: Sendable {
  /// The time a start waits for the engine: jobs known by then have missed nothing.
  private static let patience = DispatchTimeInterval.seconds(5)

  private struct State {
    var containers: [LabelledContainer] = []
    /// The containers in the last report to the follower.
    var told: [LabelledContainer] = []
    var follower: (@Sendable ([LabelledContainer]) -> Void)?
  }

  /// The last report of the watch.
  private final class Seen: Sendable {
    let state = Mutex(State())
    let arrived = DispatchSemaphore(value: 0)

    func note(_ containers: [LabelledContainer]) {
      let follower = state.withLock { state in
        state.containers = containers
        if state.follower != nil { state.told = containers }
        return state.follower
      }
      arrived.signal()
      follower?(containers)
    }
  }

  private let access: ContainerAccess
  private let seen: Seen
  private let watch: ContainerWatch
  private let observer: any Observer

  /// Nil, without side effects, if no labels are read.
  init?(_ settings: SchedulerSettings, on engine: Engine, observer: any Observer) {
    guard var access = settings.containers, access.readsLabels else { return nil }
    // Jobs of labels run where the labels were read, whatever sockets there are later.
    let socket: String
    do throws(ContainerFailure) {
      socket = try ContainerEngines.socket(access.socket).get()
    } catch {
      observer.logMessage("no labels are read: \(error.message)", .error, .reload)
      return nil
    }
    access.socket = socket
    let seen = Seen()
    self.seen = seen
    self.access = access
    self.observer = observer
    watch = ContainerWatch(
      ContainerEngine(socketPath: socket), factory: engine.factory,
      timerLog: engine.timerLog, log: { observer.logMessage($1, $0) },
      onChange: { seen.note($0) })
  }

  /// The jobs to start with, besides those of a file. Waits briefly for the engine.
  func jobs(beside snapshot: Snapshot, from source: any SnapshotSource) -> ContainerJobs {
    watch.begin()
    _ = seen.arrived.wait(timeout: .now() + Self.patience)
    let containers = seen.state.withLock { state in
      state.told = state.containers
      return state.containers
    }
    var jobs = ContainerJobs(containers, of: access)
    jobs.make(for: snapshot, from: source)
    for problem in jobs.problems { observer.logMessage(problem.sentence, .warning, .reload) }
    return jobs
  }

  /// Reports changes from now on.
  func follow(_ follower: @escaping @Sendable ([LabelledContainer]) -> Void) {
    let news = seen.state.withLock { state in
      state.follower = follower
      defer { state.told = state.containers }
      return state.told == state.containers ? nil : state.containers
    }
    if let news { follower(news) }
  }

  func close() { watch.close() }
}
