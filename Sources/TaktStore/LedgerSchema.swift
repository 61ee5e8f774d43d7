import GRDB

/// The tables of the ledger. Migrations are only ever appended.
enum LedgerSchema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 books") { db in
      try db.execute(sql: books)
    }
    return migrator
  }

  private static let books = ""
}
