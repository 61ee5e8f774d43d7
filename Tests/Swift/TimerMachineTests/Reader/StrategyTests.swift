import Dispatch
import Testing
import TimerMachine
import TimerMachineTesting

/// Handlers that are objects, fires on request, and queues of a registry's entries.
struct StrategyTests {
  private let time = ManualTimerFactory()
  private let notes = Notes()

  private struct Send: TimerStrategy {
    let notes: Notes
    var word = "send"

    func timerFired(_ timer: SafeTimer, _ fire: TimerFire) {
      notes.note("\(word) \(fire.sequence)")
    }
  }

  private final class Purge: TimerStrategy {
    let name = "purge"
    private let notes: Notes

    init(_ notes: Notes) { self.notes = notes }

    func timerFired(_ timer: SafeTimer, _ fire: TimerFire) {
      notes.note("purge")
      timer.remove(named: name)
    }
  }

  @Test func `strategies are registered, retrieved and removed by type and by name`() {
    let timer = SafeTimer(factory: time)
    #expect(timer.register(Send(notes: notes)) == nil)
    timer.register(Purge(notes))
    timer.register(Send(notes: notes, word: "copy"), as: "copy")
    timer.activate(.every(clamping: .seconds(1)).strict()).expectAccepted()
    time.advance(by: .seconds(1))
    #expect(notes.all == ["send 1", "purge", "copy 1"])

    #expect(timer.retrieve(Purge.self) == nil)
    #expect(timer.retrieve(Send.self)?.word == "send")
    #expect((timer.retrieve(named: "copy") as? Send)?.word == "copy")
    #expect((timer.register(Send(notes: notes, word: "better")) as? Send)?.word == "send")
    #expect((timer.remove(named: "copy") as? Send)?.word == "copy")
    time.advance(by: .seconds(1))
    #expect(notes.all.suffix(1) == ["better 2"])
    #expect(timer.remove(Send.self)?.word == "better")
    #expect(timer.remove(Send.self) == nil && timer.handlers.isEmpty)
  }

  @Test func `cancel lets go of strategies, and they do not hold the timer`() {
    var timer: SafeTimer? = SafeTimer(factory: time)
    timer?.register(Send(notes: notes))
    timer?.activate(.every(clamping: .seconds(1))) {}
    timer?.cancel()
    #expect(timer?.handlers.isEmpty == true)
    timer?.register(Send(notes: notes))
    weak let trace = timer
    timer = nil
    #expect(trace == nil)
  }

  @Test func `requested fires come at most once in an interval`() throws {
    let timer = SafeTimer(factory: time)
    let clock = time.clock
    timer.activate(try .every(.seconds(3_600))) { [notes] in
      notes.note("\(clock.monotonic.milliseconds)")
    }
    for _ in 0..<10 {
      #expect(timer.fireNow(atMostEvery: .seconds(5)).isAccepted)
      time.advance(by: .seconds(1))
    }
    time.advance(by: .seconds(60))
    #expect(notes.all == ["0", "5000", "10000"])
    #expect(timer.refusals == 0)
  }

  @Test func `a requested fire that waits is dropped and counted by suspend and cancel`() throws {
    let timer = SafeTimer.every(.seconds(3_600), factory: time) { [notes] in notes.note("fired") }
    for _ in 1...3 { timer.fireNow(atMostEvery: .seconds(5)) }
    timer.suspend()
    #expect(timer.refusals == 1)
    timer.resume()
    time.advance(by: .seconds(60))
    #expect(notes.all == ["fired"])
    for _ in 1...3 { timer.fireNow(atMostEvery: .seconds(5)) }
    timer.cancel()
    #expect(timer.refusals == 2)
    time.advance(by: .seconds(60))
    #expect(notes.all == ["fired", "fired"])
    #expect(timer.fireNow(atMostEvery: .seconds(5)) == .refused(state: .cancelled))
    #expect(time.armedCount == 0)
  }

  @Test func `each entry of a registry may have its queue`() throws {
    let key = DispatchSpecificKey<String>()
    let queues = ["registry", "slow", "rates"].map { label in
      let queue = DispatchQueue(label: label)
      queue.setSpecific(key: key, value: label)
      return queue
    }
    let done = DispatchSemaphore(value: 0)
    let note: @Sendable () -> Void = { [notes] in
      notes.note(DispatchQueue.getSpecific(key: key) ?? "none")
      done.signal()
    }
    let registry = TimerRegistry(queue: queues[0])
    registry.add("a", try .once(after: .zero)) { _ in note() }
    done.wait()
    registry.add("b", try .once(after: .zero), on: queues[1]) { _ in note() }
    done.wait()
    try registry.debounce("c", for: .zero, on: queues[2], action: note)
    done.wait()
    try registry.throttle("d", every: .zero, on: queues[2], action: note)
    done.wait()
    #expect(notes.all == ["registry", "slow", "rates", "rates"])
  }

  @Test func `names of earlier versions still work`() {
    let old: any OldNames = OldTimers()
    #expect(old.run(time, notes) == ["1", "2"])
  }
}

/// Calls through it do not warn of deprecated names.
private protocol OldNames {
  func run(_ time: ManualTimerFactory, _ notes: Notes) -> [String]
}

private struct OldTimers: OldNames {
  @available(*, deprecated)
  func run(_ time: ManualTimerFactory, _ notes: Notes) -> [String] {
    let ticker = SafeTimer.ticker(every: .seconds(1), factory: time) {
      notes.note("\($0.sequence)")
    }
    time.advance(by: .seconds(1))
    ticker.start(.every(clamping: .seconds(9)))
    time.advance(by: .seconds(9))
    return notes.all
  }
}

extension TimerReply {
  fileprivate func expectAccepted() { #expect(isAccepted) }
}
