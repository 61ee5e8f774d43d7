import Foundation
import TaktCore
import TaktTransfer
import TestSupport
import Testing

@testable import TaktClaims

/// Messages for mistakes of a user, and if waiting helps.
@Suite struct BadInputTests {
  private static func failure(_ url: String) throws -> ClaimFailure {
    try #require(SynchronousDriver(url).failure())
  }

  @Test func `nothing listens there`() throws {
    let port = try Loopback.freePort()
    let failure = try Self.failure("postgresql://me:secret@127.0.0.1:\(port)/jobs")
    #expect(
      failure
        == ClaimFailure(
          "Cannot connect to PostgreSQL at 127.0.0.1:\(port): Connection refused. "
            + "Check the address, the network, and that the server is running."))
  }

  @Test func `the host does not exist`() throws {
    let failure = try Self.failure("postgresql://me:secret@host.invalid/jobs")
    #expect(
      failure.description.hasPrefix(
        "Cannot connect to PostgreSQL at host.invalid:5432: "
          + "could not translate host name \"host.invalid\" to address: "))
    #expect(!failure.isPermanent, "name servers may be away for a while")
  }

  @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail ready\r\n"])
  func `the server is not PostgreSQL`(greeting: String) throws {
    let listener = try Listener(saying: greeting)
    #expect(
      try Self.failure("postgresql://me@127.0.0.1:\(listener.port)/jobs")
        == ClaimFailure(
          "The server at 127.0.0.1:\(listener.port) is not PostgreSQL. "
            + "Check the host and the port.", isPermanent: true))
  }

  @Test(arguments: [
    ("postgresql://me:se%ZZcret@h/jobs", "invalid percent-encoded token"),
    ("postgresql://me:secret@h:port/jobs", nil),
    ("postgresql://me:secret@[::1/jobs", nil),
    ("postgresql://me:secret@h/jobs?colour=red", "invalid URI query parameter"),
    ("host=h password='secret", "unterminated quoted string in connection info string"),
    ("mysql://me:secret@h/jobs", "it does not start with postgresql"),
  ])
  func `the URL is invalid`(url: String, flaw: String?) throws {
    let failure = try Self.failure(url)
    if let flaw {
      #expect(failure.description.hasPrefix("The cluster's PostgreSQL URL is invalid: \(flaw)"))
      #expect(failure.isPermanent)
    }
    #expect(!failure.description.contains("cret"), "no password is shown")
  }

  @Test(arguments: [
    "postgresql://me:secret@h:70000/jobs", "postgresql://me:secret@h/jobs?sslmode=bogus",
    "postgresql://me:secret@h/jobs?service=nosuch",
    "postgresql://me:secret@h/jobs?target_session_attrs=any-of-them",
  ])
  func `a setting that libpq rejects is permanent, and its words are whole`(url: String) throws {
    let failure = try Self.failure(url)
    #expect(failure.isPermanent, "\(failure)")
    let words = [
      "invalid port number: \"70000\".", "invalid sslmode value: \"bogus\".",
      "definition of service \"nosuch\" not found.",
      "invalid target_session_attrs value: \"any-of-them\".",
    ]
    #expect(words.contains { failure.description.contains($0) }, "\(failure)")
    #expect(failure.description.contains("Correct the cluster's URL"))
    #expect(!failure.description.contains("cret"), "no password is shown")
  }

  @Test(arguments: [
    ("host=h oops port=1", #"missing "=" after "oops" in connection info string"#),
    ("postgresql://me@h/d?nosuch=1", #"invalid URI query parameter: "nosuch""#),
    // It may be a password with a blank in it.
    ("host=h password=se cret port=1", #"missing "=" after "…" in connection info string"#),
    ("postgresql://me:se%ZZcret@h/d", #"invalid percent-encoded token: "…""#),
    ("postgresql://me:hunter2/x@h/d?y=1", nil), ("postgresql://me:hunter2", nil),
    ("postgresql://h/d?password=hunter2&nosuch=1", #"invalid URI query parameter: "…""#),
  ])
  func `libpq's words are shown whole, but for what may be a password`(url: String, words: String?)
    throws
  {
    let flaws = PostgresURL.flaws(in: url, isThorough: true)
    let failure = try Self.failure(url).description
    for text in flaws.map(\.message) + [failure] {
      #expect(!text.contains("cret") && !text.contains("hunter"), "\(text)")
    }
    guard let words else { return }
    #expect(flaws.first?.message == "'url' is invalid: \(words)")
    #expect(failure.contains(" is invalid: \(words). "), "\(failure)")
  }

  @Test func `what libpq has from its environment is shown where the text has no secret`() {
    let words = "definition of service \"nightly\" not found"
    #expect(PostgresWords(of: "").clean(words) == words)
    #expect(PostgresWords(of: "postgresql:///jobs").clean(words) == words)
    #expect(
      PostgresWords(of: "postgresql://me:nightly@h/jobs").clean(words)
        == "definition of service \"…\" not found")
    #expect(PostgresWords(of: "").clean("two\nlines \"cut") == "two lines …")
  }

  @Test func `a server that says nothing is named`() throws {
    let listener = try Listener()
    let failure = try #require(
      SynchronousDriver(
        "postgresql://me@127.0.0.1:\(listener.port)/jobs", deadline: .seconds(2)
      ).failure())
    #expect(failure.description.contains(" 127.0.0.1:\(listener.port) "), "\(failure)")
    #expect(failure.description.contains("did not answer within 2 s. Check"), "\(failure)")
    let place = PostgresProblem.Place(server: "db:5432", database: "jobs", role: "me")
    #expect(
      PostgresProblem.silent(place).failure(patience: .seconds(2))
        == ClaimFailure(
          "The server at db:5432 accepts connections, but did not answer within 2 s. Check that it is "
            + "PostgreSQL, and its load."))
  }

  @Test(.enabled(if: EtcdServer.isInstalled, EtcdServer.hint))
  func `etcd in PostgreSQL's place is named`() throws {
    let address = try EtcdServer.shared().access.endpoints[0]
    let failure = try #require(
      SynchronousDriver(
        "postgresql://me@127.0.0.1:\(address.port ?? 0)/jobs", deadline: .seconds(2)
      ).failure())
    #expect(failure.description.contains(" 127.0.0.1:\(address.port ?? 0) "), "\(failure)")
    #expect(failure.description.contains("PostgreSQL"), "\(failure)")
  }

  @Test func `libpq is not installed`() {
    let problem = PostgresProblem.noLibrary("libpq.so.5: cannot open shared object file")
    #expect(
      problem.failure(patience: .seconds(5))
        == ClaimFailure(
          "libpq is not available (libpq.so.5: cannot open shared object file). "
            + "Install it, on Debian with `apt-get install libpq5`.", isPermanent: true))
  }

  @Test func `PostgreSQL is too old`() {
    let place = PostgresProblem.Place(server: "db:5432", database: "jobs", role: "me")
    #expect(
      PostgresProblem.tooOld(place, version: 110_022).failure(patience: .seconds(5))
        == ClaimFailure(
          "PostgreSQL at db:5432 is version 11; takt requires 12 or newer.", isPermanent: true))
  }

  /// With a real server.
  @Suite(.enabled(if: TestServer.isInstalled, TestServer.hint)) struct OfServer {
    private let server: TestServer

    init() throws { server = try TestServer.shared() }

    private var address: String { "127.0.0.1:\(server.port)" }
    private var socket: String { "\(server.folder):\(server.port)" }

    /// A role that may log in, and nothing else.
    private func makeRole(_ options: String = "") throws -> String {
      let name = "role_\(UInt64.random(in: 0 ... .max))"
      try server.run("CREATE ROLE \(name) LOGIN \(options)")
      return name
    }

    @Test func `the password is wrong, and is not shown`() throws {
      let role = try makeRole("PASSWORD 'right'")
      #expect(
        try failure("postgresql://\(role):wr%6Fng@\(address)/postgres")
          == ClaimFailure(
            "PostgreSQL at \(address) rejects the password of role '\(role)'. "
              + "Correct it in the URL or in the password file ~/.pgpass.", isPermanent: true))
      let database = try server.makeDatabase("OWNER \(role)")
      let reply = try SynchronousDriver("postgresql://\(role):right@\(address)/\(database)")
        .perform(.joining)
      #expect(reply.member != nil, "the right one does")
    }

    @Test func `the password is missing`() throws {
      let role = try makeRole("PASSWORD 'right'")
      #expect(
        try failure("postgresql://\(role)@\(address)/postgres?passfile=/nowhere")
          == ClaimFailure(
            "PostgreSQL at \(address) requires a password for role '\(role)'. "
              + "Add it to the URL, or to the password file ~/.pgpass.", isPermanent: true))
    }

    @Test func `the role does not exist`() throws {
      #expect(
        try failure(server.url(role: "no_such_role"))
          == ClaimFailure(
            "PostgreSQL at \(socket) does not let role 'no_such_role' connect: "
              + "role \"no_such_role\" does not exist. "
              + "Check that the role exists and that pg_hba.conf allows it.", isPermanent: true))
    }

    @Test func `the database does not exist`() throws {
      #expect(
        try failure(server.url("no_such_database"))
          == ClaimFailure(
            "PostgreSQL at \(socket) has no database 'no_such_database'. "
              + "Create it with `createdb`, or correct its name in the URL.", isPermanent: true))
    }

    @Test func `the role may not connect`() throws {
      let (role, database) = (try makeRole(), try server.makeDatabase())
      try server.run("REVOKE CONNECT ON DATABASE \(database) FROM PUBLIC")
      #expect(
        try failure(server.url(database, role: role))
          == ClaimFailure(
            "Role '\(role)' may not connect to database '\(database)' at \(socket). "
              + "Run as its owner: GRANT CONNECT ON DATABASE \"\(database)\" TO \"\(role)\";",
            isPermanent: true))
    }

    @Test func `the schema is missing and the role may not create it`() throws {
      let (role, database) = (try makeRole(), try server.makeDatabase())
      #expect(
        try failure(server.url(database, role: role))
          == ClaimFailure(
            "Database '\(database)' at \(socket) has no schema 'takt', and role '\(role)' cannot "
              + "create it: permission denied for database \(database). Run `takt cluster sql | "
              + "psql DATABASE` as the database's owner.", isPermanent: true))
    }

    @Test func `a role without rights gets their names, and needs no others`() throws {
      let (role, database) = (try makeRole(), try server.makeDatabase())
      try server.run(PostgresSchema.sql, in: database)
      try server.run(PostgresSchema.sql, in: database)
      let grants = PostgresSchema.grants(to: role)
      #expect(
        try failure(server.url(database, role: role))
          == ClaimFailure(
            "Role '\(role)' may not use the schema 'takt' in database '\(database)' at \(socket): "
              + "permission denied for schema takt. Run as the schema's owner: "
              + "GRANT USAGE ON SCHEMA takt TO \"\(role)\"; "
              + "GRANT EXECUTE ON FUNCTION takt.batch(text, jsonb) TO \"\(role)\"; "
              + "GRANT EXECUTE ON FUNCTION takt.audit(text, text, bigint, integer) TO "
              + "\"\(role)\";",
            isPermanent: true))
      try server.run(grants, in: database)
      #expect(
        try SynchronousDriver(server.url(database, role: role)).perform(.joining).member != nil)
      let own = try PostgresConnection.open(
        server.url(database, role: role), until: .now + .seconds(60))
      for statement in ["SELECT takt.settle('x', 1)", "TABLE takt.slot", "TABLE takt.clock"] {
        #expect(throws: PostgresProblem.self, "the tables are not its own") {
          try own.run(script: statement, until: .now + .seconds(60))
        }
      }
    }

    @Test func `the schema is newer than this takt`() throws {
      let database = try server.makeDatabase()
      try server.run(PostgresSchema.sql, in: database)
      try server.run(Self.other(99), in: database)
      #expect(
        try failure(server.url(database))
          == ClaimFailure(
            "The schema 'takt' in database '\(database)' at \(socket) has version 99; this takt "
              + "works with version \(PostgresSchema.version). Upgrade takt on this machine.",
            isPermanent: true))
      #expect(throws: PostgresProblem.self, "nothing older is installed over it") {
        try server.run(PostgresSchema.sql, in: database)
      }
    }

    @Test func `an older schema is upgraded by its owner, and by no other role`() throws {
      let (role, database) = (try makeRole(), try server.makeDatabase())
      try server.run(PostgresSchema.sql, in: database)
      try server.run(
        Self.other(1) + "ALTER TABLE takt.job DROP COLUMN rest, DROP COLUMN last_end;",
        in: database)
      try server.run(PostgresSchema.grants(to: role), in: database)
      let failure = try failure(server.url(database, role: role))
      #expect(
        failure.description.hasPrefix(
          "The schema 'takt' in database '\(database)' at \(socket) has version 1, this takt "
            + "requires \(PostgresSchema.version), and role '\(role)' cannot upgrade it: "),
        "\(failure)")
      #expect(failure.isPermanent)
      #expect(try SynchronousDriver(server.url(database)).perform(.joining).member != nil)
      #expect(
        try SynchronousDriver(server.url(database, role: role)).perform(.joining).member != nil)
    }

    @Test func `a connection by TLS trusts the server's certificate alone`() throws {
      let (role, database) = (try makeRole(), try server.makeDatabase())
      try server.run(PostgresSchema.sql, in: database)
      try server.run(PostgresSchema.grants(to: role), in: database)
      try server.run("ALTER ROLE \(role) PASSWORD 'secret'")
      func url(_ host: String, _ authority: String) -> String {
        "postgresql://\(role):secret@\(host):\(server.port)/\(database)?sslmode=verify-full"
          + "&sslrootcert=\(authority)"
      }
      let authority = "\(server.folder)/authority.crt"
      let reply = try SynchronousDriver(url("127.0.0.1", authority)).perform(.joining)
      #expect(reply.member != nil)
      let unknown = try failure(url("127.0.0.1", "/etc/ssl/certs/ca-certificates.crt"))
      #expect(unknown.description.contains("certificate verify failed"), "\(unknown)")
      #expect(unknown.description.contains("sslrootcert"), "what to look at")
      let misnamed = try failure(url("localhost", authority))
      #expect(misnamed.description.contains("localhost"), "\(misnamed)")
    }

    @Test func `the file of certificates is missing, and libpq's advice is whole`() throws {
      let failure = try failure(
        "postgresql://takt@127.0.0.1:\(server.port)/postgres?sslmode=verify-full"
          + "&sslrootcert=/no/such/file")
      #expect(failure.isPermanent)
      #expect(
        failure.description.contains("root certificate file \"/no/such/file\" does not exist"),
        "\(failure)")
      #expect(failure.description.contains("Either provide the file"), "\(failure)")
    }

    @Test func `psql prints nothing when it installs the schema`() throws {
      let database = try server.makeDatabase()
      let psql = Process()
      psql.executableURL = URL(fileURLWithPath: "\(PostgresProcess.programs ?? "")/psql")
      psql.arguments = [
        "-q", "-X", "-h", server.folder, "-p", "\(server.port)", "-U", "takt", "-v",
        "ON_ERROR_STOP=1", database,
      ]
      let (input, output) = (Pipe(), Pipe())
      (psql.standardInput, psql.standardOutput, psql.standardError) = (input, output, output)
      try psql.run()
      let sql = PostgresSchema.sql + PostgresSchema.grants(to: "takt")
      input.fileHandleForWriting.write(Data(sql.utf8))
      try input.fileHandleForWriting.close()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      psql.waitUntilExit()
      #expect(psql.terminationStatus == 0 && text.isEmpty, "\(text)")
    }

    @Test func `a role of an odd name gets its rights`() throws {
      let database = try server.makeDatabase()
      try server.run(PostgresSchema.sql, in: database)
      let role = #"a "b" c;'\\d"#
      try server.run(#"CREATE ROLE "a ""b"" c;'\\d""#)
      defer { _ = try? server.run(#"DROP OWNED BY "a ""b"" c;'\\d""#, in: database) }
      try server.run(PostgresSchema.grants(to: role), in: database)
    }

    @Test func `the database has another encoding`() throws {
      let database = try server.makeDatabase("TEMPLATE template0 ENCODING 'LATIN1'")
      #expect(
        try failure(server.url(database))
          == ClaimFailure(
            "Database '\(database)' at \(socket) has encoding LATIN1; takt requires UTF8. "
              + "Create a database for it: `createdb -T template0 -E UTF8 NAME`.",
            isPermanent: true))
    }

    @Test func `the server is read-only`() throws {
      let database = try server.makeDatabase()
      try server.run(PostgresSchema.sql, in: database)
      try server.run("ALTER DATABASE \(database) SET default_transaction_read_only = on")
      #expect(
        try failure(server.url(database))
          == ClaimFailure(
            "PostgreSQL at \(socket) is read-only, probably a standby. Connect to the primary: "
              + "list all hosts in the URL and add target_session_attrs=read-write."))
    }

    @Test func `the server requires TLS and has none`() throws {
      // PostgreSQL's answer to a request for TLS.
      let listener = try Listener(saying: "N")
      let address = "127.0.0.1:\(listener.port)"
      let failure = try failure("postgresql://me@\(address)/postgres?sslmode=require")
      #expect(
        failure.description
          == "TLS with PostgreSQL at \(address) fails: server does not support SSL, but SSL was "
          + "required. Check sslmode and sslrootcert in the URL, and the server's certificate.")
      #expect(failure.isPermanent)
    }

    private func failure(_ url: String) throws -> ClaimFailure { try BadInputTests.failure(url) }

    /// The schema as another version would have it.
    private static func other(_ version: Int) -> String {
      """
      DELETE FROM takt.version;
      INSERT INTO takt.version (number) VALUES (\(version));
      CREATE OR REPLACE FUNCTION takt.batch(p_cluster text, p_batch jsonb) RETURNS jsonb
      LANGUAGE sql SECURITY DEFINER AS $$ SELECT jsonb_build_object('schema', \(version)) $$;
      """
    }
  }
}
