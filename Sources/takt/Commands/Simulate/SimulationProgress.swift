import Glibc
import TaktCore
import TaktTime

/// Tells somebody at a terminal how far a long simulation has come.
struct SimulationProgress {
  private let start: WallInstant
  private let span: Duration
  private let isShown = isatty(STDERR_FILENO) == 1
  private var events = 0
  private var shownAt = SystemTimeSource().monotonic
  private var hasShown = false

  init(from start: WallInstant, for span: Duration) {
    self.start = start
    self.span = span
  }

  /// Looks at the clock now and then. Always true: the simulation goes on.
  mutating func take(_ event: SimulatedEvent) -> Bool {
    events &+= 1
    guard isShown, events % 4096 == 0, case .wake(let at, _) = event else { return true }
    let now = SystemTimeSource().monotonic
    guard now - shownAt >= .seconds(1) else { return true }
    shownAt = now
    hasShown = true
    let percent = Int(100 * ((at - start) / span))
    show("\rsimulated \(min(100, max(0, percent)))%, \(at.rfc3339())")
    return true
  }

  /// Leaves the line as it was.
  func finish() {
    if hasShown { show("\r\u{1b}[K") }
  }

  private func show(_ text: String) {
    text.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
  }
}
