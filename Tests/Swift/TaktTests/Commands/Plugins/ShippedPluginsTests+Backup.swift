import Foundation
import Testing

/// Copies of databases.
extension ShippedPluginsTests {
  private static let makeDatabase = """
    import sqlite3, sys
    base = sqlite3.connect(sys.argv[1], isolation_level=None)
    base.execute(f"pragma journal_mode={sys.argv[2]}")
    base.execute("create table t(id integer primary key, a, b)")
    base.execute("with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000)"
                 " insert into t select x, 1, hex(randomblob(100)) from c")
    """

  /// Moves one from a row to another and adds a row with 0: the sum stays the same.
  private static let writeOn = """
    import sqlite3, sys, time
    base = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
    count = 0
    while True:
        base.execute("begin immediate")
        base.execute("update t set a = a - 1 where id = ?", (count % 9999 + 1,))
        base.execute("update t set a = a + 1 where id = ?", (19999 - count % 9999,))
        base.execute("insert into t(a, b) values (0, hex(randomblob(500)))")
        base.execute("commit")
        count += 1
        if count == 20: ready(0)
        time.sleep(0.002)
    """

  private func copies(in folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/copies").sorted()
  }

  private func makeDatabase(_ mode: String, in folder: TemporaryFolder) throws {
    _ = try python(Self.makeDatabase, "app.db", mode, in: folder)
    try FileManager.default.createDirectory(
      atPath: folder.url.path + "/copies", withIntermediateDirectories: false)
  }

  @Test(arguments: ["wal", "delete"])
  func `a database is copied whole while it is written, and the newest stay`(mode: String) throws {
    let folder = try TemporaryFolder()
    try makeDatabase(mode, in: folder)
    for name in ["app.db", "app-old.db", "other-20250101T000000.000Z.db"] {
      try folder.write("mine", to: "copies/\(name)")
    }
    let writer = try LocalServer(Self.writeOn, [folder.url.path + "/app.db"], in: folder)
    for day in 1...4 {
      let end = try exec(
        "use: sqlite-backup, with: {database: app.db, folder: copies, keep: 2}", in: folder,
        slot: "2026-12-0\(day)T18:00:00Z")
      expect(nil, of: end, "day \(day)")
    }
    withExtendedLifetime(writer) {}
    #expect(
      try copies(in: folder) == [
        "app-20261203T180000.000Z.db", "app-20261204T180000.000Z.db", "app-old.db", "app.db",
        "other-20250101T000000.000Z.db",
      ])
    for day in 3...4 {
      let seen = try python(
        """
        import sqlite3, sys
        base = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro&immutable=1", uri=True)
        print(*base.execute("pragma integrity_check").fetchone(),
              *base.execute("select sum(a), count(*) > 20000 from t").fetchone())
        """, "copies/app-2026120\(day)T180000.000Z.db", in: folder)
      #expect(seen == "ok 20000 1")
    }
  }

  @Test(arguments: [
    ("{database: missing.db, folder: copies}", "no_database"),
    ("{database: text, folder: copies}", "not_a_database"),
    ("{database: empty, folder: copies}", "not_a_database"),
    ("{database: copies, folder: copies}", "not_a_database"),
    ("{database: app.db, folder: missing}", "no_folder"),
    ("{database: damaged.db, folder: copies, name: app, keep: 1}", "integrity"),
  ])
  func `what cannot be copied well leaves the old copies`(with: String, reason: String) throws {
    let folder = try TemporaryFolder()
    try makeDatabase("delete", in: folder)
    try folder.write("none of SQLite's\n", to: "text")
    try folder.write("", to: "empty")
    var bytes = try Data(contentsOf: folder.url.appendingPathComponent("app.db"))
    bytes.replaceSubrange(100_000..<200_000, with: Data(repeating: 0xA5, count: 100_000))
    try bytes.write(to: folder.url.appendingPathComponent("damaged.db"))
    try folder.write("good", to: "copies/app-20250101T000000.000Z.db")
    expect(reason, of: try exec("use: sqlite-backup, with: \(with)", in: folder), with)
    #expect(try copies(in: folder) == ["app-20250101T000000.000Z.db"])
  }

  @Test func `a backup that is timed out leaves nothing behind`() throws {
    let folder = try TemporaryFolder()
    try makeDatabase("delete", in: folder)
    // Locked permanently, so that the copy cannot end by itself.
    let locker = try LocalServer(
      """
      import sqlite3, sys, time
      base = sqlite3.connect(sys.argv[1], isolation_level=None)
      base.execute("begin exclusive")
      ready(0)
      time.sleep(1000)
      """, [folder.url.path + "/app.db"], in: folder)
    let end = try exec(
      "use: sqlite-backup, timeout: 2s, with: {database: app.db, folder: copies}", in: folder)
    withExtendedLifetime(locker) {}
    #expect(end.status == 124, "\(end.text)")
    #expect(try copies(in: folder).isEmpty)
  }
}
