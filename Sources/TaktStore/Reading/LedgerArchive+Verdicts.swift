internal import GRDB
package import TaktCore
import TaktTime

extension LedgerArchive {
  package func verdicts(_ query: VerdictQuery) throws(Failure) -> [VerdictRecord] {
    guard let jobs = query.jobs else { return try lastVerdicts(query) }
    return try read { db in
      let statement = try db.makeStatement(
        sql: """
          SELECT first, last, count, verdict, detail, run, at FROM verdicts
          WHERE job = (SELECT id FROM jobs WHERE name = ?) AND first >= ? AND first < ?
          AND at < ? ORDER BY first DESC LIMIT ?
          """)
      var records: [VerdictRecord] = []
      for job in jobs {
        let rows = try Row.fetchAll(
          statement,
          arguments: [
            job.text, query.since.milliseconds, query.until?.milliseconds ?? .max,
            query.before.milliseconds, query.limit,
          ])
        records += try rows.map { try $0.verdictRecord(of: job) }
      }
      return records
    }
  }

  /// The newest verdicts of all jobs: a walk from the end of the table, which needs no index.
  private func lastVerdicts(_ query: VerdictQuery) throws(Failure) -> [VerdictRecord] {
    try read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT name, first, last, count, verdict, detail, run, at
          FROM verdicts JOIN jobs ON jobs.id = verdicts.job
          WHERE first >= ? AND first < ? AND at < ? ORDER BY verdicts.id DESC LIMIT ?
          """,
        arguments: [
          query.since.milliseconds, query.until?.milliseconds ?? .max, query.before.milliseconds,
          query.limit,
        ])
      return try rows.compactMap { row in
        try JobName(row.text("name")).map { try row.verdictRecord(of: $0) }
      }
    }
  }
}

extension Row {
  func verdictRecord(of job: JobName) throws -> VerdictRecord {
    let detail = try text(ifAny: "detail")
    return VerdictRecord(
      job: job,
      slots: SlotSeries(
        first: try instant("first"), last: try instant("last"), count: try count("count")),
      verdict: try value("verdict") { LedgerAudit.verdict($0, detail) },
      at: try instant("at"), run: try run(ifAny: "run"))
  }
}
