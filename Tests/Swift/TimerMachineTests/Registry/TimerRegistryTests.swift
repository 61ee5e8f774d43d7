import Dispatch
import Testing
import TimerMachineTesting

@testable import TimerMachine

struct TimerRegistryTests {
  private let manual = ManualTimerFactory()
  private let notes = Notes()
  private let registry: TimerRegistry

  init() {
    registry = TimerRegistry(factory: manual, queue: DispatchQueue(label: "unused"))
  }

  private func add(
    _ name: String, seconds: Int, _ note: String, ifExists: ExistingTimer = .replace
  ) throws -> SafeTimer? {
    registry.add(name, try .every(.seconds(seconds)), ifExists: ifExists) { [notes] _ in
      notes.note(note)
    }
  }

  @Test func `timers are found and cancelled by name`() throws {
    let machine = try add("a", seconds: 1, "a")
    _ = try add("b", seconds: 1, "b")
    #expect(registry.names == ["a", "b"])
    #expect(registry.timer(named: "a") === machine)
    #expect(registry.cancel("a"))
    #expect(!registry.cancel("a"))
    #expect(machine?.state == .cancelled)
    manual.advance(by: .seconds(1))
    #expect(notes.all == ["b"])
    registry.cancelAll()
    #expect(registry.names.isEmpty)
    #expect(manual.armedCount == 0)
  }

  @Test func `the registry keeps its timers alive and its release ends them`() throws {
    var registry: TimerRegistry? = TimerRegistry(
      factory: manual, queue: DispatchQueue(label: "unused"))
    registry?.add("a", try .every(.seconds(1))) { [notes] _ in notes.note("a") }
    manual.advance(by: .seconds(2))
    #expect(notes.all == ["a", "a"])
    registry = nil
    #expect(manual.armedCount == 0)
    _ = registry
  }

  /// Brings a timer to life again before the registry has heard of its end.
  private final class Reviver: TimerObserver {
    func observe(_ transition: TimerTransition) {
      guard transition.to == .cancelled else { return }
      _ = machine.withLock { $0 }?.activate(schedule)
    }

    let machine = Guarded<SafeTimer?>(nil)
    let schedule: TimerSchedule

    init(_ schedule: TimerSchedule) { self.schedule = schedule }
  }

  @Test func `a timer that is activated again at once stays in the registry`() throws {
    let reviver = Reviver(try .every(.seconds(1)))
    let registry = TimerRegistry(
      factory: manual, queue: DispatchQueue(label: "unused"), observer: reviver)
    let machine = registry.add("a", try .every(.seconds(1))) { _ in }
    reviver.machine.withLock { $0 = machine }
    machine?.cancel(keepHandlers: true)
    #expect(machine?.state == .running)
    #expect(registry.timer(named: "a") === machine)
    reviver.machine.withLock { $0 = nil }
  }

  @Test func `a second timer of a name replaces the first`() throws {
    let first = try add("a", seconds: 1, "first")
    _ = try add("a", seconds: 2, "second")
    #expect(first?.state == .cancelled)
    manual.advance(by: .seconds(2))
    #expect(notes.all == ["second"])
  }

  @Test func `a second timer of a name may be refused`() throws {
    let first = try add("a", seconds: 1, "first")
    #expect(try add("a", seconds: 2, "second", ifExists: .refuse) == nil)
    #expect(registry.timer(named: "a") === first)
    manual.advance(by: .seconds(1))
    #expect(notes.all == ["first"])
  }

  @Test func `merging takes the new interval and both actions, the previous first`() throws {
    let first = try add("a", seconds: 1, "first")
    #expect(try add("a", seconds: 10, "second", ifExists: .merge) === first)
    manual.advance(by: .seconds(10))
    #expect(notes.all == ["first", "second"])
  }

  @Test func `actions kept at cancel are found by a later merge`() throws {
    _ = try add("a", seconds: 1, "first")
    _ = try add("a", seconds: 1, "second", ifExists: .merge)
    registry.cancel("a", keepActions: true)
    manual.advance(by: .seconds(5))
    #expect(notes.all.isEmpty)
    _ = try add("a", seconds: 1, "third", ifExists: .merge)
    manual.advance(by: .seconds(1))
    #expect(notes.all == ["first", "second", "third"])
  }

  @Test func `kept actions are forgotten by a replacement and by cancel`() throws {
    _ = try add("a", seconds: 1, "first")
    registry.cancel("a", keepActions: true)
    _ = try add("a", seconds: 1, "second")
    manual.advance(by: .seconds(1))
    #expect(notes.all == ["second"])
    registry.cancel("a", keepActions: true)
    registry.cancel("a")
    _ = try add("a", seconds: 1, "third", ifExists: .merge)
    manual.advance(by: .seconds(1))
    #expect(notes.all == ["second", "third"])
  }

