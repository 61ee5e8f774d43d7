package import TaktCore
package import TaktTime

/// A view of the slots of a cluster in a PostgreSQL database.
///
/// Blocks while it reads; for one thread.
package struct PostgresHistory: ClaimHistory {
  package typealias Failure = ClaimHistoryFailure

  private static let statement = "SELECT takt.audit($1, $2, $3::bigint, $4::integer)"
  private static let pageSize = 5000
  /// The server's time for one page.
  private static let patience = Duration.seconds(30)

  private let connection: PostgresConnection
  private let cluster: String

  /// - Parameter url: a connection string of libpq.
  package init(url: String, cluster: String) throws(Failure) {
    self.cluster = cluster
    do throws(PostgresProblem) {
      connection = try PostgresConnection.open(url, until: .now + Self.patience)
    } catch {
      throw Failure(description: error.failure(patience: Self.patience).description)
    }
  }

  package func slots(of job: JobName, after start: WallInstant) throws(Failure) -> EngineSlots {
    var result = EngineSlots()
    var after = start.milliseconds
    while true {
      let page = try page(of: job, after: after)
      page.add(to: &result, isFirst: after == start.milliseconds)
      guard page.slots.count >= Self.pageSize, let last = page.slots.last else { return result }
      // A server that repeats itself would never come to an end.
      guard last.slot > after else {
        throw Failure(description: Self.words(.unreadable(connection.place)))
      }
      after = last.slot
    }
  }

  private func page(of job: JobName, after: Int64) throws(Failure) -> PostgresPage {
    do throws(PostgresProblem) {
      let text = try connection.run(
        Self.statement, [cluster, job.text, String(after), String(Self.pageSize)],
        until: .now + Self.patience)
      guard let page = text.flatMap(PostgresPage.init) else {
        throw .unreadable(connection.place)
      }
      return page
    } catch {
      throw Failure(description: Self.words(error))
    }
  }

  private static func words(_ problem: PostgresProblem) -> String {
    guard problem.isMissingSchema, case .statement(let place, _, _) = problem else {
      return problem.failure(patience: patience).description
    }
    return "Database '\(place.database)' at \(place.server) does not have this takt's schema. "
      + "Run `takt cluster sql | psql DATABASE` as a role that may create schemas."
  }
}
