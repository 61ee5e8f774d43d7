import CTaktClaims
import TaktCore
import TaktTime

/// The tables and functions that takt needs in a database, in the schema `takt`.
///
/// All of an engine's rules are in `takt.batch`, so that a batch is one statement and one
/// transaction, through a pooler too. Locks are taken in one order (jobs by name, groups by name,
/// the member) before anything is changed, and any further row is skipped while others have it
/// locked: no two batches can deadlock.
package enum PostgresSchema {
  /// The version that this takt installs and talks to.
  package static let version = 6

  /// The oldest version whose daemons may still claim slots: they know nothing of later additions,
  /// and nothing else has changed for them.
  static let clientVersionMin = 1

  /// The oldest suitable PostgreSQL, in the form of `PQserverVersion`.
  static let serverVersionMin = 120_000

  /// The statement that carries a batch: the cluster's name and the batch.
  static let statement = "SELECT takt.batch($1, $2)"

  /// All SQL to install the schema, or to update an older one, for a role that may create schemas
  /// in the database. It may be run again.
  package static var sql: String {
    """
    -- The schema 'takt', version \(version): claims of slots by several machines.
    BEGIN;
    -- What is there already is no news.
    SET LOCAL client_min_messages = warning;
    \(script)COMMIT;

    """
  }

  /// The rights that a role needs to claim slots where another one has installed the schema.
  package static func grants(to role: String) -> String {
    let parts = role.split(separator: "\"", omittingEmptySubsequences: false)
    let name = "\"\(parts.joined(separator: "\"\""))\""
    return """
      GRANT USAGE ON SCHEMA takt TO \(name);
      GRANT EXECUTE ON FUNCTION takt.batch(text, jsonb) TO \(name);
      GRANT EXECUTE ON FUNCTION takt.audit(text, text, bigint, integer) TO \(name);

      """
  }

  /// The SQLSTATE of `installation` where another machine has been faster.
  static let installedState = "TK001"

  /// The statements for a machine that finds the schema missing or old, to be sent as one message,
  /// which is one transaction: nothing is changed if another machine has installed it meanwhile.
  static var installation: String {
    text(takt_schema_lock) + text(takt_schema_check) + script
  }

  private static var script: String { text(takt_schema_lock) + text(takt_schema_script) }

  private static let variables: [(name: String, value: Int64)] = [
    ("takt_version", Int64(version)),
    ("takt_client_version_min", Int64(clientVersionMin)),
    // The earliest slots of a job: this long before the job first appears.
    ("takt_reach", MemoryEngine.reach.nanosecondsSaturated),
    // The time for which decided slots are kept.
    ("takt_kept", 30 * 86_400 * 1_000_000_000),
    // The most rows that one batch deletes.
    ("takt_deleted_max", 200),
    ("takt_replaced_max", Int64(MemoryEngine.replacedMax)),
  ]

  private static func text(_ text: takt_schema_text) -> String {
    // A constant of the program, of the length that it states.
    let bytes = UnsafeBufferPointer(start: text.bytes, count: text.count)
    return variables.reduce(
      String(decoding: bytes, as: UTF8.self)
        .replacing(":'takt_installed_state'", with: "'\(installedState)'")
    ) { $0.replacing(":\($1.name)", with: "\($1.value)") }
  }
}
