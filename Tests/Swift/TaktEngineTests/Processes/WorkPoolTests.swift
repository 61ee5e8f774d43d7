import Dispatch
import Synchronization
import Testing

@testable import TaktEngine

@Suite struct WorkPoolTests {
  private static let bounds = WorkPool.Bounds(
    patience: .milliseconds(50), limit: .milliseconds(300), share: 2)

  @Test func `work that hangs keeps the work of others waiting only briefly`() {
    let pool = WorkPool(name: "test", nice: 0, width: 2, bounds: Self.bounds)
    let gate = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    for owner in ["a", "b", "c"] {
      for _ in 0..<2 { _ = pool.submit(for: owner) { gate.wait() } }
    }
    _ = pool.submit(for: "other") { done.signal() }
    #expect(done.wait(timeout: .now() + 60) == .success)
    for _ in 0..<6 { gate.signal() }
  }

  @Test func `an owner never has more than its share, also when its work hangs`() {
    let pool = WorkPool(name: "test", nice: 0, width: 8, bounds: Self.bounds)
    let gate = DispatchSemaphore(value: 0)
    let begun = Mutex(0)
    let givenUp = DispatchSemaphore(value: 0)
    for _ in 0..<10 {
      _ = pool.submit(for: "a", onGivenUp: { givenUp.signal() }) {
        begun.withLock { $0 += 1 }
        gate.wait()
      }
    }
    // All are given up: those that hang, and those that wait behind them.
    for _ in 0..<10 { #expect(givenUp.wait(timeout: .now() + 60) == .success) }
    #expect(begun.withLock(\.self) == 2)
    for _ in 0..<10 { gate.signal() }
  }

  @Test func `what an owner submits is done in order`() {
    let bounds = WorkPool.Bounds(patience: .seconds(60), limit: .seconds(60), share: 1)
    let pool = WorkPool(name: "test", nice: 0, width: 4, bounds: bounds)
    let seen = Mutex<[Int]>([])
    let done = DispatchSemaphore(value: 0)
    for number in 0..<100 {
      _ = pool.submit(for: "a") {
        let count = seen.withLock { seen in
          seen.append(number)
          return seen.count
        }
        if count == 100 { done.signal() }
      }
    }
    #expect(done.wait(timeout: .now() + 60) == .success)
    #expect(seen.withLock(\.self) == Array(0..<100))
  }
}
