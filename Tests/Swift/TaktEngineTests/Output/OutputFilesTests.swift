import Foundation
import Synchronization
import TaktCore
import Testing
import TimerMachineTesting

@testable import TaktEngine
import TaktTime

@Suite struct OutputFilesTests {
  private final class Bench {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("takt-output-\(UUID().uuidString)")
    let sink = RecordingSink()
    let clock = ManualClock()
    private(set) var files: OutputFiles!

    init(
      limitBytes: Int = 1 << 20, write: @escaping RotatingFile.Write = { Glibc.write($0, $1, $2) }
    ) throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      files = OutputFiles(sink: sink, time: clock, limitBytes: limitBytes, write: write)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String = "out") -> String { folder.appendingPathComponent(name).path }

    func read(_ name: String = "out") -> String? {
      try? String(contentsOfFile: path(name), encoding: .utf8)
    }

    func use(_ name: String = "out", max: Int = 1000, files count: Int = 3) -> OutputFileUse {
      files.use(OutputFile(path: path(name), sizeBytesMax: max, files: count))
    }

    /// Hands the texts over one by one, each written before the next.
    func append(_ texts: String..., to use: OutputFileUse) {
      for text in texts {
        Array(text.utf8).withUnsafeBytes { use.append($0) }
        files.close(timeout: .seconds(60))
      }
    }

