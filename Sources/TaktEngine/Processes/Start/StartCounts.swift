import Synchronization
import TaktCore

/// What the runner of processes counts, and who may start a child.
///
/// Safe from any thread.
final class StartCounts: Sendable {
  private struct State {
    var figures = ProcessFigures()
    var stuckOrigins: Set<Command.Origin> = []
    var hasStartedWithoutGroup = false
    var hasStartedWithoutLimits = false
  }

  /// So many may have a child that hangs before it has executed anything.
  private static let stuckMax = 64

  private let state = Mutex(State())

  var figures: ProcessFigures {
    state.withLock { state in
      var figures = state.figures
      figures.stuckNow = state.stuckOrigins.count
      return figures
    }
  }

  /// Whether another child may be started: none comes on top of one that hangs, and there
  /// are never more than a few of those.
  func allows(_ origin: Command.Origin) -> Bool {
    state.withLock {
      $0.stuckOrigins.isEmpty
        || (!$0.stuckOrigins.contains(origin) && $0.stuckOrigins.count < Self.stuckMax)
    }
  }

  /// A child hangs, and nobody waits for it any more.
  func addStuck(_ origin: Command.Origin) {
    state.withLock {
      $0.stuckOrigins.insert(origin)
      $0.figures.stuck += 1
    }
  }

  func removeStuck(_ origin: Command.Origin) {
    state.withLock { _ = $0.stuckOrigins.remove(origin) }
  }

  /// True the first time.
  func isFirstWithoutGroup() -> Bool {
    state.withLock { state in
      defer { state.hasStartedWithoutGroup = true }
      return !state.hasStartedWithoutGroup
    }
  }

  /// True the first time.
  func isFirstWithoutLimits() -> Bool {
    state.withLock { state in
      defer { state.hasStartedWithoutLimits = true }
      return !state.hasStartedWithoutLimits
    }
  }

  func addReleased(_ count: Int) { state.withLock { $0.figures.released += UInt64(count) } }

  /// Returns how many there have been with this one.
  func addUnrelated() -> UInt64 {
    state.withLock {
      $0.figures.unrelated += 1
      return $0.figures.unrelated
    }
  }
}

/// What takt has counted of the processes that it starts.
package struct ProcessFigures: Sendable {
  /// Children that hang now before they have executed anything, and that no run waits for.
  package var stuckNow = 0
  /// How many of those there have been since takt started.
  package var stuck: UInt64 = 0
  /// Processes that commands left running and that were released, as `kill.leftovers` says.
  package var released: UInt64 = 0
  /// Adopted processes that no run can be proved to own: they were left alone.
  package var unrelated: UInt64 = 0
}
