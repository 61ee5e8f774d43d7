import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server of a test's own, with the role `takt` as its superuser.
///
/// It listens on a Unix socket, where it trusts all, and on a port of 127.0.0.1, where it wants
/// passwords and offers TLS. It ends with the process that made it: its keeper, a shell, waits for the end of a
/// pipe.
package final class PostgresProcess: Sendable {
  package struct Failure: Error {
    package var text: String
  }

  /// The folder of the server's programs; nil where none is installed.
  package static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.compactMap { Int($0) }.filter { $0 >= 12 }.sorted().reversed()
      .map { "\(root)/\($0)/bin" }
      .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
  }()

  package static let hint = "PostgreSQL is not installed: apt-get install postgresql-15 libpq5"

  package let folder: String
  package let port: Int
  /// Keeps the pipe to the keeper open as long as the process lives.
  private let keeper: Mutex<Process>

  /// Starts it, and returns when it answers.
  package init() throws {
    guard let programs = Self.programs else { throw Failure(text: "not installed") }
    folder = "/tmp/takt-postgres-\(getpid())-\(UInt32.random(in: 0...9999))"
    port = try Loopback.freePort()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    // The server does not run as root.
    let users = ["postgres", "nobody"]
    let user = getuid() == 0 ? users.first { name in getpwnam(name) != nil } : nil
    let become = user.map { "setpriv --reuid \($0) --regid \($0) --clear-groups" } ?? ""
    if let user, let account = getpwnam(user) {
      guard chown(folder, account.pointee.pw_uid, account.pointee.pw_gid) == 0 else {
        throw Failure(text: "chown")
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
    while try !answers(programs) {
      guard keeper.withLock({ $0.isRunning }) else {
        throw Failure(text: "the server does not start")
      }
      usleep(50_000)
    }
  }

  /// A URL of a database, on the socket.
  package func url(_ database: String = "postgres", role: String = "takt") -> String {
    "postgresql://\(role)@/\(database)?host=\(folder)&port=\(port)"
  }

  /// A new database, and its name.
  package func makeDatabase() throws -> String {
    let name = "test_\(UInt64.random(in: 0 ... .max))"
    let arguments = ["-h", folder, "-p", "\(port)", "-U", "takt", name]
    guard try Self.run("\(Self.programs ?? "")/createdb", arguments) == 0 else {
      throw Failure(text: "createdb")
    }
    return name
  }

  private func answers(_ programs: String) throws -> Bool {
    try Self.run("\(programs)/pg_isready", ["-q", "-h", folder, "-p", "\(port)"]) == 0
  }

  private static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
