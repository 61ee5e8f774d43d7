import Synchronization
import Testing
import TimerMachine
import TimerMachineTesting
import TaktTime

struct DebouncerTests {
  private let bench = Bench()
  private let notes = Notes()

  private func debouncer(_ edge: Debouncer.Edge) throws -> Debouncer {
    try Debouncer(delay: .milliseconds(300), edge: edge, factory: bench.manual, queue: bench.queue)
  }

  /// Calls at these milliseconds; notes "call@when it acted".
  private func type(at moments: [Int], into debouncer: Debouncer) {
    let clock = bench.manual.clock
    for moment in moments {
      bench.manual.advance(to: MonotonicInstant(nanoseconds: Int64(moment) * 1_000_000))
      debouncer.call { [notes] in notes.note("\(moment)@\(clock.monotonic.milliseconds)") }
    }
    bench.manual.advance(by: .seconds(10))
  }

  @Test func `trailing acts with the last call once there was quiet`() throws {
    type(at: [0, 100, 399, 1_000, 1_100], into: try debouncer(.trailing))
    #expect(notes.all == ["399@699", "1100@1400"])
  }

  @Test func `leading acts with the first call of each burst`() throws {
    type(at: [0, 100, 399, 1_000, 1_100], into: try debouncer(.leading))
    #expect(notes.all == ["0@0", "1000@1000"])
  }

  @Test func `a burst that does not end acts after the longest wait`() throws {
    let debouncer = try Debouncer(
      delay: .milliseconds(300), longestWait: .seconds(1), factory: bench.manual,
      queue: bench.queue)
    type(at: Array(stride(from: 0, through: 2_400, by: 200)), into: debouncer)
    #expect(notes.all == ["800@1000", "1800@2000", "2400@2700"])
  }

  @Test func `another delay holds for the burst that continues, counted from its calls`() throws {
    let debouncer = try debouncer(.trailing)
    let clock = bench.manual.clock
    func call() {
      debouncer.call { [notes] in notes.note("acted at \(clock.monotonic.milliseconds)") }
    }
    call()
    bench.manual.advance(by: .milliseconds(100))
    call()
    debouncer.change(delay: .seconds(2))
    bench.manual.advance(by: .milliseconds(1_999))
    #expect(notes.all.isEmpty)
    bench.manual.advance(by: .milliseconds(1))
    call()
    bench.manual.advance(by: .milliseconds(500))
    debouncer.change(delay: .milliseconds(400))
    bench.manual.advance(by: .zero)
    #expect(notes.all == ["acted at 2100", "acted at 2600"])
  }

  @Test func `a flood of calls moves the timer few times, and its observer may call back`() throws {
    let asker = Asker()
    let debouncer = try Debouncer(
      delay: .milliseconds(300), factory: bench.manual, queue: bench.queue, observer: asker)
    asker.debouncer.withLock { $0 = debouncer }
    for _ in 0..<1_000 {
      debouncer.call {}
      bench.manual.advance(by: .milliseconds(1))
    }
    bench.manual.advance(by: .seconds(1))
    // Four times the end was put off.
    #expect(asker.notes.all == Array(repeating: ["activate", "fire"], count: 5).flatMap(\.self))
    debouncer.call {}
    #expect(debouncer.cancel().isAccepted)
    #expect(asker.notes.all.suffix(2) == ["activate", "cancel"])
  }

  @Test(arguments: [Debouncer.Edge.leading, .trailing])
  func `a call that comes while the one before is cancelled and waited for acts`(
    edge: Debouncer.Edge
  ) throws {
    let asker = Asker()
    let debouncer = try Debouncer(
      delay: .milliseconds(300), edge: edge, factory: bench.manual, queue: bench.queue,
      observer: asker)
    debouncer.call {}
    asker.debouncer.withLock { $0 = debouncer }
    asker.onCancel.withLock { $0 = { [notes] in $0.call { notes.note("acted") } } }
    debouncer.cancelAndWait()
    bench.manual.advance(by: .seconds(1))
    #expect(notes.all == ["acted"])
    debouncer.call { [notes] in notes.note("again") }
    bench.manual.advance(by: .seconds(1))
    #expect(notes.all == ["acted", "again"])
  }

  private final class Asker: TimerObserver {
    let debouncer = Mutex<Debouncer?>(nil)
    /// Is called once.
    let onCancel = Mutex<(@Sendable (Debouncer) -> Void)?>(nil)
    let notes = Notes()

    func observe(_ transition: TimerTransition) {
      notes.note("\(transition.event)")
      guard let debouncer = debouncer.withLock({ $0 }) else { return }
      _ = debouncer.isActive
      guard transition.event == .cancel else { return }
      onCancel.withLock { $0.take() }?(debouncer)
    }
  }

  @Test func `a cancelled burst does not act`() throws {
    let debouncer = try debouncer(.trailing)
    debouncer.call { [notes] in notes.note("acted") }
    #expect(debouncer.isActive)
    debouncer.cancel()
    bench.manual.advance(by: .seconds(10))
    #expect(notes.all.isEmpty)
    #expect(!debouncer.isActive)
  }

  @Test func `an action may call its debouncer`() throws {
    let debouncer = try debouncer(.trailing)
    debouncer.call { [notes, weak debouncer] in
      notes.note("first")
      debouncer?.call { notes.note("second") }
    }
    bench.manual.advance(by: .seconds(10))
    #expect(notes.all == ["first", "second"])
  }

  @Test func `a negative delay is refused`() {
    #expect(throws: TimerError.delayNegative(.seconds(-1))) {
      try Debouncer(delay: .seconds(-1), factory: bench.manual, queue: bench.queue)
    }
  }

  @Test func `an action that is replaced may call the debouncer as it goes`() throws {
    let debouncer = try debouncer(.trailing)
    callWithParting(debouncer)
    debouncer.call { [notes] in notes.note("acted") }
    #expect(notes.all == ["gone true"])
    bench.manual.advance(by: .seconds(10))
    #expect(notes.all == ["gone true", "acted"])
  }

  private func callWithParting(_ debouncer: Debouncer) {
    let parting = Parting { [notes] in
      debouncer.call {}
      notes.note("gone \(debouncer.isActive)")
      debouncer.call { [notes] in notes.note("acted") }
    }
    debouncer.call { parting.keep() }
  }
}
