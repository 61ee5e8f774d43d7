internal import GRDBSQLite

package enum LedgerLibrary {
  package static var version: String { String(cString: sqlite3_libversion()) }
}
