import Dispatch
import Testing
import TimerMachine
import TimerMachineTesting
import TaktTime

struct SafeTimerTests {
  private let bench = Bench()

  @Test func `a transition says who, what, why and when`() throws {
    let log = TransitionLog()
    let machine = bench.machine("heartbeat", observer: log)
    _ = machine.activate(try .once(after: .seconds(2)))
    bench.manual.advance(by: .seconds(5))
    let fire = try #require(log.transitions.last)
    #expect(fire.name == "heartbeat")
    #expect(fire.machine == machine.id)
    #expect(fire.sequence == 2)
    #expect((fire.from, fire.to) == (.running, .cancelled))
    #expect((fire.event, fire.cause) == (.fire, .exhausted))
    #expect(fire.monotonic.milliseconds == 2_000)
    #expect(fire.wall == WallInstant(nanoseconds: 1_767_225_602_000_000_000))
    #expect(fire.deadline == nil)
    #expect(log.transitions[0].deadline?.milliseconds == 2_000)
  }

  @Test func `releasing a running machine is reported`() throws {
    let log = TransitionLog()
    var machine: SafeTimer? = bench.machine(observer: log)
    _ = machine?.activate(try .once(after: .seconds(2)))
    machine = nil
    #expect(log.transitions.map(\.cause) == [.requested, .released])
    #expect(bench.manual.armedCount == 0)
    _ = machine
  }

  @Test func `every operation begins a generation that its fires carry`() throws {
    let machine = bench.machine()
    let schedule = try TimerSchedule.every(.seconds(1))
    #expect(machine.activate(schedule) == .accepted(generation: 1))
    bench.manual.advance(by: .seconds(1))
    #expect(machine.suspend() == .accepted(generation: 2))
    #expect(machine.resume() == .accepted(generation: 3))
    bench.manual.advance(by: .seconds(1))
    #expect(machine.reschedule(schedule) == .accepted(generation: 4))
    bench.manual.advance(by: .seconds(1))
    #expect(bench.log.fires.map(\.generation) == [1, 3, 4])
    #expect(bench.log.fires.map(\.sequence) == [1, 2, 3])
  }

  @Test func `a stall makes one fire that counts what passed, then the grid continues`() throws {
    let machine = bench.machine()
    _ = machine.activate(try .every(.milliseconds(100)))
    bench.manual.stall(by: .milliseconds(730))
    bench.manual.advance(by: .milliseconds(70))
    #expect(bench.log.fires.map(\.periods) == [7, 1])
    #expect(bench.log.fires.map(\.deadline.milliseconds) == [100, 800])
  }

  @Test func `a delayed start puts the grid after the delay`() throws {
    let machine = bench.machine()
    _ = machine.activate(try .every(.seconds(10), after: .seconds(3), times: 2))
    bench.manual.advance(by: .seconds(60))
    #expect(bench.log.fires.map(\.deadline.milliseconds) == [3_000, 13_000])
    #expect(bench.log.fires.map(\.isLast) == [false, true])
    #expect(machine.state == .cancelled)
    #expect(machine.activate(try .once(after: .zero)).isAccepted)
  }

  @Test func `a timer at the end of time never fires and does no harm`() throws {
    let machine = bench.machine()
    _ = machine.activate(
      try .every(TimerSchedule.longest, startingAt: bench.manual.clock.monotonic))
    bench.manual.advance(by: .seconds(1 << 33))
    #expect(bench.log.count >= 1)
    machine.reschedule(try .once(at: .distantFuture, leeway: TimerSchedule.longest))
    #expect(machine.state == .running)
  }

  @Test func `fireNow leaves schedule, phase and count untouched`() throws {
    let machine = bench.machine()
    _ = machine.activate(try .every(.seconds(10), times: 2))
    bench.manual.advance(by: .seconds(4))
    machine.fireNow()
    machine.suspend()
    machine.fireNow()
    machine.resume()
    bench.manual.advance(by: .seconds(60))
    #expect(bench.log.fires.map(\.claimedAt.milliseconds) == [4_000, 4_000, 10_000, 20_000])
  }

