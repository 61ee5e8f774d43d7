internal import GRDB
internal import GRDBSQLite

/// The statements that the ledger executes again and again, each prepared once for as long as the
/// file is open.
///
/// SQLite's own functions bind the values: GRDB boxes each value, which costs as much again as the
/// statement itself.
final class LedgerStatements {
  /// Keyed by the address of the text, which a literal keeps for the life of the process, and the
  /// number of rows.
  private var prepared: [Key: Statement] = [:]

  private struct Key: Hashable {
    var text: UInt
    var rows: Int
  }

  /// Rows per statement when there are many. SQLite spends a third less on a row of such a
  /// statement than on a row alone.
  private static let rowsAtOnce = 20

  /// Executes a statement that returns no row.
  func execute(_ sql: StaticString, in db: Database, _ bind: (inout BoundValues) -> Void) throws {
    let statement = try statement(Key(text: Self.address(sql), rows: 1), in: db) { "\(sql)" }
    try run(statement, in: db, bind)
  }

  /// Nil if there is no row, or null in it.
  func number(
    _ sql: StaticString, in db: Database, _ bind: (inout BoundValues) -> Void
  ) throws -> Int64? {
    let key = Key(text: Self.address(sql), rows: 1)
    let statement = try statement(key, in: db) { "\(sql)" }.sqliteStatement
    var values = BoundValues(of: statement)
    bind(&values)
    let code = values.code == SQLITE_OK ? sqlite3_step(statement) : values.code
    defer { sqlite3_reset(statement) }
    switch code {
    case SQLITE_ROW:
      let isNull = sqlite3_column_type(statement, 0) == SQLITE_NULL
      return isNull ? nil : sqlite3_column_int64(statement, 0)
    case SQLITE_DONE: return nil
    default: throw failure(code, in: db)
    }
  }

  /// Inserts a row for each item, many of them with one statement.
  ///
  /// - Parameters:
  ///   - head: an `INSERT OR ROLLBACK` up to `VALUES`; with `OR ROLLBACK`, SQLite keeps no journal
  ///     for the statement alone.
  ///   - row: the place holders of one row in parentheses.
  func insert<Item>(
    _ head: StaticString, _ row: StaticString, in db: Database, _ items: [Item],
    _ bind: (inout BoundValues, Item) -> Void
  ) throws {
    var first = 0
    while first < items.count {
      let rows = items.count - first >= Self.rowsAtOnce ? Self.rowsAtOnce : 1
      let key = Key(text: Self.address(head), rows: rows)
      let statement = try statement(key, in: db) {
        "\(head) " + Array(repeating: "\(row)", count: rows).joined(separator: ", ")
      }
      try run(statement, in: db) { values in
        for item in items[first..<first + rows] { bind(&values, item) }
      }
      first += rows
    }
  }

  /// Must be called before the database is closed.
  func finalize() { prepared = [:] }

  private static func address(_ sql: StaticString) -> UInt { UInt(bitPattern: sql.utf8Start) }

  private func statement(_ key: Key, in db: Database, _ text: () -> String) throws -> Statement {
    if let statement = prepared[key] { return statement }
    let statement = try db.makeStatement(sql: text())
    prepared[key] = statement
    return statement
  }

  private func run(
    _ statement: Statement, in db: Database, _ bind: (inout BoundValues) -> Void
  ) throws {
    let statement = statement.sqliteStatement
    var values = BoundValues(of: statement)
    bind(&values)
    let code = values.code == SQLITE_OK ? sqlite3_step(statement) : values.code
    defer { sqlite3_reset(statement) }
    guard code == SQLITE_DONE else { throw failure(code, in: db) }
  }

  private func failure(_ code: Int32, in db: Database) -> DatabaseError {
    DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
  }
}

/// Binds the values of a statement, from the first place holder on.
struct BoundValues {
  private let statement: OpaquePointer
  private var place: Int32 = 0
  /// `SQLITE_OK`, or the first error of a binding.
  private(set) var code = SQLITE_OK

  /// The statement must outlive the values.
  init(of statement: OpaquePointer) { self.statement = statement }

  mutating func add(_ number: Int64?) {
    place += 1
    guard let number else { return note(sqlite3_bind_null(statement, place)) }
    note(sqlite3_bind_int64(statement, place, number))
  }

  mutating func add(_ number: Int?) { add(number.map { Int64($0) }) }

  mutating func add(_ flag: Bool) { add(flag ? 1 : 0 as Int64) }

  mutating func add(_ text: String?) {
    place += 1
    guard var text else { return note(sqlite3_bind_null(statement, place)) }
    // SQLite copies the bytes before the call returns, which is as long as they are valid.
    let code = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        // Without an address SQLite would bind null.
        $0.isEmpty
          ? sqlite3_bind_text(statement, place, "", 0, Self.copied)
          : sqlite3_bind_text(
            statement, place, $0.baseAddress, Int32(clamping: $0.count), Self.copied)
      }
    }
    note(code)
  }

  mutating func add(_ bytes: [UInt8]) {
    place += 1
    guard !bytes.isEmpty else { return note(sqlite3_bind_zeroblob(statement, place, 0)) }
    // As above.
    let code = bytes.withUnsafeBytes {
      sqlite3_bind_blob(statement, place, $0.baseAddress, Int32(clamping: $0.count), Self.copied)
    }
    note(code)
  }

  /// Tells SQLite to copy values: `SQLITE_TRANSIENT`, a macro that Swift lacks.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private mutating func note(_ code: Int32) {
    if code != SQLITE_OK { self.code = code }
  }
}
