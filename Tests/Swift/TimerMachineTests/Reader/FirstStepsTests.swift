// The one import that a user's file has: what is used here of instants needs no other.
import Testing
import TimerMachine
import TimerMachineTesting

/// The first code of a reader of articles about `DispatchSourceTimer`.
struct FirstStepsTests {
  private let time = ManualTimerFactory()
  private let notes = Notes()

  @Test func `a closure after activate is the handler, in each of its forms`() throws {
    let timer = SafeTimer(factory: time)
    timer.activate(try .every(.seconds(30))) { [notes] in notes.note("sent") }
    time.advance(by: .seconds(90))
    #expect(notes.all == ["sent", "sent", "sent"])
    timer.cancel()

    timer.activate(try .every(.seconds(1), times: 2)) { [notes] in notes.note("\($0.sequence)") }
    time.advance(by: .seconds(9))
    #expect(notes.all.suffix(2) == ["4", "5"])

    timer.activate(try .every(.seconds(1))) { [notes] timer, fire in
      notes.note("at \(fire.deadline.nanoseconds / 1_000_000_000)")
      timer.cancel()
    } onArmed: { [notes] in
      notes.note("armed")
    }
    time.advance(by: .seconds(9))
    #expect(notes.all.suffix(2) == ["armed", "at 100"])
  }

  @Test func `an activation that is refused leaves the handler as it was`() throws {
    let timer = SafeTimer.every(.seconds(1), factory: time) { [notes] in notes.note("first") }
    let reply = timer.activate(try .every(.seconds(1))) { [notes] in notes.note("second") }
    #expect(reply == .refused(state: .running))
    time.advance(by: .seconds(1))
    #expect(notes.all == ["first"])
  }

  @Test func `everything but the handler has a default`() {
    let timers = [
      SafeTimer(), SafeTimer { _ in }, SafeTimer {}, SafeTimer { _, _ in },
      SafeTimer(task: { _ in }), SafeTimer(onMain: {}),
    ]
    #expect(timers.allSatisfy { $0.name == "timer" && $0.state == .idle })
    #expect(timers.map(\.handlers.count) == [0, 1, 1, 1, 1, 1])
    #expect(TimerRegistry().names.isEmpty)
  }

  @Test func `once and every are one line, and their handlers get their timer`() {
    let once = SafeTimer.once(after: .seconds(5), factory: time) { [notes] timer, fire in
      notes.note("\(timer.name) \(fire.isLast) \(timer.state)")
    }
    let every = SafeTimer.every(.seconds(2), name: "poll", factory: time) { [notes] timer, fire in
      notes.note("\(timer.name) \(fire.sequence)")
      if fire.sequence == 2 { timer.cancel() }
    }
    time.advance(by: .seconds(60))
    #expect(notes.all == ["poll 1", "poll 2", "once true cancelled"])
    #expect((once.state, every.state) == (.cancelled, .cancelled))
  }

  @Test func `a timer that is made with its schedule starts like a RepeatingTimer`() {
    let timer = SafeTimer(schedule: .every(clamping: .seconds(3)), factory: time) { [notes] in
      notes.note("fired")
    }
    #expect(timer.resume().isAccepted)
    time.advance(by: .seconds(3))
    timer.suspend()
    time.advance(by: .seconds(3))
    #expect(timer.start().isAccepted)
    #expect(timer.start().isAccepted)
    time.advance(by: .zero)
    timer.cancel()
    #expect(timer.resume() == .refused(state: .cancelled))
    #expect(timer.start().isAccepted)
    time.advance(by: .seconds(3))
    #expect(notes.all == ["fired", "fired", "fired"])
    timer.cancel(keepHandlers: false)
    #expect(timer.start() == .noHandler)
  }

  @Test func `an instant calculates without another import`() {
    let start = time.clock.monotonic
    time.advance(by: .seconds(2))
    #expect(time.clock.monotonic - start == .seconds(2))
    #expect(start + .seconds(2) > start)
    let wall: WallInstant = time.clock.wall
    #expect(TimerMachine.WallInstant(nanoseconds: wall.nanoseconds) == wall)
  }

  /// The defaults of properties, which cannot throw.
  private final class Search: Sendable {
    let saver = Debouncer(clamping: .milliseconds(300))
    let progress = Throttle(clamping: .milliseconds(100))
    let countdown = Countdown(clamping: .seconds(60), tick: .seconds(1))
    let timer = SafeTimer()
    let registry = TimerRegistry()
  }

  @Test func `debouncers, throttles and countdowns are defaults of properties`() {
    let search = Search()
    #expect(!search.saver.isActive && !search.progress.isActive)
    #expect(search.countdown.phase == .idle)
    let countdown = Countdown(clamping: .seconds(2), tick: .seconds(1), factory: time)
    countdown.start(
      onTick: { [notes] in notes.note("\($0.components.seconds)") },
      onEnd: { [notes] in notes.note("end") })
    time.advance(by: .seconds(5))
    countdown.start(onTick: nil, onEnd: { [notes] in notes.note("quiet end") })
    time.advance(by: .seconds(5))
    #expect(notes.all == ["1", "end", "quiet end"])
    let throttle = Throttle(clamping: .seconds(-1), factory: time)
    throttle.call { [notes] in notes.note("let through") }
    #expect(notes.all.last == "let through")
  }
}
