import Dispatch
import Synchronization
import TaktEngine
import Testing

@Suite struct TurnQueueTests {
  private let turns = TurnQueue(DispatchQueue(label: "turns"))

  @Test func `work is done in its order, from any thread`() {
    let seen = Mutex<[Int]>([])
    for number in 0..<100 { turns.perform { seen.withLock { $0.append(number) } } }
    turns.turn {}
    #expect(seen.withLock(\.self) == Array(0..<100))
  }

  @Test func `what comes during a turn is done before the turn ends, on the queue`() {
    let seen = Mutex<[String]>([])
    turns.turn {
      turns.perform { [turns] in
        dispatchPrecondition(condition: .onQueue(turns.queue))
        seen.withLock { $0.append("first") }
        turns.perform { seen.withLock { $0.append("second") } }
      }
      seen.withLock { $0.append("turn") }
    }
    #expect(seen.withLock(\.self) == ["turn", "first", "second"])
  }

  @Test func `work that makes work permanently keeps nobody else from the queue`() {
    let isOver = Atomic<Bool>(false)
    @Sendable func again() { if !isOver.load(ordering: .relaxed) { turns.perform { again() } } }
    turns.turn { again() }
    turns.queue.sync { isOver.store(true, ordering: .relaxed) }
    let done = DispatchSemaphore(value: 0)
    turns.perform { done.signal() }
    #expect(done.wait(timeout: .now() + 10) == .success)
  }

  @Test func `turns of many threads and their work exclude one another`() {
    nonisolated(unsafe) var count = 0  // Touched on the queue alone.
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<200 {
        turns.turn { count += 1 }
        turns.perform { count += 1 }
      }
    }
    turns.turn {}
    #expect(turns.queue.sync { count } == 3_200)
  }
}