    func passSecond() { clock.pass(to: clock.monotonic + .seconds(1)) }
  }

  @Test func `output is appended to what the file holds, and others cannot read it`() throws {
    let bench = try Bench()
    try Data("before\n".utf8).write(to: URL(fileURLWithPath: bench.path()))
    let use = bench.use()
    bench.append("one\n", "two\n", to: use)
    #expect(bench.read() == "before\none\ntwo\n")
    bench.append("x", to: bench.use("new"))
    var info = stat()
    #expect(stat(bench.path("new"), &info) == 0)
    #expect(info.st_mode & 0o137 == 0)
  }

  @Test func `a full file gives way to a new one, and the oldest goes`() throws {
    let bench = try Bench()
    let use = bench.use(max: 8, files: 3)
    bench.append("1111111\n", "2222\n", "333\n4444\n", "55555\n", to: use)
    #expect(bench.read("out.2") == "333\n")
    #expect(bench.read("out.1") == "4444\n")
    #expect(bench.read() == "55555\n")
    #expect(bench.read("out.3") == nil)
  }

  @Test func `a line longer than a file is divided, and no file is longer than its bound`() throws {
    let bench = try Bench()
    let use = bench.use(max: 10, files: 4)
    bench.append(String(repeating: "x", count: 25) + "\nend\n", to: use)
    let parts = ["out.3", "out.2", "out.1", "out"].map { bench.read($0) ?? "" }
    #expect(parts.allSatisfy { $0.utf8.count <= 10 })
    #expect(parts.joined() == String(repeating: "x", count: 25) + "\nend\n")
  }

  @Test func `a line that is divided keeps its characters whole`() throws {
    let bench = try Bench()
    bench.append(String(repeating: "€", count: 8) + "\n", to: bench.use(max: 10, files: 4))
    let parts = ["out.2", "out.1", "out"].map { bench.read($0) }
    #expect(parts == ["€€€", "€€€", "€€\n"])
  }

  @Test func `a single file starts again when it is full`() throws {
    let bench = try Bench()
    bench.append("1234567\n", "abc\n", to: bench.use(max: 8, files: 1))
    #expect(bench.read() == "abc\n")
    #expect(bench.read("out.1") == nil)
  }

  @Test func `a file that somebody moves away is made again`() throws {
    let bench = try Bench()
    let use = bench.use()
    bench.append("old\n", to: use)
    try FileManager.default.moveItem(atPath: bench.path(), toPath: bench.path("moved"))
    bench.passSecond()
    bench.append("new\n", to: use)
    #expect(bench.read("moved") == "old\n")
    #expect(bench.read() == "new\n")
    try FileManager.default.removeItem(atPath: bench.path())
    bench.passSecond()
    bench.append("again\n", to: use)
    #expect(bench.read() == "again\n")
  }

  @Test func `a file that somebody cut short is filled to its bound again`() throws {
    let bench = try Bench()
    let use = bench.use(max: 8)
    bench.append("1234567\n", to: use)
    #expect(truncate(bench.path(), 0) == 0)
    bench.append("abc\n", to: use)
    #expect(bench.read() == "abc\n")
    #expect(bench.read("out.1") == nil)
  }

  @Test func `two jobs with one path share the file`() throws {
    let bench = try Bench()
    let first = bench.use(max: 13)
    let second = bench.use(max: 13)
    bench.append("first\n", to: first)
    first.end()
    bench.append("second\n", "third\n", to: second)
    #expect(bench.read("out.1") == "first\nsecond\n")
    #expect(bench.read() == "third\n")
  }

  @Test func `a missing folder is said once, and so is its coming`() throws {
    let bench = try Bench()
    for _ in 0..<3 {
      let use = bench.use("sub/out")
      bench.append("lost\n", to: use)
      use.end()
      bench.passSecond()
    }
    let path = bench.path("sub/out")
    let warning = "<warning: output file '\(path)' cannot be written: the folder does not exist>"
    #expect(bench.sink.all == [warning])
    try FileManager.default.createDirectory(
      atPath: bench.path("sub"), withIntermediateDirectories: false)
    bench.append("kept\n", to: bench.use("sub/out"))
    #expect(bench.read("sub/out") == "kept\n")
    #expect(
      bench.sink.all.dropFirst()
        == ["<notice: output file '\(path)' can be written again; 15 bytes are missing>"])
  }

  @Test(arguments: ["fifo", "folder", "link", "device"])
  func `nothing but a regular file is written, and nobody waits for it`(kind: String) throws {
    let bench = try Bench()
    switch kind {
    case "fifo": #expect(mkfifo(bench.path(), 0o600) == 0)
    case "folder": #expect(mkdir(bench.path(), 0o700) == 0)
    case "link": #expect(symlink(bench.path("target"), bench.path()) == 0)
    default: break
    }
    let use = kind == "device" ? bench.files.use(OutputFile(path: "/dev/full")) : bench.use()
    bench.append("x\n", to: use)
    #expect(bench.sink.all.count == 1)
    #expect(bench.sink.all[0].contains(kind == "link" ? "it is a link" : "not a regular file"))
    #expect(bench.read("target") == nil)
  }

  @Test func `a full disk is said once, and how much is missing when there is room again`() throws {
    let isFull = Mutex(false)
    let bench = try Bench { descriptor, bytes, count in
      if isFull.withLock(\.self) {
        errno = ENOSPC
        return -1
      }
      return Glibc.write(descriptor, bytes, count)
    }
    let use = bench.use()
    bench.append("one\n", to: use)
    isFull.withLock { $0 = true }
    bench.append("two\n", "three\n", to: use)
    isFull.withLock { $0 = false }
    bench.append("four\n", to: use)
    #expect(bench.read() == "one\nfour\n")
    #expect(
      bench.sink.all == [
        "<warning: output file '\(bench.path())' cannot be written: No space left on device>",
        "<notice: output file '\(bench.path())' can be written again; 10 bytes are missing>",
      ])
  }

  @Test func `a disk that hangs keeps nobody waiting, and what is missing is said`() throws {
    let gate = DispatchSemaphore(value: 0)
    let isBusy = DispatchSemaphore(value: 0)
    let bench = try Bench(limitBytes: 100) { descriptor, bytes, count in
      isBusy.signal()
      gate.wait()
      return Glibc.write(descriptor, bytes, count)
    }
    let use = bench.use()
    Array("first\n".utf8).withUnsafeBytes { use.append($0) }
    isBusy.wait()
    for _ in 0..<50 { Array("0123456789".utf8).withUnsafeBytes { use.append($0) } }
    use.end()
    for _ in 0..<100 { gate.signal() }
    bench.files.close(timeout: .seconds(60))
    bench.files.close(timeout: .seconds(60))
    #expect(bench.read() == "first\n" + String(repeating: "0123456789", count: 9))
    #expect(bench.sink.all.count == 2)
    #expect(bench.sink.all.last?.contains("410 bytes are missing") == true)
  }

  @Test func `a file is closed when no attempt uses it`() throws {
    let bench = try Bench()
    func isOpen() throws -> Bool {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
          == bench.path()
      }
    }
    let use = bench.use()
    bench.append("x\n", to: use)
    #expect(try isOpen())
    use.end()
    bench.files.close(timeout: .seconds(60))
    #expect(try !isOpen())
  }
}
