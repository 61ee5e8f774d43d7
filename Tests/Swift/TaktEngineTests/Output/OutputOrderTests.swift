import Foundation
import Glibc
import Synchronization
import TaktCore
import Testing

@testable import TaktEngine

/// The order in which a command's two streams are read.
@Suite struct OutputOrderTests {
  /// Calls `onLine` on the reactor's thread.
  private final class Sink: OutputSink {
    let lines = Mutex<[String]>([])
    let onLine: @Sendable (String) -> Void

    init(_ onLine: @escaping @Sendable (String) -> Void = { _ in }) { self.onLine = onLine }

    var hasRoom: Bool { true }

    func output(_ fields: [LogField]) {
      for field in fields {
        if case .bytes(let bytes) = field.value {
          let line = String(decoding: bytes, as: UTF8.self)
          lines.withLock { $0.append(line) }
          onLine(line)
        }
      }
    }

    func drop(lines: Int) {}
  }

  /// The kept output of a run, when it has ended.
  private final class End: Sendable {
    private let kept = Mutex("")
    private let hasCome = DispatchSemaphore(value: 0)

    func come(_ event: SchedulerEvent) {
      guard case .actionEnded(_, let report) = event else { return }
      let output = report.output.kept
      kept.withLock { $0 = String(decoding: output.head + output.tail, as: UTF8.self) }
      hasCome.signal()
    }

    /// Blocks its thread.
    var output: String {
      hasCome.wait()
      return kept.withLock(\.self)
    }
  }

  private func run(
    _ arguments: [String], on reactor: Reactor, to sink: Sink,
    _ policy: OutputPolicy = OutputPolicy(), terminal: TerminalSize? = nil
  ) throws -> End {
    let end = End()
    let processes = try ProcessRunner(reactor: reactor, sink: sink)
    let runner = CommandRunner(processes: processes) { end.come($0) }
    runner.start([
      try Children.request(.argv(arguments)) { ($0.output, $0.terminal) = (policy, terminal) }
    ])
    return end
  }

  /// A turn reads the present contents of both streams; later output is read later.
  @Test func `what both streams hold is read before what comes meanwhile`() throws {
    let reactor = try Reactor()
    let pid = Mutex<Int32>(0)
    let hasPID = DispatchSemaphore(value: 0)
    let hasThird = DispatchSemaphore(value: 0)
    let sink = Sink { line in
      if let number = line.split(separator: " ").dropFirst().first.flatMap({ Int32($0) }) {
        pid.withLock { $0 = number }
        hasPID.signal()
      } else if line == "first" {
        // As if the command printed it while the line before is being read.
        let descriptor = open("/proc/\(pid.withLock(\.self))/fd/1", O_WRONLY)
        _ = write(descriptor, "third\n", 6)
        close(descriptor)
        hasThird.signal()
      }
    }
    // One for each wait: the writer of the first may still have it open when the second one starts.
    let gate = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    let exit = gate + "-exit"
    for path in [gate, exit] { #expect(mkfifo(path, 0o600) == 0) }
    defer { for path in [gate, exit] { unlink(path) } }
    let end = try run(
      [
        "/bin/sh", "-c",
        "echo pid $$; read x < '\(gate)'; echo first; echo second >&2; read x < '\(exit)'",
      ],
      on: reactor, to: sink)
    hasPID.wait()
    // The reactor reads when both have come.
    let isHeld = DispatchSemaphore(value: 0)
    let release = DispatchSemaphore(value: 0)
    reactor.perform { _ in
      isHeld.signal()
      release.wait()
    }
    isHeld.wait()
    let door = open(gate, O_WRONLY)
    _ = write(door, "\n", 1)
    close(door)
    let number = pid.withLock(\.self)
    for stream in [1, 2] {
      let descriptor = open("/proc/\(number)/fd/\(stream)", O_RDONLY | O_NONBLOCK)
      var count: Int32 = 0
      while ioctl(descriptor, UInt(FIONREAD), &count) == 0, count == 0 { usleep(200) }
      close(descriptor)
    }
    release.signal()
    // Its pipe is found by its number while it lives.
    hasThird.wait()
    let last = open(exit, O_WRONLY)
    _ = write(last, "\n", 1)
    close(last)
    #expect(end.output.split(separator: "\n").dropFirst() == ["first", "second", "third"])
    #expect(sink.lines.withLock { $0.dropFirst() } == ["first", "second", "third"])
  }

  @Test func `one pipe of both streams keeps their order`() throws {
    var policy = OutputPolicy()
    policy.isMerged = true
    let script = "for i in $(seq 1000); do echo o$i; echo e$i >&2; done"
    let sink = Sink()
    let all = (1...1000).flatMap { ["o\($0)", "e\($0)"] }
    let end = try run(["/bin/sh", "-c", script], on: try Reactor(), to: sink, policy)
    #expect(end.output.split(separator: "\n").map(String.init) == all)
    #expect(sink.lines.withLock(\.self) == all)
  }

  @Test func `a terminal is one stream, which is read to its end`() throws {
    let script = "for i in $(seq 1000); do echo o$i; echo e$i >&2; done"
    let sink = Sink()
    let all = (1...1000).flatMap { ["o\($0)", "e\($0)"] }
    let end = try run(
      ["/bin/sh", "-c", script], on: try Reactor(), to: sink, terminal: TerminalSize())
    #expect(end.output.split(separator: "\n").map(String.init) == all)
    #expect(sink.lines.withLock(\.self) == all)
  }

  /// If each byte goes to the log, takt takes its time.
  @Test(arguments: [OutputPolicy.Logging.never, .always])
  func `a command that fills its pipe gets a larger one if nobody needs time`(
    logging: OutputPolicy.Logging
  ) throws {
    let script = """
      import fcntl, os
      for _ in range(256): os.write(1, b"x" * 65535 + b"\\n")
      os.write(2, b"%d\\n" % fcntl.fcntl(1, 1032))
      """
    let end = try run(
      ["/usr/bin/python3", "-c", script], on: try Reactor(), to: Sink(),
      OutputPolicy(logging: logging))
    #expect(end.output.hasSuffix(logging == .never ? "\n262144\n" : "\n65536\n"))
  }
}
