import Foundation
import Glibc
import Synchronization
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

/// A TCP listener on 127.0.0.1 that is no PostgreSQL.
final class Listener: Sendable {
  let port: Int
  private let descriptor: Int32
  private let accepted = Mutex<[Int32]>([])

  /// Never answers: connections wait in the backlog.
  init() throws {
    (descriptor, port) = try Self.open()
  }

  /// Says this to all that connect, at once, and closes at its own end, or at once.
  convenience init(saying text: String, closes: Bool = false) throws {
    try self.init()
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        _ = text.withCString { send(client, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        if closes { Glibc.close(client) } else { accepted.withLock { $0.append(client) } }
      }
    }
  }

  deinit {
    for client in accepted.withLock(\.self) { Glibc.close(client) }
    shutdown(descriptor, Int32(SHUT_RDWR))
    Glibc.close(descriptor)
  }

  static func freePort() throws -> Int {
    let (descriptor, port) = try open()
    Glibc.close(descriptor)
    return port
  }

  static func open() throws -> (Int32, Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // The address of a local variable, for the time of the call.
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard result else { throw TestServerFailure("bind") }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }
}
