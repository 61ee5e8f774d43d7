import Glibc
import TestSupport
import Testing

@testable import TaktClaims

/// A PostgreSQL server of the tests' own, with the role `takt` as its superuser.
final class TestServer: Sendable {
  static let isInstalled = PostgresProcess.programs != nil
  static let hint = Comment(rawValue: PostgresProcess.hint)

  /// All tests share one.
  static func shared() throws -> TestServer { try started.get() }

  private static let started = Result { try TestServer() }

  private let process: PostgresProcess

  private init() throws { process = try PostgresProcess() }

  var folder: String { process.folder }
  var port: Int { process.port }

  /// A URL of a database, on the socket.
  func url(_ database: String = "postgres", role: String = "takt") -> String {
    process.url(database, role: role)
  }

  /// Runs statements as the superuser, and returns the first value.
  @discardableResult
  func run(_ statements: String, in database: String = "postgres") throws -> String? {
    let deadline = ContinuousClock.now + .seconds(60)
    let connection = try PostgresConnection.open(url(database), until: deadline)
    return try connection.run(script: statements, until: deadline)
  }

  /// A new database, and its name.
  func makeDatabase(_ options: String = "") throws -> String {
    let name = "test_\(UInt64.random(in: 0 ... .max))"
    try run("CREATE DATABASE \(name) \(options)")
    return name
  }
}

struct TestServerFailure: Error {
  var text: String
  init(_ text: String) { self.text = text }
}
