import TaktCore
import TaktTesting
import TaktTime

@testable import TaktClaims

/// The schema's functions within one transaction, which goes back to its savepoints.
final class PostgresReplayEngine: RewindableTestEngine {
  private(set) var now = WallInstant(milliseconds: 0)
  private let connection: PostgresConnection
  private let cluster: String
  private var depth = 0

  init(_ url: String) throws {
    cluster = "replay \(UInt64.random(in: 0 ... .max))"
    // The schema is installed by the first batch.
    _ = try SynchronousDriver(url, cluster: cluster).perform(
      ClaimBatch(number: 1, member: MemberID(0), facts: nil))
    connection = try PostgresConnection.open(url, until: .now + .seconds(60))
    try run(script: "BEGIN")
  }

  func pass(_ duration: Duration) throws { try start(at: now + duration) }

  func start(at instant: WallInstant) throws {
    now = instant
    _ = try run(
      """
      INSERT INTO takt.clock (cluster, fixed) VALUES ($1, $2::bigint)
      ON CONFLICT (cluster) DO UPDATE SET fixed = excluded.fixed
      """, String(now.nanoseconds))
  }

  func perform(_ batch: ClaimBatch) throws -> ClaimReply {
    let text = BatchText.make(of: batch, wait: .seconds(60))
    guard let reply = try run(PostgresSchema.statement, text),
      case .reply(let content)? = ReplyText.read(reply, to: batch)
    else { throw ClaimViolation(description: "no reply to \(batch)") }
    return content
  }

  func keepPlace() throws {
    depth += 1
    try run(script: "SAVEPOINT place\(depth)")
  }

  func goBack() throws {
    try run(script: "ROLLBACK TO place\(depth); RELEASE place\(depth)")
    depth -= 1
  }

  func rows() throws -> [EngineReplay.Row] {
    let text = try run(
      """
      SELECT string_agg(concat_ws(E'\\t', job, slot, CASE state WHEN 'decided'
        THEN concat_ws(' ', verdict, coalesce(detail, ''), coalesce(outcome, ''),
          coalesce(reason, '')) ELSE state END,
        CASE state WHEN 'decided' THEN 0 ELSE attempt END,
        CASE state WHEN 'claimed' THEN token ELSE 0 END,
        state = 'claimed' AND is_replaced), E'\\n')
      FROM takt.slot WHERE cluster = $1
      """)
    return try (text ?? "").split(separator: "\n").map { line in
      let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard words.count == 6, let slot = Int64(words[1]), let attempt = Int(words[3]),
        let token = UInt64(words[4])
      else { throw ClaimViolation(description: "a row that is none: \(line)") }
      return EngineReplay.Row(
        job: words[0], slot: slot, state: words[2], attempt: attempt,
        token: token == 0 ? nil : ClaimToken(token), isReplaced: words[5] == "t")
    }
  }

  private func run(_ statement: String, _ more: String...) throws -> String? {
    try connection.run(statement, [cluster] + more, until: .now + .seconds(60))
  }

  private func run(script: String) throws {
    try connection.run(script: script, until: .now + .seconds(60))
  }
}
