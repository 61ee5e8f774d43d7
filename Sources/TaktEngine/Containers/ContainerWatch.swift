import Dispatch
import Synchronization
package import TaktCore
import TaktTime
package import TaktTransfer
package import TimerMachine

/// Reports the running containers that may declare jobs, now and whenever they change.
///
/// Safe from any thread. Requests to the engine block a queue of the watch's own.
package final class ContainerWatch: Sendable {
  private struct State {
    var following = ContainerFollowing()
    var stream: RunningTransfer<HTTPReply>?
    /// The number of the current stream: an older one may end late.
    var streamNumber = 0
    var isClosed = false
  }

  private static let actions: Set<String> = [
    "start", "die", "died", "destroy", "remove", "rename", "unpause",
  ]

  private let source: any ContainerSource
  private let time: any TimeSource
  private let queue = DispatchQueue(label: "takt.containers", qos: .utility)
  private let state = Mutex(State())
  private let timer = Mutex<SafeTimer?>(nil)
  private let onChange: @Sendable ([LabelledContainer]) -> Void
  private let log: @Sendable (LogLevel, String) -> Void

  /// - Parameters:
  ///   - source: the engine.
  ///   - timerLog: gets every transition of its timer. Default none.
  ///   - log: gets a sentence when the engine goes or comes back.
  ///   - onChange: gets all containers that count, on the watch's queue.
  package init(
    _ source: any ContainerSource, factory: any TimerFactory,
    timerLog: (any TimerObserver)? = nil,
    log: @escaping @Sendable (LogLevel, String) -> Void,
    onChange: @escaping @Sendable ([LabelledContainer]) -> Void
  ) {
    self.source = source
    self.onChange = onChange
    self.log = log
    time = factory.time
    let timer = SafeTimer(
      name: "containers-timer", factory: factory, queue: queue, observer: timerLog
    ) { [weak self] _ in self?.receive(.timer) }
    self.timer.withLock { $0 = timer }
  }

  package func begin() {
    queue.async { [self] in perform(state.withLock { $0.following.begin() }) }
  }

  /// Returns when all events so far are processed.
  func catchUp() { queue.sync {} }

  package func close() {
    let stream = state.withLock { state in
      state.isClosed = true
      return state.stream
    }
    stream?.cancel()
    timer.withLock { timer in
      if timer?.state == .running { timer?.cancel() }
      timer = nil
    }
  }

  private func receive(_ input: ContainerFollowing.Input) {
    let now = time.monotonic
    let actions = state.withLock { state in
      state.isClosed ? [] : state.following.receive(input, at: now)
    }
    perform(actions)
    arm()
  }

  private func arm() {
    let deadline = state.withLock { $0.isClosed ? nil : $0.following.deadline }
    timer.withLock { timer in
      guard let timer else { return }
      if timer.state == .running { timer.cancel(keepHandlers: true) }
      guard let deadline else { return }
      let delay = max(.milliseconds(1), deadline - time.monotonic)
      _ = timer.activate(.once(afterClamping: delay))
    }
  }

  private func perform(_ actions: [ContainerFollowing.Action]) {
    for action in actions {
      switch action {
      case .open: open()
      case .list: list()
      case .deliver(let containers): onChange(containers)
      case .warn(let sentence): log(.warning, sentence)
      case .note(let sentence): log(.notice, sentence)
      }
    }
  }

  private func open() {
    let number = state.withLock { state in
      state.streamNumber += 1
      return state.streamNumber
    }
    do throws(ContainerFailure) {
      let stream = try source.follow(
        { [weak self] event in
          guard let self, let action = event.action, Self.actions.contains(action) else { return }
          queue.async { self.receive(.changed) }
        },
        onEnd: { [weak self] failure in
          guard let self else { return }
          queue.async { self.ended(number, failure) }
        })
      let isClosed = state.withLock { state in
        state.stream = stream
        return state.isClosed
      }
      if isClosed { stream?.cancel() }
      receive(.opened)
    } catch {
      receive(.broke(error.message))
    }
  }

  private func ended(_ number: Int, _ failure: ContainerFailure?) {
    let isCurrent = state.withLock { state in
      guard state.streamNumber == number else { return false }
      state.stream = nil
      return true
    }
    guard isCurrent else { return }
    receive(.broke(failure?.message ?? "the container engine has ended its events"))
  }

  private func list() {
    do throws(ContainerFailure) {
      receive(.listed(try source.running()))
    } catch {
      // The next stream starts with another list.
      let stream = state.withLock { state in
        state.streamNumber += 1
        defer { state.stream = nil }
        return state.stream
      }
      stream?.cancel()
      receive(.broke(error.message))
    }
  }
}

package protocol ContainerSource: Sendable {
  /// The running containers that may declare jobs. Blocks.
  func running() throws(ContainerFailure) -> [LabelledContainer]

  /// Follows the events of containers; nil if nothing can be cancelled.
  func follow(
    _ onEvent: @escaping @Sendable (ContainerEvent) -> Void,
    onEnd: @escaping @Sendable (ContainerFailure?) -> Void
  ) throws(ContainerFailure) -> RunningTransfer<HTTPReply>?
}

extension ContainerEngine: ContainerSource {
  package func running() throws(ContainerFailure) -> [LabelledContainer] {
    try containers(isAll: false).compactMap { summary in
      let container = LabelledContainer(
        id: summary.id, name: summary.name, labels: summary.labels ?? [:])
      return container.mayDeclareJobs ? container : nil
    }
  }

  package func follow(
    _ onEvent: @escaping @Sendable (ContainerEvent) -> Void,
    onEnd: @escaping @Sendable (ContainerFailure?) -> Void
  ) throws(ContainerFailure) -> RunningTransfer<HTTPReply>? {
    try events(onEvent, onEnd: onEnd)
  }
}
