package import TaktCore
package import TaktTime

/// An engine that a contract is checked on: it performs one batch after another, and its time
/// passes only in `pass`.
package protocol ClaimTestEngine: AnyObject {
  /// The engine's clock, which stands still between `pass`es.
  var now: WallInstant { get }
  /// Lets time pass; the clock never goes back.
  func pass(_ duration: Duration) throws
  /// Sets the clock before any batch.
  func start(at instant: WallInstant) throws
  func perform(_ batch: ClaimBatch) throws -> ClaimReply
}

/// One that can be set back to a copy of its state, like a standby that takes over.
package protocol CopiedTestEngine: ClaimTestEngine {
  func keepCopy() throws
  func failOver() throws
}

/// The rules in memory.
package final class MemoryTestEngine: CopiedTestEngine {
  package private(set) var engine = MemoryEngine()
  private var copy: MemoryEngine?
  package private(set) var now = WallInstant(milliseconds: 1_700_000_000_000)

  package init(plant: MemoryEngine.Plant? = nil) { engine.plant = plant }

  package func pass(_ duration: Duration) { now = now + duration }

  package func start(at instant: WallInstant) { now = instant }

  package func perform(_ batch: ClaimBatch) -> ClaimReply { engine.perform(batch, at: now) }

  package func keepCopy() { copy = engine }

  package func failOver() {
    if let copy { engine.failOver(to: copy) }
  }
}

extension MemoryEngine {
  /// Replaces the state by the copy of a standby that takes over. No number is used again.
  package mutating func failOver(to copy: MemoryEngine) {
    let old = self
    self = copy
    lastMember = max(lastMember, old.lastMember)
    lastToken = max(lastToken, old.lastToken)
    era = old.era + 1
  }
}

/// A broken promise of an engine.
package struct ClaimViolation: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}
