import FoundationEssentials
internal import GRDB
import TaktCore
import TaktTime

/// Columns read with care: a value in a file that was damaged or edited is an error to report, and
/// must not end the process.
extension Row {
  func integer(ifAny column: String) throws -> Int64? {
    let value: DatabaseValue = self[column]
    if value.isNull { return nil }
    guard let number = Int64.fromDatabaseValue(value) else { throw Self.damage(column) }
    return number
  }

  func integer(_ column: String) throws -> Int64 {
    guard let number = try integer(ifAny: column) else { throw Self.damage(column) }
    return number
  }

  /// The highest number of a run, so that there is always a next one.
  static let runMax = Int64(1) << 60

  /// The furthest instant of a schedule from 1970, in milliseconds: two of them can be added.
  private static let scheduleInstantMax = UInt64(1) << 52

  func scheduleInstant(ifAny column: String) throws -> ScheduleInstant? {
    guard let number = try integer(ifAny: column) else { return nil }
    guard number.magnitude <= Self.scheduleInstantMax else { throw Self.damage(column) }
    return ScheduleInstant(milliseconds: number)
  }

  func scheduleInstant(_ column: String) throws -> ScheduleInstant {
    guard let instant = try scheduleInstant(ifAny: column) else { throw Self.damage(column) }
    return instant
  }

  /// A number that is not negative, and so small that many of them can be added.
  func count(_ column: String) throws -> Int {
    let number = try integer(column)
    guard (0...Int64(1) << 53).contains(number) else { throw Self.damage(column) }
    return Int(number)
  }

  func text(ifAny column: String) throws -> String? {
    let value: DatabaseValue = self[column]
    if value.isNull { return nil }
    guard let text = String.fromDatabaseValue(value) else { throw Self.damage(column) }
    return text
  }

  func text(_ column: String) throws -> String {
    guard let text = try text(ifAny: column) else { throw Self.damage(column) }
    return text
  }

  func value<Value>(ifAny column: String, _ make: (String) -> Value?) throws -> Value? {
    guard let text = try text(ifAny: column) else { return nil }
    guard let value = make(text) else { throw Self.damage(column) }
    return value
  }

  func value<Value>(_ column: String, _ make: (String) -> Value?) throws -> Value {
    guard let value = try value(ifAny: column, make) else { throw Self.damage(column) }
    return value
  }

  /// Empty for null.
  func bytes(_ column: String) throws -> [UInt8] {
    let value: DatabaseValue = self[column]
    if value.isNull { return [] }
    guard let data = Data.fromDatabaseValue(value) else { throw Self.damage(column) }
    return Array(data)
  }

  /// Milliseconds since the epoch; nil for null.
  func instant(ifAny column: String) throws -> WallInstant? {
    try integer(ifAny: column).map { WallInstant(milliseconds: $0) }
  }

  /// Milliseconds since the epoch.
  func instant(_ column: String) throws -> WallInstant {
    WallInstant(milliseconds: try integer(column))
  }

  func run(ifAny column: String) throws -> RunID? {
    guard let number = try integer(ifAny: column) else { return nil }
    guard (0...Self.runMax).contains(number) else { throw Self.damage(column) }
    return RunID(UInt64(number))
  }

  func run(_ column: String) throws -> RunID {
    guard let run = try run(ifAny: column) else { throw Self.damage(column) }
    return run
  }

  private static func damage(_ column: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_CORRUPT,
      message: "invalid value in the column '\(column)'")
  }
}
