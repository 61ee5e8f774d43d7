import Synchronization

/// Counts of the process runner, which decide on starts as well.
///
/// Safe from any thread.
final class StartCounts: Sendable {
  private struct State {
    var figures = ProcessFigures()
    var stuckOrigins: Set<Command.Origin> = []
    var hasStartedWithoutGroup = false
    var hasStartedWithoutLimits = false
  }

  /// Origins that may have a child that hangs before it has executed anything.
  private static let stuckMax = 64

  private let state = Mutex(State())

  var figures: ProcessFigures {
    state.withLock { state in
      var figures = state.figures
      figures.stuckNow = state.stuckOrigins.count
      return figures
    }
  }

  /// True if another child may be started: not by an origin with one that hangs, and not by any
  /// when many do.
  func allows(_ origin: Command.Origin) -> Bool {
    state.withLock {
      $0.stuckOrigins.isEmpty
        || (!$0.stuckOrigins.contains(origin) && $0.stuckOrigins.count < Self.stuckMax)
    }
  }

  func addStuck(_ origin: Command.Origin) {
    state.withLock {
      $0.stuckOrigins.insert(origin)
      $0.figures.stuck += 1
    }
  }

  func removeStuck(_ origin: Command.Origin) {
    state.withLock { _ = $0.stuckOrigins.remove(origin) }
  }

  func isFirstWithoutGroup() -> Bool {
    state.withLock { state in
      defer { state.hasStartedWithoutGroup = true }
      return !state.hasStartedWithoutGroup
    }
  }

  func isFirstWithoutLimits() -> Bool {
    state.withLock { state in
      defer { state.hasStartedWithoutLimits = true }
      return !state.hasStartedWithoutLimits
    }
  }

  func addReleased(_ count: Int) { state.withLock { $0.figures.released += UInt64(count) } }

  func addUnrelated() -> UInt64 {
    state.withLock {
      $0.figures.unrelated += 1
      return $0.figures.unrelated
    }
  }
}

package struct ProcessFigures: Sendable {
  /// Children that hang now before they have executed anything, and that no run waits for.
  package var stuckNow = 0
  /// The number of those since takt started.
  package var stuck: UInt64 = 0
  /// Leftover processes of commands that were released, as `kill.leftovers` says.
  package var released: UInt64 = 0
  /// Adopted processes that cannot be proved to belong to a run: they were left alone.
  package var unrelated: UInt64 = 0
}
