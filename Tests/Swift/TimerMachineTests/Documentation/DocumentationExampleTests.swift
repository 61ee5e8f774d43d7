import Dispatch
import Synchronization
import Testing
import TimerMachine
import TimerMachineTesting

/// The examples of the catalogue, in virtual time where they allow it.
struct DocumentationExampleTests {
  private let clock = ManualTimerFactory()
  private let queue = DispatchQueue(label: "unused")
  private let notes = Notes()
  private var factory: any TimerFactory { clock }

  @Test func `a heartbeat`() throws {
    let queue = DispatchQueue(label: "com.example.timers")
    let factory = CoalescingTimerFactory(queue: queue)
    let heartbeat = SafeTimer(name: "heartbeat", factory: factory, queue: queue)
    heartbeat.activate(try .every(.seconds(10), leeway: .seconds(1))) { fire in
      print("beat \(fire.sequence), late by \(fire.lateness)")
    }
    #expect(heartbeat.state == .running)
  }

  @Test func `start, repeat, end`() throws {
    let reminder = SafeTimer(name: "reminder", factory: factory, queue: queue)
    reminder.activate(try .once(after: .seconds(5))) { fire in
      notes.note("due, last: \(fire.isLast)")
    }
    let retry = SafeTimer(name: "retry", factory: factory, queue: queue)
    retry.activate(try .every(.seconds(10), after: .seconds(1), times: 3)) { fire in
      notes.note("try \(fire.sequence)")
    }
    clock.advance(by: .seconds(60))
    #expect(notes.all == ["try 1", "due, last: true", "try 2", "try 3"])
    #expect(retry.state == .cancelled)
  }

  @Test func `the registration handler`() throws {
    let watchdog = SafeTimer(name: "watchdog", factory: factory, queue: queue)
    watchdog.activate(try .once(after: .seconds(30))) {
      notes.note("barked")
    } onArmed: {
      notes.note("armed")
    }
    clock.advance(by: .seconds(30))
    #expect(notes.all == ["armed", "barked"])
  }

  @Test func `suspend and resume`() throws {
    let poll = SafeTimer(name: "poll", factory: factory, queue: queue)
    poll.activate(try .every(.seconds(10))) { fire in
      notes.note("\(fire.periods) periods")
    }
    poll.suspend()
    clock.advance(by: .seconds(35))
    poll.resume(missed: .coalesce)
    clock.advance(by: .seconds(5))
    #expect(notes.all == ["3 periods", "1 periods"])
  }

  final class Tracker: Sendable {
    private let timer: SafeTimer

    init(_ factory: any TimerFactory, _ queue: DispatchQueue) {
      timer = SafeTimer(name: "tracker", factory: factory, queue: queue)
    }

    func begin(send: @escaping @Sendable (_ periods: Int) -> Void) {
      timer.activate(.every(clamping: .seconds(30))) { fire in send(fire.periods) }
    }

    func didEnterBackground() { timer.suspendAndWait() }
    func willEnterForeground() { timer.resume() }
  }

  @Test func `in the background and back`() {
    let tracker = Tracker(clock, queue)
    tracker.begin { periods in notes.note("\(periods)") }
    clock.advance(by: .seconds(40))
    tracker.didEnterBackground()
    clock.advance(by: .seconds(600))
    tracker.didEnterBackground()
    tracker.willEnterForeground()
    tracker.willEnterForeground()
    clock.advance(by: .zero)
    #expect(notes.all == ["1", "20"])
    clock.advance(by: .seconds(20))
    #expect(notes.all == ["1", "20", "1"])
  }

  @Test func `fire now`() throws {
    let refresh = SafeTimer(name: "refresh", factory: factory, queue: queue)
    refresh.activate(try .every(.seconds(3_600))) { _ in
      notes.note("refreshed")
    }
    refresh.fireNow()
    #expect(notes.all == ["refreshed"])
  }

  @Test func `change a running timer`() throws {
    let meter = SafeTimer(name: "meter", factory: factory, queue: queue)
    meter.activate(try .every(.seconds(10))) { fire in
      notes.note("at \(fire.deadline.nanoseconds / 1_000_000_000)")
    }
    clock.advance(by: .seconds(24))
    try meter.reschedule(interval: .seconds(4), phase: .keep)  // 26, 30, 34 …
    try meter.reschedule(interval: .seconds(5), phase: .restart)  // 29, 34, 39 …
    try meter.reschedule(interval: nil, leeway: .seconds(1))  // the same deadlines
    clock.advance(by: .seconds(10))
    #expect(notes.all == ["at 10", "at 20", "at 29", "at 34"])
  }

