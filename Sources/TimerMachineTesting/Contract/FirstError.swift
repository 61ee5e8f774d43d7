import TimerMachine

/// Keeps the first error of many threads.
final class FirstError: Sendable {
  private let kept = Guarded<(any Error)?>(nil)

  func keep(_ error: any Error) {
    kept.withLock { $0 = $0 ?? error }
  }

  func rethrow() throws {
    if let error = kept.withLock({ $0 }) { throw error }
  }
}
