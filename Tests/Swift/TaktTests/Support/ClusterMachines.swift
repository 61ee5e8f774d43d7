import Foundation
import TaktControl
import TestSupport

/// Daemons of one cluster on a real database, as on a user's machines: a main file, a port and a
/// state folder each, and one jobs file. With the variable `TAKT_BEFORE` the one called `b` is that
/// program, of an earlier version.
final class ClusterMachines {
  static let isInstalled = PostgresProcess.programs != nil

  private static let server = Result { try PostgresProcess() }

  let folder: TemporaryFolder
  private let url: String
  private var processes: [String: TaktProcess] = [:]

  init(_ jobs: String) throws {
    let server = try Self.server.get()
    folder = try TemporaryFolder()
    url = server.url(try server.makeDatabase())
    try folder.write(jobs, to: "shared.yaml")
    try writeToken("read", "read-token-read-token")
    try writeToken("write", "write-token-write-token")
  }

  func writeToken(_ name: String, _ text: String) throws {
    let path = try folder.write(text + "\n", to: "\(name).token")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  /// Starts the daemon of the file with this name, and waits until it is a member and answers.
  ///
  /// - Parameters:
  ///   - machine: its name in the cluster; nil for that of the file.
  ///   - api: the address for other machines; nil for its own.
  ///   - listen: the address at which it listens; others than 127.0.0.1 give no `api`.
  ///   - tokens: its keys for tokens.
  func start(
    _ name: String, machine: String? = nil, api: String? = nil, lease: String = "60s",
    listen: String = "127.0.0.1",
    tokens: String = "api_token_file: read.token, api_write_token_file: write.token"
  ) throws {
    let port = try Loopback.freePort()
    let address = api ?? "http://127.0.0.1:\(port)"
    let given = listen == "127.0.0.1" ? "api: \"\(address)\"," : ""
    try folder.write(
      """
      scheduler:
        state: .takt-\(name)
        http: {listen: "\(listen):\(port)"}
        cluster: {engine: postgres, url: "\(url)", machine: \(machine ?? name), lease: \(lease),
          \(given) \(tokens)}
      include: shared.yaml

      """, to: "\(name).yaml")
    // A cluster is updated machine by machine.
    let before = name == "b" ? ProcessInfo.processInfo.environment["TAKT_BEFORE"] : nil
    let process = try TaktProcess(
      ["run", "\(name).yaml"], program: before ?? TaktProcess.executable.path, in: folder)
    processes[name] = process
    try process.line("the page") { $0.message?.hasPrefix("the web page is at") == true }
    // It joins by itself; a test that waits in vain fails.
    let deadline = Date() + TaktProcess.patience
    while try object(name, "/api/v1/cluster")["member"] == nil, Date() < deadline {
      usleep(20_000)
    }
  }

  func object(_ name: String, _ target: String) throws -> [String: Any] {
    let socket = folder.url.appendingPathComponent(".takt-\(name)/control.sock").path
    let answer = try ControlClient(socket: socket).ask("GET", target)
    return try JSONSerialization.jsonObject(with: Data(answer.bytes)) as? [String: Any] ?? [:]
  }

  /// A daemon's number in the cluster.
  func member(_ name: String) throws -> String {
    "\(try object(name, "/api/v1/cluster")["member"] ?? "no member")"
  }

  /// The address of a daemon's page.
  func page(_ name: String) throws -> String {
    let words = "the web page is at "
    let said = try process(name).lines.compactMap(\.message).first { $0.hasPrefix(words) }
    return String(said?.dropFirst(words.count) ?? "")
  }

  func process(_ name: String) throws -> TaktProcess {
    guard let process = processes[name] else {
      throw TaktProcess.Silence(description: "no daemon \(name)")
    }
    return process
  }

  /// A command for the daemon of that name.
  func takt(_ name: String, _ arguments: String...) throws -> TaktAnswer {
    try folder.takt(arguments + ["--file", "\(name).yaml"])
  }
}
