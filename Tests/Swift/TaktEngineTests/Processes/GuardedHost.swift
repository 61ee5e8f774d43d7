import CTaktSystem
import Foundation
import Glibc
import TaktTesting

/// The clock that continues while the machine sleeps, in nanoseconds.
enum BootClock {
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  static func wait(until instant: UInt64) {
    while now < instant { usleep(1000) }
  }
}

/// Identifies a process by a handle, even if another gets its number later.
final class Witness {
  let pid: pid_t
  private let handle: Int32

  /// Far longer than any step takes: a test that waits this long has failed.
  private static let patienceMilliseconds: Int32 = 60_000

  init(_ pid: pid_t) {
    self.pid = pid
    handle = cprocess_open(pid)
  }

  deinit { if handle >= 0 { close(handle) } }

  var hasEnded: Bool { ends(within: 0) }

  /// Waits for its end.
  func ends(within milliseconds: Int32 = Witness.patienceMilliseconds) -> Bool {
    guard handle >= 0 else { return true }
    var entry = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) == 1
  }

  func kill(_ signal: Int32 = SIGKILL) {
    if handle >= 0 { _ = cprocess_signal(handle, signal) }
  }
}

/// A process of takt with a guard, which a test may kill or stop.
final class GuardedHost {
  struct Silence: Error, CustomStringConvertible { var description: String }

  let pid: pid_t
  private(set) var guardian = Witness(0)
  private let input: Int32
  private let output: Int32
  private var buffer: [UInt8] = []
  private var lines: [String] = []

  private static let spawning = NSLock()

  /// The program beside the test bundle.
  private static let executable: String = {
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let own = URL(fileURLWithPath: CommandLine.arguments[0])
    return (bundle ?? own).deletingLastPathComponent().appendingPathComponent("guard-host").path
  }()

  init(usesGroups: Bool = true) throws {
    (pid, input, output) = try Self.spawning.withLock {
      guard let first = SafePipe.make(), let second = SafePipe.make() else {
        throw Silence(description: "no pipe")
      }
      defer {
        close(first.read)
        close(second.write)
      }
      let words = ["/usr/bin/env", "TAKT_CGROUP=\(usesGroups ? "on" : "off")", Self.executable]
      let child = try Spawning.start(
        words, input: first.read, output: second.write, errors: "/dev/null")
      return (child, first.write, second.read)
    }
    let line = try line { $0.hasPrefix("guard ") }
    guardian = Witness(pid_t(line.dropFirst(6)) ?? 0)
  }

  deinit {
    close(input)
    kill(SIGCONT)
    // Its guard ends its runs.
    kill(SIGKILL)
    waitpid(pid, nil, 0)
    _ = guardian.ends()
    close(output)
  }

  func kill(_ signal: Int32) { Glibc.kill(pid, signal) }

  func tell(_ request: String) throws {
    var rest = Array((request + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Silence(description: "the host is gone") }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends a request, and returns the process whose number the run then prints.
  func witness(_ request: String) throws -> Witness {
    try tell(request)
    return try Witness(number())
  }

  /// Ends host and guard, and no run.
  func quit() throws { try tell("quit") }

  /// The number that a command prints next.
  func number() throws -> pid_t {
    let line = try line { $0.hasPrefix("out ") }
    guard let number = pid_t(line.dropFirst(4)) else { throw Silence(description: line) }
    return number
  }

  /// The number of the present guard, when all requests before have been passed on.
  func guardNumber() throws -> pid_t {
    try tell("guard")
    return pid_t(try line { $0.hasPrefix("guard ") }.dropFirst(6)) ?? 0
  }

  /// The next line that fits; others are skipped.
  func line(where isRight: (String) -> Bool) throws -> String {
    while true {
      if let place = lines.firstIndex(where: isRight) { return lines.remove(at: place) }
      try read()
    }
  }

  private func read() throws {
    var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    var chunk = [UInt8](repeating: 0, count: 4096)
    guard poll(&entry, 1, 60_000) == 1, case let count = Glibc.read(output, &chunk, chunk.count),
      count > 0
    else { throw Silence(description: "the host says no more; it has said \(lines)") }
    buffer += chunk[..<count]
    while let end = buffer.firstIndex(of: 10) {
      lines.append(String(decoding: buffer[..<end], as: UTF8.self))
      buffer.removeFirst(end + 1)
    }
  }
}
