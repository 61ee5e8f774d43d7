import Synchronization
import TaktCore
import TaktTransfer
import Testing
import TimerMachineTesting

@testable import TaktEngine

/// The watch against a scripted engine, in virtual time.
@Suite struct ContainerWatchTests {
  @Test func `events, a lost stream, and an engine that is away`() {
    let bench = WatchBench()
    bench.engine.set(["a"])
    bench.watch.begin()
    #expect(bench.told() == [["a"]])
    bench.pass(.seconds(10))
    bench.engine.set(["a", "b"])
    bench.engine.send("exec_start")
    bench.pass(.seconds(10))
    #expect(bench.told() == [["a"]])
    bench.engine.send("start")
    bench.pass(.seconds(1))
    #expect(bench.told() == [["a"], ["a", "b"]])

    bench.engine.set(nil)
    bench.engine.end()
    bench.pass(.seconds(60))
    #expect(bench.told().count == 2)
    #expect(bench.said() == ["away; jobs from labels stay as they are, and takt tries again"])
    bench.engine.set(["b"])
    bench.pass(.seconds(60))
    #expect(bench.told().last == ["b"])
    #expect(bench.said().last == "the container engine is back")

    bench.watch.close()
    bench.engine.set([])
    bench.engine.send("die")
    bench.pass(.seconds(60))
    #expect(bench.told().last == ["b"])
  }

  @Test func `an engine that was never there`() {
    let bench = WatchBench()
    bench.engine.set(nil)
    bench.watch.begin()
    bench.pass(.seconds(100))
    #expect(bench.told().isEmpty)
    #expect(bench.said() == ["away; no labels are read yet, and takt tries again"])
    bench.engine.set([])
    bench.pass(.seconds(60))
    #expect(bench.told() == [[]])
  }
}

private final class ScriptedEngine: ContainerSource {
  private struct State {
    /// Nil while it is away.
    var names: [String]? = []
    var onEvent: (@Sendable (ContainerEvent) -> Void)?
    var onEnd: (@Sendable (ContainerFailure?) -> Void)?
  }

  private static let away = ContainerFailure(.noEngine, "away")
  private let state = Mutex(State())

  func set(_ names: [String]?) { state.withLock { $0.names = names } }

  func send(_ action: String) {
    state.withLock(\.onEvent)?(ContainerEvent(type: "container", action: action, actor: nil))
  }

  func end() { state.withLock(\.onEnd)?(Self.away) }

  func running() throws(ContainerFailure) -> [LabelledContainer] {
    guard let names = state.withLock(\.names) else { throw Self.away }
    return names.map {
      LabelledContainer(id: "id-\($0)", name: $0, labels: ["takt.jobs.x.run": "x"])
    }
  }

  func follow(
    _ onEvent: @escaping @Sendable (ContainerEvent) -> Void,
    onEnd: @escaping @Sendable (ContainerFailure?) -> Void
  ) throws(ContainerFailure) -> RunningTransfer<HTTPReply>? {
    let isAway = state.withLock { state in
      (state.onEvent, state.onEnd) = (onEvent, onEnd)
      return state.names == nil
    }
    if isAway { throw Self.away }
    return nil
  }
}

private final class WatchBench {
  private final class Seen: Sendable {
    let told = Mutex<[[String]]>([])
    let said = Mutex<[String]>([])
  }

  let engine = ScriptedEngine()
  let watch: ContainerWatch
  private let timers = ManualTimerFactory()
  private let seen: Seen

  init() {
    let seen = Seen()
    self.seen = seen
    watch = ContainerWatch(
      engine, factory: timers,
      log: { _, sentence in seen.said.withLock { $0.append(sentence) } },
      onChange: { containers in seen.told.withLock { $0.append(containers.map(\.name)) } })
  }

  func told() -> [[String]] {
    watch.catchUp()
    return seen.told.withLock(\.self)
  }

  func said() -> [String] {
    watch.catchUp()
    return seen.said.withLock(\.self)
  }

  /// Lets time pass in steps, each of which ends when the watch has done its due work.
  func pass(_ duration: Duration) {
    var left = duration
    while left > .zero {
      watch.catchUp()
      timers.advance(by: min(left, .milliseconds(100)))
      left -= .milliseconds(100)
    }
    watch.catchUp()
  }
}
