import Dispatch
import Testing
import TimerMachine

/// Ends of debouncers, throttles and countdowns, on real queues.
struct RateEndingTests {
  private let queue = DispatchQueue(label: "rates")
  private let notes = Notes()

  private var factory: CoalescingTimerFactory { CoalescingTimerFactory(queue: queue) }

  @Test func `what waits for its turn on the queue never begins once it was cancelled`() throws {
    let factory = factory
    let debouncer = try Debouncer(
      delay: .seconds(3_600), edge: .leading, factory: factory, queue: queue)
    let throttle = try Throttle(interval: .seconds(3_600), factory: factory, queue: queue)
    queue.suspend()
    debouncer.call { [notes] in notes.note("debounced") }
    throttle.call { [notes] in notes.note("throttled") }
    #expect(debouncer.cancel().isAccepted)
    #expect(throttle.cancelAndWait().isAccepted)
    queue.resume()
    queue.sync {}
    #expect(notes.all.isEmpty)
    #expect(!debouncer.cancel().isAccepted)
  }

  @Test func `a leading action is done once, also when its burst continues before its turn`() throws
  {
    let debouncer = try Debouncer(
      delay: .seconds(3_600), edge: .leading, factory: factory, queue: queue)
    queue.suspend()
    for number in 1...3 { debouncer.call { [notes] in notes.note("\(number)") } }
    queue.resume()
    queue.sync {}
    #expect(notes.all == ["1"])
  }

  @Test func `actions never overlap on a concurrent queue`() throws {
    let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let throttle = try Throttle(interval: .milliseconds(1), factory: factory, queue: concurrent)
    let (began, mayEnd, done) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    throttle.call { [notes] in
      notes.note("first begins")
      began.signal()
      mayEnd.wait()
      notes.note("first ends")
    }
    began.wait()
    throttle.call { [notes] in
      notes.note("second")
      done.signal()
    }
    // Another throttle of the same kind lets its second action through meanwhile.
    let passed = DispatchSemaphore(value: 0)
    let other = try Throttle(interval: .milliseconds(3), factory: factory, queue: concurrent)
    other.call {}
    other.call { passed.signal() }
    passed.wait()
    mayEnd.signal()
    done.wait()
    #expect(notes.all == ["first begins", "first ends", "second"])
  }

  @Test func `cancelAndWait returns when the action is over`() throws {
    let debouncer = try Debouncer(delay: .zero, edge: .leading, factory: factory, queue: queue)
    let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    debouncer.call { [notes] in
      began.signal()
      mayEnd.wait()
      notes.note("action ended")
    }
    began.wait()
    mayEnd.signal()
    debouncer.cancelAndWait()
    notes.note("cancelled")
    #expect(notes.all == ["action ended", "cancelled"])
  }

  @Test func `a countdown says whether its end was still to come`() throws {
    let countdown = try Countdown(
      .seconds(3_600), tick: .seconds(1), factory: factory, queue: queue,
      onTick: { _ in }, onEnd: { [notes] in notes.note("over") })
    #expect(!countdown.cancel())
    countdown.start()
    #expect(countdown.cancelAndWait())
    #expect(!countdown.cancelAndWait())
    countdown.start()
    #expect(countdown.remaining > .seconds(3_000))
    #expect(notes.all.isEmpty)
  }
}