  @Test func `a timer that is over leaves the registry and can be activated again`() throws {
    let once = try TimerSchedule.once(after: .seconds(1))
    let added = registry.add("a", once) { [notes] _ in notes.note("a") }
    let machine = try #require(added)
    manual.advance(by: .seconds(1))
    #expect(machine.state == .cancelled)
    #expect(registry.timer(named: "a") == nil)
    _ = machine.activate(once)
    manual.advance(by: .seconds(1))
    #expect(notes.all == ["a", "a"])
  }

  @Test func `an action may add and cancel in its own registry`() throws {
    registry.add("a", try .every(.seconds(1))) { [notes, weak registry] _ in
      notes.note("a")
      registry?.cancel("a")
      _ = try? registry?.add("b", .once(after: .seconds(1))) { _ in notes.note("b") }
    }
    manual.advance(by: .seconds(5))
    #expect(notes.all == ["a", "b"])
    #expect(registry.names.isEmpty)
  }

  @Test func `calls from many places share a debouncer and a throttle by identifier`() throws {
    for number in 1...3 {
      try registry.debounce("save", for: .milliseconds(300)) { [notes] in
        notes.note("save \(number)")
      }
      try registry.throttle("search", every: .milliseconds(100)) { [notes] in
        notes.note("search \(number)")
      }
    }
    manual.advance(by: .seconds(1))
    #expect(notes.all == ["search 1", "search 3", "save 3"])
    #expect(registry.cancelRate("save"))
    #expect(!registry.cancelRate("save"))
  }

  @Test func `other settings begin a rate again`() throws {
    try registry.debounce("save", for: .seconds(1)) { [notes] in notes.note("slow") }
    try registry.debounce("save", for: .milliseconds(1)) { [notes] in notes.note("fast") }
    manual.advance(by: .seconds(5))
    #expect(notes.all == ["fast"])
  }

  @Test func `timers of all names survive threads that add, merge and cancel them`() throws {
    let queue = DispatchQueue(label: "registry")
    let registry = TimerRegistry(factory: CoalescingTimerFactory(queue: queue), queue: queue)
    let group = DispatchGroup()
    for thread in UInt64(0)..<4 {
      DispatchQueue(label: "thread \(thread)").async(group: group) {
        var generator = SeededGenerator(seed: thread)
        for _ in 0..<5_000 {
          let name = "timer \(Int.random(in: 0..<4, using: &generator))"
          let choice = Int.random(in: 0..<4, using: &generator)
          let schedule = try? TimerSchedule.every(.microseconds(100), times: 2)
          guard choice > 0, let schedule else {
            registry.cancel(name, keepActions: false)
            continue
          }
          registry.add(name, schedule, ifExists: [.replace, .merge, .refuse][choice - 1]) { _ in }
        }
      }
    }
    group.wait()
    registry.cancelAll()
    #expect(registry.names.isEmpty)
  }

  @Test func `a merge keeps all actions after one was removed`() throws {
    let machine = try add("a", seconds: 1, "first")
    _ = try add("a", seconds: 1, "second", ifExists: .merge)
    _ = try add("a", seconds: 1, "third", ifExists: .merge)
    machine?.removeHandler("action 2")
    _ = try add("a", seconds: 1, "fourth", ifExists: .merge)
    manual.advance(by: .seconds(1))
    #expect(notes.all == ["first", "third", "fourth"])
    machine?.removeHandler(TimerHandler.main)
    _ = try add("a", seconds: 1, "fifth", ifExists: .merge)
    #expect(machine?.handlers.count == 3)
  }

  @Test func `a kept action may call the registry as it goes`() throws {
    let forget: [() throws -> Void] = [
      { [registry] in registry.cancelAll() },
      { [registry] in registry.cancel("a") },
      { [registry] in registry.add("a", try .every(.seconds(1))) { _ in } },
    ]
    for (number, forget) in forget.enumerated() {
      try keepParting()
      try forget()
      #expect(notes.all.count == number + 1)
    }
  }

  /// Leaves a kept action behind that looks at the registry when it is destroyed.
  private func keepParting() throws {
    let parting = Parting { [registry, notes] in notes.note("gone \(registry.names.count)") }
    registry.add("a", try .every(.seconds(1))) { _ in parting.keep() }
    registry.cancel("a", keepActions: true)
  }
}
