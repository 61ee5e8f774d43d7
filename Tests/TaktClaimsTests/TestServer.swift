import Foundation
import Glibc
import Synchronization
import Testing

@testable import TaktClaims

/// A PostgreSQL server of the tests' own, with the role `takt` as its superuser.
///
/// It listens on a Unix socket, where it trusts all, and on a port of 127.0.0.1, where it wants
/// passwords and offers TLS. It ends with the tests: its keeper, a shell, waits for the end of a pipe.
final class TestServer: Sendable {
  static let isInstalled = programs != nil
  static let hint: Comment = "PostgreSQL is not installed: apt-get install postgresql-15 libpq5"

  /// All tests share one.
  static func shared() throws -> TestServer { try started.get() }

  private static let started = Result { try TestServer() }

  let folder: String
  let port: Int
  /// Keeps the pipe to the keeper open as long as the process lives.
  private let keeper: Mutex<Process>

  /// A URL of a database, on the socket.
  func url(_ database: String = "postgres", role: String = "takt") -> String {
    "postgresql://\(role)@/\(database)?host=\(folder)&port=\(port)"
  }

  private static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.compactMap { Int($0) }.filter { $0 >= 12 }.sorted().reversed()
      .map { "\(root)/\($0)/bin" }
      .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
  }()

  private init() throws {
    guard let programs = Self.programs else { throw TestServerFailure("not installed") }
    folder = "/tmp/takt-postgres-\(getpid())-\(UInt32.random(in: 0...9999))"
    port = try Listener.freePort()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    // The server does not run as root.
    let users = ["postgres", "nobody"]
    let user = getuid() == 0 ? users.first { name in getpwnam(name) != nil } : nil
    let become = user.map { "setpriv --reuid \($0) --regid \($0) --clear-groups" } ?? ""
    if let user, let account = getpwnam(user) {
      guard chown(folder, account.pointee.pw_uid, account.pointee.pw_gid) == 0 else {
        throw TestServerFailure("chown")
      }
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c",
      """
      cd "$1" || exit
      trap '' INT TERM HUP
      \(become) \(programs)/initdb -D data -U takt -A trust -E UTF8 --locale=C --no-sync >log 2>&1
      printf '%s\\n' 'local all all trust' 'host all all 127.0.0.1/32 scram-sha-256' \
        >data/pg_hba.conf
      \(become) openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=takt-test \
        -addext subjectAltName=IP:127.0.0.1 -keyout data/server.key -out data/server.crt 2>>log
      cp data/server.crt authority.crt && chmod 644 authority.crt
      \(become) \(programs)/postgres -D data -c ssl=on -k "$1" -p \(port) -c listen_addresses=127.0.0.1 \
        -c fsync=off -c max_connections=200 -c password_encryption=scram-sha-256 >>log 2>&1 &
      server=$!
      read -r _
      kill -QUIT $server
      wait $server
      cd / && rm -rf "$1"
      """, "sh", folder,
    ]
    process.standardInput = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    keeper = Mutex(process)
    try awaitStart()
  }

  private func awaitStart() throws {
    while true {
      if (try? run("SELECT 1")) == "1" { return }
      guard keeper.withLock({ $0.isRunning }) else {
        throw TestServerFailure("the server does not start")
      }
      usleep(50_000)
    }
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

  /// Says this to all that connect, at once, and closes when the other side does.
  convenience init(saying text: String) throws {
    try self.init()
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        _ = text.withCString { send(client, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        accepted.withLock { $0.append(client) }
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

  private static func open() throws -> (Int32, Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
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
