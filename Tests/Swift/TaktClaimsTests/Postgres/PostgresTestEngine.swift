import TaktCore
import TaktTesting
import TaktTime

@testable import TaktClaims

/// The driver on a real server, one batch after another, with a clock that stands still.
final class PostgresTestEngine: CopiedTestEngine {
  let driver: SynchronousDriver
  let cluster: String
  private(set) var now = WallInstant(milliseconds: 1_700_000_000_000)
  private let clock: PostgresConnection
  private var copy: [String: String] = [:]

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

  private static let tables = ["member", "job", "holder", "slot", "series"]

  func keepCopy() throws {
    for table in Self.tables {
      copy[table] = try text(
        "SELECT coalesce(jsonb_agg(to_jsonb(t)), '[]') FROM takt.\(table) t WHERE cluster = $1")
    }
  }

  func failOver() throws {
    guard !copy.isEmpty else { return }
    for table in Self.tables {
      try run("DELETE FROM takt.\(table) WHERE cluster = $1")
      try run(
        "INSERT INTO takt.\(table) SELECT r.* FROM "
          + "jsonb_populate_recordset(NULL::takt.\(table), $2::jsonb) r WHERE r.cluster = $1",
        copy[table] ?? "[]")
    }
    try run(
      "UPDATE takt.clock SET timeline = coalesce(timeline, takt.timeline()) + 1 WHERE cluster = $1")
  }

  private func run(_ statement: String, _ more: String...) throws {
    _ = try clock.run(statement, [cluster] + more, until: .now + .seconds(60))
  }

  private func text(_ statement: String) throws -> String {
    try clock.run(statement, [cluster], until: .now + .seconds(60)) ?? ""
  }

  private func setClock() throws {
    _ = try clock.run(
      """
      INSERT INTO takt.clock (cluster, fixed) VALUES ($1, $2::bigint)
      ON CONFLICT (cluster) DO UPDATE SET fixed = excluded.fixed
      """, [cluster, String(now.nanoseconds)], until: .now + .seconds(60))
  }
}
