import Foundation
import Glibc
import Synchronization
import TaktTransfer
import TestSupport
import Testing

@testable import TaktClaims

/// An etcd of the tests' own, on free ports of 127.0.0.1, with its own data folder.
///
/// It ends with the tests: its keeper, a shell, looks whether they are still there.
final class EtcdServer: Sendable {
  static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/etcd")
  static let hint: Comment = "etcd is not installed: apt-get install etcd-server"

  /// All tests that change nothing of the server share one.
  static func shared() throws -> EtcdServer { try started.get() }

  private static let started = Result { try EtcdServer() }

  let folder: String
  let port: Int
  private let scheme: String
  private let keeper: Mutex<Process>

  /// - Parameter options: more options; with `--cert-file` it speaks TLS.
  init(_ options: [String] = []) throws {
    let folder = "/tmp/takt-etcd-\(getpid())-\(UInt32.random(in: 0...9999))"
    self.folder = folder
    port = try Loopback.freePort()
    let peer = try Loopback.freePort()
    scheme = options.contains("--cert-file") ? "https" : "http"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try Data().write(to: URL(fileURLWithPath: "\(folder)/keep"))
    let url = "\(scheme)://127.0.0.1:\(port)"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments =
      [
        "-c",
        """
        folder=$1; shift
        trap '' INT TERM HUP
        /usr/bin/etcd "$@" >"$folder/log" 2>&1 </dev/null &
        server=$!
        while [ -e "$folder/keep" ] && [ -d /proc/\(getpid()) ]; do sleep 0.2; done
        kill -KILL $server
        wait $server
        rm -rf "$folder"
        """, "sh", folder, "--data-dir", "\(folder)/data", "--listen-client-urls", url,
        "--advertise-client-urls", url, "--listen-peer-urls", "http://127.0.0.1:\(peer)",
        "--initial-advertise-peer-urls", "http://127.0.0.1:\(peer)", "--initial-cluster",
        "default=http://127.0.0.1:\(peer)",
      ] + options
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    // The system's own settings are for the system's own server.
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ETCD_") }
    try process.run()
    keeper = Mutex(process)
    try awaitStart()
  }

  deinit {
    try? FileManager.default.removeItem(atPath: "\(folder)/keep")
  }

  var address: TransferAddress { TransferAddress(scheme: scheme, host: "127.0.0.1", port: port) }

  var access: EtcdAccess { EtcdAccess(endpoints: [address]) }

  private func awaitStart() throws {
    while true {
      if (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8))?
        .contains("ready to serve client requests") == true
      {
        return
      }
      guard keeper.withLock({ $0.isRunning }) else {
        throw TestServerFailure("etcd does not start")
      }
      usleep(20_000)
    }
  }

  /// A call of the gateway.
  @discardableResult
  func call(_ path: String, _ body: String, token: String? = nil) throws -> String {
    let transfers = TransferEngine { body in Thread.detachNewThread { body() } }
    var request = HTTPRequest(
      address: address, target: path, method: "POST",
      headers: token.map { [(name: "Authorization", value: $0)] } ?? [], body: Array(body.utf8),
      trust: .anything, timeout: .seconds(30), keptBytesMax: 1 << 20, discardedBytesMax: 0)
    request.ignoresProxy = true
    return String(decoding: try transfers.start(request).wait().body, as: UTF8.self)
  }
}