  @Test func `onArmed is called once, before the first fire`() throws {
    let notes = Notes()
    let machine = SafeTimer(name: "subject", factory: bench.manual, queue: bench.queue) { _ in
      notes.note("fire")
    }
    _ = machine.activate(try .every(.seconds(1)), onArmed: { notes.note("armed") })
    bench.manual.advance(by: .seconds(2))
    #expect(notes.all == ["armed", "fire", "fire"])
  }

  @Test func `onArmed is not called when the activation is refused`() throws {
    let notes = Notes()
    let machine = bench.machine()
    _ = machine.activate(try .every(.seconds(1)))
    _ = machine.activate(try .every(.seconds(1)), onArmed: { notes.note("armed") })
    #expect(notes.all.isEmpty)
  }

  @Test(arguments: [TimerFactoryKind.dispatch, .coalescing, .coalescingForeignQueue])
  func `onArmed comes before a fire that is due at once`(kind: TimerFactoryKind) throws {
    for _ in 0..<200 {
      let notes = Notes()
      let real = kind.makeBench()
      let log = FireLog()
      let machine = SafeTimer(name: "subject", factory: real.factory, queue: real.queue) {
        notes.note("fire")
        log.record($0)
      }
      _ = machine.activate(try .once(after: .zero), onArmed: { notes.note("armed") })
      try real.wait(for: 1, in: log)
      #expect(notes.all == ["armed", "fire"])
    }
  }

  @Test(arguments: [TimerState.cancelled, .suspended])
  func `a wait for the end returns after the handler of another thread`(end: TimerState) throws {
    let queue = DispatchQueue(label: "handlers")
    let factory = CoalescingTimerFactory(queue: queue)
    let notes = Notes()
    let entered = DispatchSemaphore(value: 0)
    let mayLeave = DispatchSemaphore(value: 0)
    let machine = SafeTimer(name: "subject", factory: factory, queue: queue) { _ in
      entered.signal()
      mayLeave.wait()
      notes.note("handler returned")
    }
    // Only one call, however late the wait begins.
    _ = machine.activate(try .every(.seconds(3600), after: .zero))
    entered.wait()
    DispatchQueue(label: "later").async { mayLeave.signal() }
    let reply = end == .cancelled ? machine.cancelAndWait() : machine.suspendAndWait()
    notes.note("wait returned")
    #expect(notes.all == ["handler returned", "wait returned"])
    #expect(reply.isAccepted && machine.state == end)
  }

  @Test func `handlers of a concurrent queue never overlap`() throws {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let factory = CoalescingTimerFactory(queue: DispatchQueue(label: "wakes"))
    let inside = Guarded(0)
    let overlaps = Guarded(0)
    let log = FireLog()
    let machine = SafeTimer(name: "subject", factory: factory, queue: queue) { fire in
      if inside.withLock({
        $0 += 1; return $0
      }) > 1 {
        overlaps.withLock { $0 += 1 }
      }
      for _ in 0..<50 { _ = factory.time.wall }
      inside.withLock { $0 -= 1 }
      log.record(fire)
    }
    _ = machine.activate(try .every(.microseconds(20)))
    for _ in 0..<200 {
      machine.fireNow()
      _ = log.waitForArrival()
    }
    machine.cancelAndWait()
    #expect(overlaps.withLock { $0 } == 0)
  }

  @Test func `strict asks the system and is leeway zero in the wake queue`() throws {
    let factory = CoalescingTimerFactory(queue: bench.queue, over: bench.manual)
    let machine = bench.machine(factory: factory)
    _ = machine.activate(try .once(after: .seconds(10), leeway: .seconds(5)).strict())
    #expect(bench.manual.nextDeadline?.milliseconds == 10_000)
    machine.reschedule(try .once(after: .seconds(10), leeway: .seconds(5)))
    #expect(bench.manual.nextDeadline?.milliseconds == 14_995)
  }
}
