import Foundation
import Glibc
import Synchronization
import Testing

/// Output of any kind, with which takt stays small and a secret stays hidden.
@Suite(.serialized, .ownThreads) struct OutputMatrixTests {
  private static let growthBytesMax = 8 << 20
  private static let secret = "hunter2-and-more"

  private static let logged = "{log: true, file: {path: out, max: 10MB, files: 3}}"
  private static let onFailure = "{log: on_failure, file: {path: out, max: 10MB, files: 3}}"
  private static let rated = "{log: true, rate: 100/s}"

  /// The job's script, for bash; `$TOKEN` is the secret.
  @Test(arguments: [
    ("1 GB of lines", "yes \"$(printf %0250d 7)\" | head -c 1000000000", [logged, onFailure]),
    ("no line end", "head -c 50000000 /dev/zero | tr '\\0' x", [logged, onFailure, rated]),
    ("NULs", "head -c 50000000 /dev/zero", [logged, onFailure, rated]),
    ("invalid UTF-8", "head -c 40000000 /dev/urandom", [logged, onFailure, rated]),
    ("empty lines", "head -c 10000000 /dev/zero | tr '\\0' '\\n'", [logged, onFailure, rated]),
    ("1-byte writes", "for ((end = SECONDS + 3; SECONDS < end; )); do printf h; done", [logged]),
    ("secrets only", "yes \"$TOKEN\" | head -c 4000000", [logged, onFailure, rated]),
    (
      "a secret in two writes",
      "printf 'x%s' \"${TOKEN:0:7}\"; sleep 0.3; printf '%s' \"${TOKEN:7}\"",
      [logged, onFailure, rated]
    ),
  ])
  func `output of any kind leaves takt small and the secret hidden`(
    kind: String, script: String, policies: [String]
  ) throws {
    for policy in policies {
      let growth = try growth(printing: script, policy)
      print("output matrix: \(kind), \(policy): peak \(growth >> 10) KB above before")
      #expect(growth <= Self.growthBytesMax, "\(kind), \(policy)")
    }
  }

  @Test func `a secret is not in the text log either, and the rest of its line is`() throws {
    let folder = try TemporaryFolder()
    try write("printf 'x%s' \"${TOKEN:0:7}\"; sleep 0.3; echo \"${TOKEN:7}y\"", "", to: folder)
    try folder.write("", to: "go")
    let takt = try TaktProcess(["run", "--log-format", "text"], in: folder)
    let deadline = Date() + TaktProcess.patience
    while folder.read("done").isEmpty, Date() < deadline { usleep(5000) }
    takt.signal(SIGTERM)
    let text = try takt.text()
    #expect(text.contains("x***y"))
    #expect(!text.contains(Self.secret))
  }

  private func write(_ script: String, _ policy: String, to folder: TemporaryFolder) throws {
    let token = try folder.write(Self.secret + "\n", to: "token")
    #expect(chmod(token, 0o600) == 0)
    try folder.write(
      """
      echo "first $TOKEN"
      until [ -e go ]; do sleep 0.02; done
      \(script)
      printf '%s' "last $TOKEN"
      echo x > done
      exit 1
      """, to: "print.sh")
    try folder.write(
      """
      jobs:
        talk:
          on: start
          run: [bash, print.sh]
          secrets: {TOKEN: {file: token}}
          \(policy.isEmpty ? "" : "output: " + policy)
      """)
  }

  /// The most bytes by which the process has grown, without the pages of the program itself: takt
  /// releases them after its start, and loads them again.
  private func growth(printing script: String, _ policy: String) throws -> Int {
    let folder = try TemporaryFolder()
    try write(script, policy, to: folder)
    let takt = try TaktProcess(["run", "--log-format", "json"], in: folder)
    let watcher = ByteWatcher(Self.secret)
    takt.onBytes = { watcher.look(at: $0) }
    takt.ignoredEvents = ["output"]
    try takt.line("its start") { $0.job == "talk" && $0.to == "running" }
    let memory = try MemoryPeak(of: takt.pid)
    try folder.write("", to: "go")
    let end = try takt.line("the end") { $0.job == "talk" && $0.to == "ended" }
    #expect(end.reason == "exit(1)")
    let growth = try memory.growth()
    #expect(try takt.stop() == 0)
    #expect(!watcher.hasSeen, "the secret is in the log")
    try checkFiles(in: folder, expected: policy.contains("file"))
    return growth
  }

  private func checkFiles(in folder: TemporaryFolder, expected: Bool) throws {
    var count = 0
    for name in ["out", "out.1", "out.2", "out.3"] {
      let url = folder.url.appendingPathComponent(name)
      guard let data = try? Data(contentsOf: url, options: .alwaysMapped) else { continue }
      count += 1
      #expect(data.count <= 10 << 20)
      #expect(data.range(of: Data(Self.secret.utf8)) == nil, "the secret is in \(name)")
    }
    #expect(expected ? (1...3).contains(count) : count == 0)
  }
}

/// Searches for a text in bytes that come in pieces.
private final class ByteWatcher {
  private let wanted: Data
  private var last = Data()
  private(set) var hasSeen = false

  init(_ text: String) { wanted = Data(text.utf8) }

  func look(at bytes: some Sequence<UInt8>) {
    last.append(contentsOf: bytes)
    hasSeen = hasSeen || last.range(of: wanted) != nil
    last = Data(last.suffix(wanted.count - 1))
  }
}

/// The peak of a process's own memory since this was made, read each 5 ms: the kernel's peak
/// includes the pages of files.
private final class MemoryPeak: Sendable {
  private let pid: pid_t
  private let before: Int
  private let peak = Mutex(0)

  init(of pid: pid_t) throws {
    self.pid = pid
    before = try #require(Self.bytes(of: pid))
    Thread.detachNewThread { [weak self] in
      while self?.look() == true { usleep(5000) }
    }
  }

  func growth() throws -> Int {
    try #require(look())
    return peak.withLock { $0 } - before
  }

  /// - Returns: false once the process has ended.
  private func look() -> Bool {
    guard let bytes = Self.bytes(of: pid) else { return false }
    peak.withLock { $0 = max($0, bytes) }
    return true
  }

  private static func bytes(of pid: pid_t) -> Int? {
    let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first.map { $0 << 10 }
  }
}
