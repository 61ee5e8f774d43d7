import Dispatch
import Synchronization
import TaktCore

@testable import TaktClaims

struct DriverFailure: Error, CustomStringConvertible {
  var failure: ClaimFailure
  var description: String { failure.description }
}

/// A driver whose batches are waited for.
final class SynchronousDriver: Sendable {
  private let outcomes = Outcomes()
  let engine: any ClaimDriver

  init(_ make: (@escaping @Sendable (ClaimOutcome) -> Void) throws -> any ClaimDriver) rethrows {
    engine = try make { [outcomes] in outcomes.add($0) }
  }

  convenience init(_ url: String, cluster: String = "default", deadline: Duration = .seconds(60)) {
    self.init { PostgresEngine(url: url, cluster: cluster, deadline: deadline, onOutcome: $0) }
  }

  convenience init(
    _ access: EtcdAccess, cluster: String = "default", deadline: Duration = .seconds(60)
  ) {
    self.init { EtcdEngine(access, cluster: cluster, deadline: deadline, onOutcome: $0) }
  }

  deinit { engine.close() }

  func perform(_ batch: ClaimBatch) throws -> ClaimReply {
    switch outcome(of: batch) {
    case .answered(let reply): return reply
    case .failed(_, let failure): throw DriverFailure(failure: failure)
    }
  }

  func outcome(of batch: ClaimBatch) -> ClaimOutcome {
    engine.send(batch)
    return outcomes.next()
  }

  /// The failure of a batch that joins.
  func failure() -> ClaimFailure? {
    guard case .failed(1, let failure) = outcome(of: .joining) else { return nil }
    return failure
  }
}

/// The replies, to be waited for.
final class Outcomes: Sendable {
  private let all = Mutex<[ClaimOutcome]>([])
  private let arrived = DispatchSemaphore(value: 0)

  func add(_ outcome: ClaimOutcome) {
    all.withLock { $0.append(outcome) }
    arrived.signal()
  }

  /// Blocks until there is one.
  func next() -> ClaimOutcome {
    arrived.wait()
    return all.withLock { $0.removeFirst() }
  }

  var count: Int { all.withLock(\.count) }
}

extension ClaimBatch {
  static let joining = ClaimBatch(
    number: 1, member: nil,
    facts: MemberFacts(machine: "one", lease: .seconds(15), grace: .seconds(5)))
}

extension ClaimOutcome {
  var number: UInt64 {
    switch self {
    case .answered(let reply): reply.number
    case .failed(let number, _): number
    }
  }
}