  @Test func `leeway and strict`() throws {
    let cleanup = SafeTimer(name: "cleanup", factory: factory, queue: queue)
    cleanup.activate(try .every(.seconds(60), leeway: .seconds(5))) { _ in
      notes.note("cleaned")
    }
    let metronome = SafeTimer(name: "metronome", factory: factory, queue: queue)
    metronome.activate(try .every(.milliseconds(500)).strict()) { _ in
      notes.note("tick")
    }
    clock.advance(by: .seconds(1))
    #expect(notes.all == ["tick", "tick"])
  }

  @Test func `the clock that people read`() throws {
    let newYear = WallInstant(nanoseconds: 1_798_761_600_000_000_000)
    let fireworks = SafeTimer(name: "fireworks", factory: factory, queue: queue)
    fireworks.activate(try .once(atWall: newYear)) { _ in
      notes.note("happy new year")
    }
    clock.setWall(newYear)
    clock.advance(by: .zero)
    #expect(notes.all == ["happy new year"])
  }

  @Test func `handlers by name`() throws {
    let job = SafeTimer(name: "job", factory: factory, queue: queue)
    job.setHandler("metrics") { fire in notes.note("fire \(fire.sequence)") }
    job.activate(try .every(.seconds(1))) { notes.note("work") }
    job.removeHandler("metrics")
    clock.advance(by: .seconds(1))
    #expect(notes.all == ["work"])
  }

  final class Printer: TimerObserver {
    func observe(_ transition: TimerTransition) {
      print(transition.sequence, transition.from, "->", transition.to, transition.cause)
    }
  }

  @Test func `an observer`() throws {
    let machine = SafeTimer(
      name: "observed", factory: factory, queue: queue, observer: Printer()
    )
    machine.activate(try .once(after: .seconds(1))) { _ in }
    clock.advance(by: .seconds(1))
    #expect(machine.state == .cancelled)
  }

  @Test func `a registry, a debouncer and a throttle`() throws {
    let registry = TimerRegistry(factory: factory, queue: queue)
    registry.add("sync", try .every(.seconds(60))) { _ in notes.note("upload") }
    registry.add("sync", try .every(.seconds(30)), ifExists: .merge) { _ in notes.note("download") }
    registry.cancel("sync", keepActions: true)
    registry.add("sync", try .every(.seconds(10)), ifExists: .merge) { _ in notes.note("verify") }
    clock.advance(by: .seconds(10))
    #expect(notes.all == ["upload", "download", "verify"])
    registry.cancelAll()

    let saver = Debouncer(clamping: .milliseconds(300), factory: factory, queue: queue)
    for letter in ["t", "ta", "tak", "takt"] {
      saver.call { notes.note("save \(letter)") }
    }
    clock.advance(by: .seconds(1))
    #expect(notes.all.suffix(1) == ["save takt"])

    for letter in ["t", "ta", "tak", "takt"] {
      try registry.throttle("search", every: .milliseconds(100), keeping: .latest) {
        notes.note("search \(letter)")
      }
    }
    clock.advance(by: .seconds(1))
    #expect(notes.all.suffix(2) == ["search t", "search takt"])
  }

  @Test func `a countdown`() throws {
    let countdown = Countdown(
      clamping: .seconds(3), tick: .seconds(1), factory: factory, queue: queue,
      onTick: { remaining in notes.note("\(remaining.components.seconds)") },
      onEnd: { notes.note("lift-off") })
    countdown.start()
    clock.advance(by: .seconds(1))
    countdown.pause()
    countdown.resume()
    clock.advance(by: .seconds(2))
    #expect(notes.all == ["2", "1", "lift-off"])
  }

  @Test func `a schedule that stays open`() throws {
    let clock = ManualTimerFactory()
    let factory = clock
    let queue = DispatchQueue(label: "unused")
    let notes = Notes()
    let deadline = SafeTimer(name: "deadline", factory: factory, queue: queue)
    deadline.activate(.once(afterClamping: .seconds(1)).stayingOpen()) { timer, fire in
      notes.note("deadline \(fire.sequence)")
      if fire.sequence < 3 { timer.reschedule(.once(afterClamping: .seconds(2)).stayingOpen()) }
    }
    clock.advance(by: .seconds(9))
    #expect(notes.all == ["deadline 1", "deadline 2", "deadline 3"])
    #expect(deadline.state == .running && deadline.deadline == nil)
  }

