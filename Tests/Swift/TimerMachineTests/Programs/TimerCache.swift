import Testing
import TimerMachine
import TimerMachineTesting

/// Timers by name. A second one cancels the first or is merged with it; its actions can be kept.
private final class Timers: Sendable {
  private let registry: TimerRegistry

  init(factory: any TimerFactory = CoalescingTimerFactory.shared) {
    registry = TimerRegistry(factory: factory)
  }

  func schedule(
    _ name: String, every interval: Duration, repeats: Bool = true, merging: Bool = false,
    action: @escaping @Sendable () -> Void
  ) {
    let schedule: TimerSchedule =
      repeats ? .every(clamping: interval) : .once(afterClamping: interval)
    registry.add(name, schedule, ifExists: merging ? .merge : .replace) { _ in action() }
  }

  func exists(_ name: String) -> Bool { registry.timer(named: name) != nil }
  func cancel(_ name: String, keepingActions: Bool = false) {
    registry.cancel(name, keepActions: keepingActions)
  }
}

struct TimerCacheTests {
  private let time = ManualTimerFactory()
  private let notes = Notes()

  @Test func `a second timer of a name replaces the first, or is merged with it`() {
    let timers = Timers(factory: time)
    timers.schedule("sync", every: .seconds(60)) { [notes] in notes.note("old") }
    timers.schedule("sync", every: .seconds(2)) { [notes] in notes.note("upload") }
    time.advance(by: .seconds(2))
    timers.schedule("sync", every: .seconds(1), merging: true) { [notes] in notes.note("download") }
    time.advance(by: .seconds(1))
    #expect(notes.all == ["upload", "upload", "download"])
    timers.cancel("sync", keepingActions: true)
    #expect(!timers.exists("sync"))
    time.advance(by: .seconds(60))
    timers.schedule("sync", every: .seconds(1), repeats: false, merging: true) { [notes] in
      notes.note("verify")
    }
    #expect(timers.exists("sync"))
    time.advance(by: .seconds(60))
    #expect(notes.all.suffix(3) == ["upload", "download", "verify"] && notes.all.count == 6)
    #expect(!timers.exists("sync"))
  }
}
