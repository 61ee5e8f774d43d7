@preconcurrency import Dispatch
import Synchronization
import Testing
import TimerMachine
import TimerMachineTesting
import TaktTime

/// Fires that meet the operation that ends them, again and again.
struct CollisionTests {
  enum Ending: String, CaseIterable, Sendable {
    case cancel, suspend, reschedule
  }

  /// Spins until the deadline is so near that the fire and what follows race.
  private static func spin(until moment: MonotonicInstant) {
    let time = SystemTimeSource()
    while time.monotonic < moment {}
  }

  @Test(arguments: [TimerFactoryKind.dispatch, .coalescing], Ending.allCases)
  func `no delivery is claimed after the operation returned`(
    kind: TimerFactoryKind, ending: Ending
  ) throws {
    let bench = kind.makeBench()
    let log = FireLog()
    let machine = bench.machine(log: log)
    let far = try TimerSchedule.once(after: .seconds(3_600))
    var generator = SeededGenerator(seed: 3)
    var late = 0
    for _ in 0..<10_000 / (Ending.allCases.count) {
      let deadline = bench.now + .microseconds(60)
      _ = machine.activate(try .once(at: deadline))
      Self.spin(until: deadline + .nanoseconds(Int.random(in: -5_000..<60_000, using: &generator)))
      switch ending {
      case .cancel: machine.cancel(keepHandlers: true)
      case .suspend: machine.suspend()
      case .reschedule: machine.reschedule(far)
      }
      let claims = machine.claims
      // What the queue still has to do is done; a claim it makes now is one too many.
      bench.queue.sync {}
      if machine.claims > claims { late += 1 }
      machine.cancel(keepHandlers: true)
    }
    #expect(late == 0)
  }

  @Test(arguments: [TimerFactoryKind.dispatch, .coalescing, .coalescingForeignQueue])
  func `no handler is alive after cancelAndWait`(kind: TimerFactoryKind) throws {
    let bench = kind.makeBench()
    let inside = Inside()
    let machine = SafeTimer(name: "subject", factory: bench.factory, queue: bench.queue) { _ in
      inside.enter()
    }
    var generator = SeededGenerator(seed: 5)
    var alive = 0
    for _ in 0..<10_000 / 3 {
      let deadline = bench.now + .microseconds(60)
      _ = machine.activate(try .once(at: deadline))
      Self.spin(until: deadline + .nanoseconds(Int.random(in: -5_000..<60_000, using: &generator)))
      machine.cancelAndWait(keepHandlers: true)
      if inside.isInside { alive += 1 }
    }
    #expect(alive == 0)
  }

  @Test func `a bare dispatch source does start handlers after cancel returned`() {
    // Not a promise of ours: the reason for them. Rare, so it is tried until it happens.
    let queue = DispatchQueue(label: "bare")
    let time = SystemTimeSource()
    var generator = SeededGenerator(seed: 3)
    var late = 0
    for _ in 0..<200_000 where late == 0 {
      let starts = Starts()
      let source = DispatchSource.makeTimerSource(queue: queue)
      let deadline = time.monotonic + .microseconds(60)
      source.setEventHandler { @Sendable in starts.count.wrappingAdd(1, ordering: .relaxed) }
      source.schedule(deadline: DispatchTime(uptimeNanoseconds: UInt64(deadline.nanoseconds)))
      source.activate()
      Self.spin(until: deadline + .nanoseconds(Int.random(in: -5_000..<60_000, using: &generator)))
      source.cancel()
      let before = starts.count.load(ordering: .relaxed)
      queue.sync {}
      if starts.count.load(ordering: .relaxed) > before { late += 1 }
    }
    #expect(late > 0)
  }

  private final class Starts: Sendable {
    let count = Atomic<Int>(0)
  }

  /// A handler that stays for a moment, and whether one is in it.
  private final class Inside: Sendable {
    private let inside = Atomic<Bool>(false)

    var isInside: Bool { inside.load(ordering: .sequentiallyConsistent) }

    func enter() {
      inside.store(true, ordering: .sequentiallyConsistent)
      CollisionTests.spin(until: SystemTimeSource().monotonic + .microseconds(5))
      inside.store(false, ordering: .sequentiallyConsistent)
    }
  }
}
