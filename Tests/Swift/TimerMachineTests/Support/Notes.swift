import TimerMachine

/// Events in order, from any thread.
final class Notes: Sendable {
  private let kept = Guarded<[String]>([])

  var all: [String] { kept.withLock { $0 } }

  func note(_ text: String) {
    kept.withLock { $0.append(text) }
  }
}
