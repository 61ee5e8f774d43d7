import Dispatch
import TaktTime
import Testing
import TimerMachine
import TimerMachineTesting

/// Handlers in tasks and on actors, and what waits for them without blocking a thread.
struct SafeTimerTaskTests {
  private let manual = ManualTimerFactory()
  private let queue = DispatchQueue(label: "tasks")

  @Test func `a delivery lasts as long as its task, and what was due meanwhile comes after it`()
    async
  {
    let (began, beginnings) = AsyncStream.makeStream(of: TimerFire.self)
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let machine = SafeTimer(
      name: "poll", factory: manual, queue: queue,
      task: { fire in
        beginnings.yield(fire)
        for await _ in gate { break }
      })
    _ = machine.activate(.every(clamping: .seconds(1)))
    manual.advance(by: .seconds(1))
    var fires = began.makeAsyncIterator()
    #expect(await fires.next()?.periods == 1)
    manual.advance(by: .seconds(3))
    #expect(machine.claims == 1)
    opening.yield()
    #expect(await fires.next()?.periods == 3)
    opening.finish()
    await machine.cancelAndWait()
  }

  @Test func `cancelAndWait returns when the task is over, and at once from inside it`() async {
    let notes = Notes()
    let (began, beginning) = AsyncStream.makeStream(of: Void.self)
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let holder = MachineBox()
    let machine = SafeTimer(
      name: "poll", factory: manual, queue: queue,
      task: { _ in
        beginning.yield()
        for await _ in gate { break }
        await holder.machine?.cancelAndWait(keepHandlers: true)
        notes.note("task ends")
      })
    holder.machine = machine
    _ = machine.activate(.once(afterClamping: .zero))
    manual.advance(by: .zero)
    for await _ in began { break }
    async let waiter = machine.cancelAndWait()
    opening.yield()
    #expect(await waiter == .refused(state: .cancelled))
    notes.note("waiter goes on")
    #expect(notes.all == ["task ends", "waiter goes on"])
    holder.machine = nil
  }

  @Test func `a task that an earlier delivery has left behind waits for the present one`() async {
    let notes = Notes()
    let (began, beginning) = AsyncStream.makeStream(of: Void.self)
    let (secondGate, secondOpening) = AsyncStream.makeStream(of: Void.self)
    let (taskGate, taskOpening) = AsyncStream.makeStream(of: Void.self)
    let (ended, ending) = AsyncStream.makeStream(of: Void.self)
    let holder = MachineBox()
    let machine = SafeTimer(
      name: "poll", factory: manual, queue: queue,
      task: { fire in
        if fire.sequence == 1 {
          Task {
            for await _ in taskGate { break }
            async let waited = holder.machine?.cancelAndWait()
            secondOpening.yield()
            _ = await waited
            notes.note("the task goes on")
            ending.yield()
          }
        } else {
          beginning.yield()
          for await _ in secondGate { break }
          notes.note("the second delivery ends")
        }
      })
    holder.machine = machine
    _ = machine.activate(.every(clamping: .seconds(1)))
    manual.advance(by: .seconds(1))
    while machine.claims < 2 {
      manual.advance(by: .seconds(1))
      await Task.yield()
    }
    for await _ in began { break }
    taskOpening.yield()
    for await _ in ended { break }
    #expect(notes.all == ["the second delivery ends", "the task goes on"])
    holder.machine = nil
  }

  private actor Counter {
    private var fires = 0
    private var timer: SafeTimer?

    func count() { fires += 1 }
    var seen: Int { fires }

    func start(_ factory: any TimerFactory, _ queue: DispatchQueue) {
      let timer = SafeTimer(name: "count", factory: factory, queue: queue, on: self) {
        counter, _ in counter.count()
      }
      _ = timer.activate(.every(clamping: .seconds(1)))
      self.timer = timer
    }

    func rest() async { await timer?.cancelAndWait() }
  }

  @Test func `an actor owns a timer whose handler runs on it, and is not kept alive`() async {
    var counter: Counter? = Counter()
    await counter?.start(manual, queue)
    manual.advance(by: .seconds(1))
    await counter?.rest()
    #expect(await counter?.seen == 1)
    await counter?.start(manual, queue)
    weak let trace = counter
    counter = nil
    #expect(trace == nil)
    #expect(manual.armedCount == 0)
  }

  @Test func `a ticker is one line`() async {
    let notes = Notes()
    let ticker = SafeTimer.every(.seconds(1), factory: manual) { fire in
      notes.note("\(fire.sequence)")
    }
    manual.advance(by: .seconds(3))
    ticker.cancel()
    #expect(notes.all == ["1", "2", "3"])
    let never = SafeTimer.every(.zero, factory: manual) { _ in }
    #expect(never.deadline == manual.clock.monotonic + .milliseconds(1))
  }

  @Test func `a sequence of ticks holds its timer, and lets it go with the loop`() async {
    let ticks = SafeTimer.ticks(every: .seconds(1), factory: manual)
    manual.advance(by: .seconds(20))
    var last: UInt64 = 0
    for await tick in ticks {
      last = tick.sequence
      if last == 20 { break }
    }
    #expect(last == 20)
    let task = Task { for await _ in SafeTimer.ticks(every: .seconds(1), factory: manual) {} }
    task.cancel()
    await task.value
  }

  /// Lets a handler find its machine.
  private final class MachineBox: Sendable {
    private let held = Guarded<SafeTimer?>(nil)
    var machine: SafeTimer? {
      get { held.withLock { $0 } }
      set { held.withLock { $0 = newValue } }
    }
  }
}
