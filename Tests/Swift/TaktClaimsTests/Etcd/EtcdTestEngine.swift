import Synchronization
import TaktCore
import TaktTesting
import TaktTime

@testable import TaktClaims

/// The driver on a real server, one batch after another, with a clock that stands still.
final class EtcdTestEngine: ClaimTestEngine {
  private final class FixedClock: Sendable {
    let instant = Mutex(WallInstant(milliseconds: 1_700_000_000_000))
  }

  let driver: SynchronousDriver
  private let clock = FixedClock()

  /// - Parameters:
  ///   - cluster: nil for one of its own.
  ///   - cachesNothing: whether all records are read again for each batch.
  init(_ access: EtcdAccess, cluster: String? = nil, cachesNothing: Bool = false) {
    let cluster = cluster ?? "cluster-\(UInt64.random(in: 0 ... .max))"
    driver = SynchronousDriver { [clock] onOutcome in
      EtcdEngine(deadline: .seconds(60), onOutcome: onOutcome) {
        EtcdCarrier(
          access, cluster: cluster, patience: .seconds(60),
          clock: .fixed { clock.instant.withLock(\.self) }, cachesNothing: cachesNothing)
      }
    }
  }

  var now: WallInstant { clock.instant.withLock(\.self) }
  func pass(_ duration: Duration) { clock.instant.withLock { $0 = $0 + duration } }
  func start(at instant: WallInstant) { clock.instant.withLock { $0 = instant } }
  func perform(_ batch: ClaimBatch) throws -> ClaimReply { try driver.perform(batch) }
}
