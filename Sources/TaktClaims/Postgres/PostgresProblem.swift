import TaktCore

enum PostgresProblem: Error, Hashable {
  case noLibrary(String)
  /// libpq does not understand the connection string.
  case badText(String)
  /// libpq rejects a setting, of the connection string, its environment or a service file.
  case badOption(String)
  /// No connection, for a reason that is not the server's.
  case unreachable(Place, String)
  /// Something else listens there.
  case notPostgres(Place)
  case tls(Place, String)
  case noPassword(Place)
  /// A refused connection: SQLSTATE and the server's words.
  case refused(Place, state: String, String)
  case tooOld(Place, version: Int)
  case encoding(Place, String)
  /// The connection was lost; it is unknown if the batch was performed.
  case lost(Place, String)
  case timeout(Place?)
  /// It accepts the connection and stays silent: it may be no PostgreSQL.
  case silent(Place)
  /// A refused statement: SQLSTATE and the server's words.
  case statement(Place, state: String, String)
  /// The schema is missing, or of this older version, and the role may not change it.
  case cannotInstall(Place, version: Int?, String)
  case newerSchema(Place, version: Int)
  case unreadable(Place)

  /// The server of a connection, without secrets.
  struct Place: Hashable {
    /// `db.example:5432`, or the folder of a socket.
    var server: String
    var database: String
    var role: String
  }
}

extension PostgresProblem {
  /// True if the connection is of no use any more.
  var endsConnection: Bool {
    switch self {
    case .statement(_, let state, _):
      // The words of a server that stops, and of a standby: another one may be primary.
      state.hasPrefix("57P") || state.hasPrefix("08") || state == "25006"
    case .cannotInstall, .newerSchema: false
    case .noLibrary, .badText, .badOption, .unreachable, .notPostgres, .tls, .noPassword, .refused,
      .tooOld, .encoding, .lost, .timeout, .silent, .unreadable:
      true
    }
  }

  /// True if the connection may be at fault, and not the server that a new one finds.
  var isStale: Bool {
    switch self {
    case .lost: true
    case .statement: endsConnection
    case .noLibrary, .badText, .badOption, .unreachable, .notPostgres, .tls, .noPassword, .refused,
      .tooOld, .encoding, .timeout, .silent, .cannotInstall, .newerSchema, .unreadable:
      false
    }
  }

  /// True if a new connection may succeed with another one of the URL's hosts.
  var mayBeOneHosts: Bool {
    switch self {
    case .timeout, .silent, .unreachable: true
    // It starts, stops, or has too many connections.
    case .refused(_, let state, _): state.hasPrefix("57P") || state.hasPrefix("53")
    case .noLibrary, .badText, .badOption, .notPostgres, .tls, .noPassword, .tooOld, .encoding,
      .lost, .statement, .cannotInstall, .newerSchema, .unreadable:
      false
    }
  }

  /// True if waiting does not help.
  private var isPermanent: Bool {
    switch self {
    case .refused(_, let state, _): ["28P01", "28000", "3D000", "42501"].contains(state)
    case .statement(_, let state, _): state == "42501"
    case .noLibrary, .badText, .badOption, .notPostgres, .tls, .noPassword, .tooOld, .encoding,
      .cannotInstall, .newerSchema, .unreadable:
      true
    case .unreachable, .lost, .timeout, .silent: false
    }
  }

  /// True if the same batch may succeed at once: another transaction was in its way.
  var isConflict: Bool {
    if case .statement(_, "40001", _) = self { return true }
    if case .statement(_, "40P01", _) = self { return true }
    return false
  }

  /// True if the schema, or a function of it, does not exist.
  var isMissingSchema: Bool {
    guard case .statement(_, let state, _) = self else { return false }
    return ["3F000", "42883", "42P01"].contains(state)
  }
}

// MARK: - In words

extension PostgresProblem {
  func failure(patience: Duration) -> ClaimFailure {
    ClaimFailure(words(patience), isPermanent: isPermanent)
  }

