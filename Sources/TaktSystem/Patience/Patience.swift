import Synchronization

/// Bounds the threads that one kind of call may leave waiting in the system: in all, and at one
/// place, such as a folder on a file system that does not answer.
///
/// Safe from any thread.
package final class Patience: Sendable {
  private let threadName: String
  private let stuckMax: Int
  private let stuckMaxAtPlace: Int
  private let stuck = Mutex<[String: Int]>([:])

  /// - Parameters:
  ///   - thread: the name of the threads, of at most 15 bytes.
  ///   - stuckMax: how many of them may be stuck; a call beyond that is not made.
  ///   - stuckMaxAtPlace: how many may be at one place.
  package init(thread: String, stuckMax: Int, atPlace stuckMaxAtPlace: Int) {
    threadName = thread
    self.stuckMax = stuckMax
    self.stuckMaxAtPlace = stuckMaxAtPlace
  }

  /// Starts a call on a thread of its own.
  ///
  /// - Parameters:
  ///   - place: where it may be stuck.
  ///   - onLateEnd: gets, on that thread, a value for which nobody waits any more.
  package func begin<Value: Sendable>(
    at place: String = "", onLateEnd: @escaping @Sendable (Value) -> Void = { _ in },
    _ body: @escaping @Sendable () -> Value
  ) throws(NoAnswer) -> PatientCall<Value> {
    let isRefused = stuck.withLock { stuck in
      stuck[place, default: 0] >= stuckMaxAtPlace || stuck.values.reduce(0, +) >= stuckMax
    }
    if isRefused { throw .stuck }
    let call = PatientCall<Value>(
      onGivenUp: { self.note(place, 1) },
      onLateEnd: { value in
        self.note(place, -1)
        onLateEnd(value)
      })
    do throws(SystemError) {
      try Thread.start(name: threadName) { call.run(body) }
    } catch {
      throw .noThread(error)
    }
    return call
  }

  package func value<Value: Sendable>(
    at place: String = "", within limit: Duration, _ body: @escaping @Sendable () -> Value
  ) throws(NoAnswer) -> Value {
    guard let value = try begin(at: place, body).value(within: limit) else { throw .late }
    return value
  }

  private func note(_ place: String, _ change: Int) {
    if change > 0 { StuckThreads.began() } else { StuckThreads.ended() }
    stuck.withLock { stuck in
      let count = stuck[place, default: 0] + change
      stuck[place] = count > 0 ? count : nil
    }
  }
}

package enum NoAnswer: Error, Hashable, Sendable {
  /// Its thread is left where it hangs.
  case late
  /// Not made: earlier calls are stuck there.
  case stuck
  /// Not made: the system has no thread left.
  case noThread(SystemError)
}
