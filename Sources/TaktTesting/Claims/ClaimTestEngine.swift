package import TaktCore
package import TaktTime

/// An engine that a contract is checked on: it does one batch after another, and time passes for it
/// when a test says so.
package protocol ClaimTestEngine: AnyObject {
  /// The engine's clock, which stands still between `pass`es.
  var now: WallInstant { get }
  /// Lets time pass; the clock never goes back.
  func pass(_ duration: Duration) throws
  /// Sets the clock before anything is done.
  func start(at instant: WallInstant) throws
  func perform(_ batch: ClaimBatch) throws -> ClaimReply
}

/// The rules in memory.
package final class MemoryTestEngine: ClaimTestEngine {
  package private(set) var engine = MemoryEngine()
  package private(set) var now = WallInstant(milliseconds: 1_700_000_000_000)

  package init(plant: MemoryEngine.Plant? = nil) { engine.plant = plant }

  package func pass(_ duration: Duration) { now = now + duration }

  package func start(at instant: WallInstant) { now = instant }

  package func perform(_ batch: ClaimBatch) -> ClaimReply { engine.perform(batch, at: now) }
}

/// A broken promise of an engine.
package struct ClaimViolation: Error, CustomStringConvertible {
  package let description: String
}