  private func words(_ patience: Duration) -> String {
    switch self {
    case .noLibrary(let detail):
      "libpq is not available (\(detail)). Install it, on Debian with `apt-get install libpq5`."
    case .badText(let flaw):
      "The cluster's PostgreSQL URL is invalid: \(flaw). "
        + "Write it as postgresql://USER@HOST:PORT/DATABASE."
    case .badOption(let words):
      "libpq rejects the settings of the connection to PostgreSQL: \(words.sentence) Correct the "
        + "cluster's URL, or libpq's variables and files (PGSERVICE, PGSSLMODE, ~/.pg_service.conf)."
    case .unreachable(let place, let detail):
      "Cannot connect to PostgreSQL at \(place.server): \(detail.sentence) "
        + "Check the address, the network, and that the server is running."
    case .notPostgres(let place):
      "The server at \(place.server) is not PostgreSQL. Check the host and the port."
    case .tls(let place, let detail):
      "TLS with PostgreSQL at \(place.server) fails: \(detail.sentence) "
        + "Check sslmode and sslrootcert in the URL, and the server's certificate."
    case .noPassword(let place):
      "PostgreSQL at \(place.server) requires a password for role '\(place.role)'. "
        + "Add it to the URL, or to the password file ~/.pgpass."
    case .refused(let place, let state, let words):
      Self.refusal(place, state, words)
    case .tooOld(let place, let version):
      "PostgreSQL at \(place.server) is version \(version / 10_000); takt requires "
        + "\(PostgresSchema.serverVersionMin / 10_000) or newer."
    case .encoding(let place, let name):
      "Database '\(place.database)' at \(place.server) has encoding \(name); takt requires UTF8. "
        + "Create a database for it: `createdb -T template0 -E UTF8 NAME`."
    case .lost(let place, let detail):
      "The connection to PostgreSQL at \(place.server) was lost: \(detail.sentence)"
    case .timeout(let place):
      "PostgreSQL\(place.map { " at \($0.server)" } ?? "") did not answer within "
        + "\(patience.plainWords). Check the network and the server's load."
    case .silent(let place):
      "The server at \(place.server) accepts connections, but did not answer within "
        + "\(patience.plainWords). Check that it is PostgreSQL, and its load."
    case .statement(let place, let state, let words):
      Self.statement(place, state, words)
    case .cannotInstall(let place, nil, let words):
      "Database '\(place.database)' at \(place.server) has no schema 'takt', and role "
        + "'\(place.role)' cannot create it: \(words.sentence) Run `takt cluster sql | psql "
        + "DATABASE` as the database's owner."
    case .cannotInstall(let place, let version?, let words):
      "The schema 'takt' in database '\(place.database)' at \(place.server) has version "
        + "\(version), this takt requires \(PostgresSchema.version), and role '\(place.role)' "
        + "cannot upgrade it: \(words.sentence) Run `takt cluster sql | psql DATABASE` as the "
        + "schema's owner."
    case .newerSchema(let place, let version):
      "The schema 'takt' in database '\(place.database)' at \(place.server) has version "
        + "\(version); this takt works with version \(PostgresSchema.version). Upgrade takt on "
        + "this machine."
    case .unreadable(let place):
      "The function takt.batch in database '\(place.database)' at \(place.server) returned "
        + "something that this takt cannot read. Run `takt cluster sql | psql DATABASE` as the "
        + "schema's owner."
    }
  }

  private static func refusal(_ place: Place, _ state: String, _ words: String) -> String {
    switch state {
    case "28P01":
      "PostgreSQL at \(place.server) rejects the password of role '\(place.role)'. "
        + "Correct it in the URL or in the password file ~/.pgpass."
    case "28000":
      "PostgreSQL at \(place.server) does not let role '\(place.role)' connect: "
        + "\(words.sentence) Check that the role exists and that pg_hba.conf allows it."
    case "3D000":
      "PostgreSQL at \(place.server) has no database '\(place.database)'. "
        + "Create it with `createdb`, or correct its name in the URL."
    case "42501":
      "Role '\(place.role)' may not connect to database '\(place.database)' at "
        + "\(place.server). Run as its owner: GRANT CONNECT ON DATABASE "
        + "\"\(place.database)\" TO \"\(place.role)\";"
    case "53300":
      "PostgreSQL at \(place.server) has no free connection: \(words.sentence) "
        + "Raise max_connections, or use a pooler."
    default:
      "PostgreSQL at \(place.server) refuses the connection: \(words.sentence)"
    }
  }

  private static func statement(_ place: Place, _ state: String, _ words: String) -> String {
    switch state {
    case "42501":
      "Role '\(place.role)' may not use the schema 'takt' in database '\(place.database)' at "
        + "\(place.server): \(words.sentence) Run as the schema's owner: "
        + PostgresSchema.grants(to: place.role).split(separator: "\n").joined(separator: " ")
    case "25006":
      "PostgreSQL at \(place.server) is read-only, probably a standby. Connect to the primary: "
        + "list all hosts in the URL and add target_session_attrs=read-write."
    case "53100":
      "PostgreSQL at \(place.server) has no disk space left: \(words.sentence) "
        + "Free some space on the server."
    case "55P03":
      "PostgreSQL at \(place.server) did not get a lock on takt's tables in time. "
        + "Look for open transactions on them in pg_stat_activity."
    case "57P01", "57P02", "57P03":
      "PostgreSQL at \(place.server) is shutting down or starting up."
    default:
      "PostgreSQL at \(place.server) reports: \(words.sentence) (SQLSTATE \(state))"
    }
  }
}
