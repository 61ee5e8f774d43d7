import CDispatch
import Foundation
import Glibc
import Testing

@Suite(.ownThreads) struct ServiceManagerTests {
  /// The manager's end.
  private final class Manager {
    let path: String
    private let descriptor: Int32

    init(in folder: TemporaryFolder) throws {
      path = folder.url.appendingPathComponent("notify").path
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(result == 0)
      var patience = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func next(_ prefix: String) throws -> String {
      while true {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        try #require(count > 0, "no word of \(prefix)")
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        if text.hasPrefix(prefix) { return text }
      }
    }
  }

  @Test func `it hears of readiness, of life, of reloads and of the stop`() throws {
    let folder = try TemporaryFolder()
    let manager = try Manager(in: folder)
    try folder.write("jobs:\n  a: {every: 1h, run: 'true'}\n  b: {on: start, run: 'env > seen'}\n")
    let takt = try TaktProcess(
      [
        "NOTIFY_SOCKET=\(manager.path)", "WATCHDOG_USEC=400000", TaktProcess.executable.path, "run",
      ], program: "/usr/bin/env", in: folder)
    #expect(try manager.next("STATUS=") == "STATUS=2 jobs")
    #expect(try manager.next("READY=1") == "READY=1")
    for _ in 0..<3 { #expect(try manager.next("WATCHDOG") == "WATCHDOG=1") }
    try takt.line("the end of b") { $0.job == "b" && $0.outcome != nil }
    // No child may notify for takt.
    #expect(!folder.read("seen").contains("NOTIFY_SOCKET"))
    takt.signal(SIGHUP)
    let reloading = try manager.next("RELOADING=1")
    let now = reloading.components(separatedBy: "MONOTONIC_USEC=").last.flatMap { Int64($0) }
    #expect(now ?? 0 > 0)
    #expect(try manager.next("READY=1") == "READY=1")
    try folder.write("jobs: {a: {every: 0s, run: 'true'}}\n")
    takt.signal(SIGHUP)
    #expect(
      try manager.next("STATUS=2 jobs; ")
        == "STATUS=2 jobs; the last reload was refused, see the log")
    #expect(try manager.next("READY=1") == "READY=1")
    takt.signal(SIGTERM)
    #expect(try manager.next("STOPPING=1") == "STOPPING=1")
    #expect(takt.waitForExit() == 0)
  }
}
