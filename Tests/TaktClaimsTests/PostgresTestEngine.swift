import Dispatch
import Synchronization
import TaktCore
import TaktTesting
import TaktTime

@testable import TaktClaims

/// The driver on a real server, one batch after another, with a clock that stands still.
final class PostgresTestEngine: ClaimTestEngine {
  let driver: SynchronousDriver
  let cluster: String
  private(set) var now = WallInstant(milliseconds: 1_700_000_000_000)
  private let clock: PostgresConnection

  /// A cluster of its own in the database.
  init(_ url: String) throws {
    cluster = "cluster \(UInt64.random(in: 0 ... .max))"
    driver = SynchronousDriver(url, cluster: cluster)
    clock = try PostgresConnection.open(url, until: .now + .seconds(60))
    // The schema is installed by the first batch.
    _ = try driver.perform(ClaimBatch(number: 1, member: MemberID(0), facts: nil))
    try setClock()
  }

  func pass(_ duration: Duration) throws {
    now = now + duration
    try setClock()
  }

  func start(at instant: WallInstant) throws {
    now = instant
    try setClock()
  }

  func perform(_ batch: ClaimBatch) throws -> ClaimReply { try driver.perform(batch) }

  private func setClock() throws {
    _ = try clock.run(
      """
      INSERT INTO takt.clock (cluster, fixed) VALUES ($1, $2::bigint)
      ON CONFLICT (cluster) DO UPDATE SET fixed = excluded.fixed
      """, [cluster, String(now.nanoseconds)], until: .now + .seconds(60))
  }
}

struct DriverFailure: Error, CustomStringConvertible {
  var failure: ClaimFailure
  var description: String { failure.description }
}

/// A driver whose batches are waited for.
final class SynchronousDriver: Sendable {
  private let outcomes = Outcomes()
  let engine: PostgresEngine

  init(_ url: String, cluster: String = "default", deadline: Duration = .seconds(60)) {
    engine = PostgresEngine(url: url, cluster: cluster, deadline: deadline) { [outcomes] in
      outcomes.add($0)
    }
  }

  deinit { engine.close() }

  func perform(_ batch: ClaimBatch) throws -> ClaimReply {
    engine.send(batch)
    switch outcomes.next() {
    case .answered(let reply): return reply
    case .failed(_, let failure): throw DriverFailure(failure: failure)
    }
  }

  /// The failure of a batch that joins.
  func failure() -> ClaimFailure? {
    engine.send(.joining)
    guard case .failed(1, let failure) = outcomes.next() else { return nil }
    return failure
  }
}

/// What has come, to be waited for.
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
