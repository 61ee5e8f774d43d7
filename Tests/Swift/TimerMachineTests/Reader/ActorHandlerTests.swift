import Testing
import TimerMachine
import TimerMachineTesting

/// Handlers on the main actor and on an owner that is an actor.
struct ActorHandlerTests {
  private let time = ManualTimerFactory()

  /// A typical view model.
  @MainActor
  private final class Model {
    private(set) var seconds = 0
    private let timer: SafeTimer
    private var others: [SafeTimer] = []

    init(_ time: ManualTimerFactory) {
      timer = SafeTimer(factory: time)
    }

    func start(_ time: ManualTimerFactory) {
      timer.activate(.every(clamping: .seconds(1)), onMain: self) { model, _ in model.tick() }
      others = [
        SafeTimer.every(.seconds(1), factory: time, onMain: self) { model, _ in model.tick() },
        SafeTimer.every(.seconds(1), factory: time, onMain: { [weak self] in self?.tick() }),
        SafeTimer.every(.seconds(1), factory: time) { @MainActor [weak self] in self?.tick() },
        SafeTimer.once(after: .seconds(1), factory: time) { @MainActor [weak self] fire in
          if fire.isLast { self?.tick() }
        },
        SafeTimer.once(after: .seconds(1), factory: time, onMain: self) { model, _ in
          await model.tickLater()
        },
      ]
    }

    func tick() { seconds += 1 }
    private func tickLater() async {
      await Task.yield()
      tick()
    }

    func stop() {
      timer.cancel()
      for timer in others { timer.cancel() }
    }

    func stopAndWait() async {
      await timer.cancelAndWait()
      for timer in others { await timer.cancelAndWait() }
    }

    /// From code of the main actor that may not wait.
    func stopSynchronously() {
      timer.cancelAndWait()
      for timer in others { timer.suspendAndWait() }
    }
  }

  @MainActor
  @Test func `a class of the main actor owns timers in each form, and is not kept alive`() async {
    var model: Model? = Model(time)
    model?.start(time)
    time.advance(by: .seconds(1))
    await model?.stopAndWait()
    #expect(model?.seconds == 6)
    model?.start(time)
    weak let trace = model
    model = nil
    #expect(trace == nil)
    #expect(time.armedCount == 0)
  }

  @MainActor
  @Test func `nothing begins on the main actor after a timer was stopped there`() async {
    let model = Model(time)
    model.start(time)
    time.advance(by: .seconds(1))
    model.stop()
    await model.stopAndWait()
    #expect(model.seconds == 0)
    model.start(time)
    time.advance(by: .seconds(1))
    model.stopSynchronously()
    await model.stopAndWait()
    #expect(model.seconds == 0)
  }

  @MainActor
  @Test func `nothing begins on the main actor after a timer was released there`() async {
    let notes = Notes()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let handler = { @Sendable (word: String) -> @MainActor @Sendable () -> Void in
      // Destroyed with the handler, after what was on its way has come.
      let parting = Parting { end.yield() }
      return {
        parting.keep()
        notes.note(word)
      }
    }
    var timers: [SafeTimer]? = [
      SafeTimer.once(after: .seconds(1), factory: time, onMain: handler("once")),
      SafeTimer.every(.seconds(1), factory: time, onMain: handler("every")),
    ]
    time.advance(by: .seconds(1))
    #expect(timers?.map(\.claims) == [1, 1])
    timers = nil
    var over = ends.makeAsyncIterator()
    for _ in 1...2 { await over.next() }
    #expect(notes.all.isEmpty)
  }

  private actor Store {
    private(set) var refreshes = 0
    private var timer: SafeTimer?

    func start(_ time: ManualTimerFactory) {
      timer = SafeTimer(factory: time, on: self) { store, _ in await store.refresh() }
      timer?.activate(.every(clamping: .seconds(1)), on: self) { store, _ in
        await store.refresh()
      }
    }

    private func refresh() async {
      await Task.yield()
      refreshes += 1
    }

    func stop() async { await timer?.cancelAndWait() }

    /// The handler needs this actor: to wait for it here would never end.
    func stopSynchronously() -> TimerReply? { timer?.cancelAndWait() }
    func pauseSynchronously() -> TimerReply? { timer?.suspendAndWait() }

    /// Nothing else comes to the actor between the fire and the stop.
    func fireAndPause(_ time: ManualTimerFactory) -> TimerReply? {
      time.advance(by: .seconds(1))
      return pauseSynchronously()
    }
  }

  @Test func `an actor's handler may wait, and the delivery with it`() async {
    let store = Store()
    await store.start(time)
    time.advance(by: .seconds(1))
    await store.stop()
    #expect(await store.refreshes == 1)
    #expect(time.armedCount == 0)
  }

  @Test func `an actor that stops its timer without await is not blocked`() async {
    let store = Store()
    await store.start(time)
    #expect(await store.fireAndPause(time)?.isAccepted == true)
    #expect(await store.stopSynchronously()?.isAccepted == true)
    await store.stop()
    #expect(await store.refreshes == 0)
  }

  @Test func `suspendAndWait returns when the handler is over, and resume continues`() async {
    let notes = Notes()
    let (began, beginning) = AsyncStream.makeStream(of: Void.self)
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let timer = SafeTimer(
      factory: time,
      task: { _ in
        beginning.yield()
        for await _ in gate { break }
        notes.note("handler over")
      })
    timer.activate(.every(clamping: .seconds(1)), onArmed: {}).expectAccepted()
    time.advance(by: .seconds(1))
    for await _ in began { break }
    async let first = timer.suspendAndWait()
    async let second = timer.suspendAndWait()
    // The handler returns only after one of them has begun to wait for it.
    while timer.state != .suspended { await Task.yield() }
    opening.yield()
    #expect(await [first, second].count { $0.isAccepted } == 1)
    notes.note("suspended")
    #expect(notes.all == ["handler over", "suspended"])
    #expect(timer.state == .suspended)
    opening.finish()
    #expect(timer.resume().isAccepted)
    timer.cancel()
  }

  @Test func `a named handler beside an asynchronous one may wait for its own timer`() async {
    let (replies, reply) = AsyncStream.makeStream(of: TimerReply.self)
    let timer = SafeTimer(factory: time, task: { _ in await Task.yield() })
    timer.setHandler("last") { [weak timer] _ in
      if let timer { reply.yield(timer.suspendAndWait()) }
    }
    timer.activate(.every(clamping: .seconds(1)), onArmed: {}).expectAccepted()
    time.advance(by: .seconds(1))
    for await reply in replies {
      #expect(reply.isAccepted)
      break
    }
    #expect(timer.state == .suspended)
  }
}

extension TimerReply {
  fileprivate func expectAccepted() { #expect(isAccepted) }
}