  @Test func `one line`() {
    let notes = Notes()
    let beat = SafeTimer.every(.seconds(30)) { notes.note("beat") }
    let hint = SafeTimer.once(after: .seconds(5)) { notes.note("hint") }
    #expect((beat.state, hint.state) == (.running, .running))
  }

  final class Sender: Sendable {
    private let timer: SafeTimer
    private let counted = Mutex(0)

    init(_ factory: any TimerFactory) {
      timer = SafeTimer(name: "sender", factory: factory)
    }

    var sent: Int { counted.withLock { $0 } }

    func begin() {
      timer.activate(.every(clamping: .seconds(30))) { [weak self] in self?.send() }
    }

    func pause() { timer.suspend() }
    func resume() { timer.resume() }
    func end() { timer.cancel() }

    private func send() { counted.withLock { $0 += 1 } }
  }

  @Test func `in a class of one's own`() {
    let sender = Sender(clock)
    sender.begin()
    clock.advance(by: .seconds(60))
    sender.pause()
    clock.advance(by: .seconds(60))
    sender.resume()
    sender.end()
    #expect(sender.sent == 2)
  }

  @MainActor
  final class Stopwatch {
    private(set) var seconds = 0
    private var timer: SafeTimer?

    func begin(_ factory: any TimerFactory) {
      timer = SafeTimer.every(.seconds(1), factory: factory, onMain: self) { stopwatch, _ in
        stopwatch.seconds += 1
      }
    }

    func end() async { await timer?.cancelAndWait() }
  }

  @Test func `on the main actor`() async {
    let clock = ManualTimerFactory()
    let stopwatch = Stopwatch()
    await stopwatch.begin(clock)
    clock.advance(by: .seconds(1))
    await stopwatch.end()
    #expect(await stopwatch.seconds == 1)
  }

  actor Store {
    private var refreshes = 0
    private var timer: SafeTimer?

    func begin(_ factory: any TimerFactory, _ queue: DispatchQueue) {
      timer = SafeTimer.every(
        .seconds(60), leeway: .seconds(5), factory: factory, queue: queue, on: self
      ) { store, _ in
        store.refreshes += 1
      }
    }
  }

  @Test func `on an actor`() async {
    let clock = ManualTimerFactory()
    let store = Store()
    await store.begin(clock, DispatchQueue(label: "unused"))
    #expect(clock.armedCount == 1)
  }

  @Test func `a clock for other libraries`() async throws {
    let factory = CoalescingTimerFactory(queue: DispatchQueue(label: "wakes"))
    let wakes = TimerClock(factory: factory, tolerance: .milliseconds(100))
    try await Task.sleep(until: wakes.now + .milliseconds(1), clock: wakes)
    #expect(factory.statistics.served == 1)
  }

  @Test func `count the time that the machine sleeps`() {
    let factory = ManualTimerFactory()
    let queue = DispatchQueue(label: "unused")
    let notes = Notes()
    let session = SafeTimer(name: "session", factory: factory, queue: queue)
    session.activate(.once(afterClamping: .seconds(3600)).countingSleep()) { _ in
      notes.note("signed out")
    }
    factory.clock.sleep(for: .seconds(3600))
    factory.advance(by: .zero)
    #expect(notes.all == ["signed out"])
  }

  @Test func `in a loop`() async throws {
    let queue = DispatchQueue(label: "ticker")
    let factory = CoalescingTimerFactory(queue: queue)
    let ticker = SafeTimer(name: "ticker", factory: factory, queue: queue)
    ticker.activate(try .every(.milliseconds(1), times: 3)) { _ in }
    for await tick in ticker.ticks {
      print(tick.sequence)
    }
    #expect(ticker.state == .cancelled)
  }

  @Test func `in virtual time`() throws {
    let manual = ManualTimerFactory()
    let saving = CoalescingTimerFactory(queue: queue, over: manual)
    let first = SafeTimer(name: "first", factory: saving, queue: queue)
    let second = SafeTimer(name: "second", factory: saving, queue: queue)
    first.activate(try .once(after: .seconds(10), leeway: .seconds(2))) {}
    second.activate(try .once(after: .seconds(11), leeway: .seconds(2))) {}
    manual.advance(by: .seconds(20))
    #expect(saving.statistics.wakes == 1)
    #expect((first.state, second.state) == (.cancelled, .cancelled))
  }
}
