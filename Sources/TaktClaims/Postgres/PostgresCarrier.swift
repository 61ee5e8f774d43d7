import TaktCore

/// Carries batches to a PostgreSQL database. It exists on the driver's thread alone.
struct PostgresCarrier: BatchCarrier {
  private static let retryDelay = Duration.milliseconds(20)
  /// How often a batch that others were in the way of is repeated.
  private static let conflictsMax = 5

  private let url: String
  private let cluster: String
  private let patience: Duration
  private var connection: PostgresConnection?

  init(url: String, cluster: String, patience: Duration) {
    self.url = url
    self.cluster = cluster
    self.patience = patience
  }

  mutating func carry(_ batch: ClaimBatch, until deadline: ContinuousClock.Instant)
    -> ClaimOutcome
  {
    do throws(PostgresProblem) {
      return .answered(try perform(batch, until: deadline))
    } catch {
      return .failed(number: batch.number, error.failure(patience: patience))
    }
  }

  mutating func close() { connection = nil }

  private mutating func perform(
    _ batch: ClaimBatch, until deadline: ContinuousClock.Instant
  ) throws(PostgresProblem) -> ClaimReply {
    var conflicts = 0
    var hasInstalled = false
    var mayReconnect = connection != nil
    while true {
      let problem: PostgresProblem
      do throws(PostgresProblem) {
        switch try exchange(batch, until: deadline) {
        case .reply(let reply): return reply
        case .otherSchema(let version):
          guard version < PostgresSchema.version, !hasInstalled, let connection else {
            let place = connection?.place ?? PostgresProblem.Place(server: "", database: "", role: "")
            throw .newerSchema(place, version: version)
          }
          try install(on: connection, over: version, until: deadline)
          hasInstalled = true
          continue
        }
      } catch {
        problem = error
      }
      if problem.isConflict, conflicts < Self.conflictsMax {
        conflicts += 1
        let pause = Self.retryDelay * conflicts
        guard deadline - .now > pause else { throw problem }
        DriverThread.sleep(pause)
      } else if problem.isMissingSchema, !hasInstalled, let connection {
        try install(on: connection, over: nil, until: deadline)
        hasInstalled = true
      } else {
        if problem.endsConnection { connection = nil }
        // A batch is idempotent, and a connection that was idle may have ended long ago.
        guard case .lost = problem, mayReconnect else { throw problem }
        mayReconnect = false
      }
    }
  }

  private mutating func exchange(
    _ batch: ClaimBatch, until deadline: ContinuousClock.Instant
  ) throws(PostgresProblem) -> ReplyText.Content {
    if connection?.isUsable == false { connection = nil }
    let connection =
      if let connection { connection } else {
        try PostgresConnection.open(url, until: deadline)
      }
    self.connection = connection
    let text = BatchText.make(of: batch, wait: deadline - .now)
    let reply = try connection.run(PostgresSchema.statement, [cluster, text], until: deadline)
    guard let reply, let content = ReplyText.read(reply, to: batch) else {
      throw .unreadable(connection.place)
    }
    return content
  }

  /// Installs the schema, or brings an older one up to date; several may try at a time.
  private func install(
    on connection: PostgresConnection, over version: Int?, until deadline: ContinuousClock.Instant
  ) throws(PostgresProblem) {
    do throws(PostgresProblem) {
      try connection.run(script: PostgresSchema.script, until: deadline)
    } catch {
      guard case .statement(let place, "42501", let words) = error else { throw error }
      throw .cannotInstall(place, version: version, words)
    }
  }
}
