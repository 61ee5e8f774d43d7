internal import GRDBSQLite

/// The library that keeps the ledger.
package enum LedgerLibrary {
  package static var version: String { String(cString: sqlite3_libversion()) }
}
