package import TaktCore

/// Claims in a PostgreSQL database: all machines that share jobs connect to the same one.
///
/// All blocking calls are made on one thread of its own; `send` only queues. Each batch is one
/// statement and one transaction, `SELECT takt.batch($1, $2)`, so that any pooler will do. The
/// connection is opened when a batch comes, and again after it was lost. Safe from any thread.
package final class PostgresEngine: ClaimDriver, Sendable {
  private let queue: BatchQueue

  /// - Parameters:
  ///   - url: a connection string of libpq, passed on unchanged: a URL, `key=value` words, or empty
  ///     for the settings of libpq's environment.
  ///   - name: the cluster's; several share a database.
  ///   - deadline: the longest time from `send` to the answer.
  ///   - onOutcome: called on a queue of its own, once for each batch, in their order.
  package init(
    url: String, cluster name: String, deadline: Duration,
    onOutcome: @escaping @Sendable (ClaimOutcome) -> Void
  ) {
    let whereabouts = PostgresCarrier.Whereabouts()
    queue = BatchQueue(
      patience: deadline,
      lateness: { PostgresProblem.timeout(whereabouts.place).failure(patience: deadline) },
      onOutcome: onOutcome,
      makeCarrier: {
        PostgresCarrier(url: url, cluster: name, patience: deadline, whereabouts: whereabouts)
      })
  }

  deinit { queue.close() }

  package func send(_ batch: ClaimBatch) { queue.send(batch) }

  /// Ends the connection and fails unanswered batches. Waits for nothing.
  package func close() { queue.close() }
}
