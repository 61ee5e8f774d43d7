import Dispatch
import Synchronization

/// Numbers from a handler, and a signal when there are enough.
final class Collected: Sendable {
  let done = DispatchSemaphore(value: 0)
  private let numbers = Mutex<[Int64]>([])
  private let wanted: Int

  init(_ wanted: Int) { self.wanted = wanted }

  var all: [Int64] { numbers.withLock { Array($0.prefix(wanted)) } }

  func add(_ number: Int64) {
    let isEnough = numbers.withLock { numbers in
      numbers.append(number)
      return numbers.count == wanted
    }
    if isEnough { done.signal() }
  }
}
