import Foundation
import Glibc
import TaktTesting

/// The built program, run as a user runs it. Tests await lines and never sleep.
final class TaktProcess {
  /// One JSON line of the log.
  struct Line: Decodable {
    var ts: String
    var level: String
    var event: String
    var machine: String?
    var seq: Int?
    var job: String?
    var hook: String?
    var from: String?
    var to: String?
    var cause: String?
    var slot: String?
    var due: String?
    var slot_last: String?
    var late_ms: Double?
    var run: Int?
    var verdict: String?
    var outcome: String?
    var reason: String?
    var stream: String?
    var line: String?
    var change: String?
    var count: Int?
    var message: String?
  }

  struct Silence: Error, CustomStringConvertible {
    var description: String
  }

  /// Far longer than any step takes: a test that waits this long has failed.
  static let patience: TimeInterval = 60

  /// Two tests that start programs at once would pass each other's pipes to their children.
  private static let spawning = NSLock()

  let pid: pid_t
  /// Kept as long as the process.
  private let folder: TemporaryFolder
  private let output: Int32
  private let errorPath: String
  private var status: Int32?
  private var buffer: [UInt8] = []
  private var bufferStart = 0
  /// Lines of these events are skipped unread, if there are very many.
  var ignoredEvents: [String] = []
  /// Called with all output, as it comes.
  var onBytes: ((ArraySlice<UInt8>) -> Void)?
  private(set) var lines: [Line] = []

  /// The program beside the test bundle.
  static let executable: URL = {
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let arguments = URL(fileURLWithPath: CommandLine.arguments[0])
    return (bundle ?? arguments).deletingLastPathComponent().appendingPathComponent("takt")
  }()

  /// Started by the system's own call: this test must wait for the child.
  init(
    _ arguments: [String], program: String = executable.path, in folder: TemporaryFolder
  ) throws {
    self.folder = folder
    errorPath = folder.url.appendingPathComponent("stderr-\(UUID().uuidString)").path
    let errorPath = errorPath
    (pid, output) = try Self.spawning.withLock {
      guard let pipe = SafePipe.make() else { throw Silence(description: "no pipe") }
      let ends = [pipe.read, pipe.write]
      defer { close(ends[1]) }
      // Descriptors that other tests have open in this process would count against its limit.
      let child = try Spawning.start(
        ["/usr/bin/env", "-C", folder.url.path, program] + arguments, output: ends[1],
        errors: errorPath, closing: 3..<1024)
      return (child, ends[0])
    }
  }

  /// Runs the daemon with these jobs, in a folder of its own.
  static func running(_ jobs: String) throws -> (folder: TemporaryFolder, process: TaktProcess) {
    let folder = try TemporaryFolder(jobs)
    return (folder, try TaktProcess(["run"], in: folder))
  }

  deinit {
    if status == nil {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    close(output)
  }

  /// Waits for a state without a line in the log, such as the contents of a file.
  static func wait<Value>(_ what: String, for value: () throws -> Value?) throws -> Value {
    let deadline = Date() + patience
    while Date() < deadline {
      if let found = try value() { return found }
      usleep(5000)
    }
    throw Silence(description: "never: \(what)")
  }

  var errors: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }

  func signal(_ number: Int32) { kill(pid, number) }

  /// Ends it like a loss of power.
  func crash() {
    signal(SIGKILL)
    _ = waitForExit()
  }

  /// Reads on until a line fits, and returns it.
  @discardableResult
  func line(
    _ what: String = "a line", where isRight: (Line) -> Bool
  ) throws -> Line {
    // Other lines may come endlessly: a test that waits in vain must still fail.
    let deadline = Date() + 4 * Self.patience
    while let next = try nextLine(what) {
      if isRight(next) { return next }
      guard Date() < deadline else { throw Silence(description: "never: \(what)") }
    }
    throw Silence(description: "takt ended before \(what); it said:\n\(errors)")
  }

  /// Reads to the end of the output.
  func readToEnd() throws {
    while try nextLine("its end") != nil {}
  }

  /// Reads on, without parsing lines, to the end; returns all as text.
  func text() throws -> String {
    while try fill("its end") {}
    return String(decoding: buffer, as: UTF8.self)
  }

  /// Reads on, without parsing lines, until these words have come.
  func text(upTo words: String) throws {
    while !String(decoding: buffer, as: UTF8.self).contains(words) {
      guard try fill(words) else {
        throw Silence(description: "it ended before '\(words)'; it said:\n\(errors)")
      }
    }
  }

  /// The next line that is not ignored, parsed and kept; nil at the end.
  private func nextLine(_ what: String) throws -> Line? {
    while true {
      if let end = endOfLine() {
        let bytes = Data(buffer[bufferStart..<end])
        bufferStart = end + 1
        // The level before the event has five to seven letters.
        let head = String(decoding: bytes.prefix(80), as: UTF8.self)
        if ignoredEvents.contains(where: { head.contains("\"event\":\"\($0)\"") }) { continue }
        let line = try JSONDecoder().decode(Line.self, from: bytes)
        lines.append(line)
        return line
      }
      buffer.removeFirst(bufferStart)
      bufferStart = 0
      if try !fill(what) { return nil }
    }
  }

  private func endOfLine() -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, bufferStart < bytes.count,
        let found = memchr(base + bufferStart, 10, bytes.count - bufferStart)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  private func fill(_ what: String) throws -> Bool {
    var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, Int32(Self.patience * 1000)) == 1 else {
      throw Silence(description: "no word from takt while waiting for \(what)")
    }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(output, &bytes, bytes.count)
    guard count > 0 else { return false }
    buffer.append(contentsOf: bytes[..<count])
    onBytes?(bytes[..<count])
    return true
  }

  /// Waits for the end; returns the exit status, or minus the signal that ended it.
  func waitForExit() -> Int32 {
    if let status { return status }
    var raw = Int32(0)
    waitpid(pid, &raw, 0)
    let end = raw & 0x7f == 0 ? raw >> 8 & 0xff : -(raw & 0x7f)
    status = end
    return end
  }

  /// Sends TERM, reads the rest and returns the exit status.
  func stop() throws -> Int32 {
    signal(SIGTERM)
    try readToEnd()
    return waitForExit()
  }

  /// The state letters of takt's children, by pid.
  func children() -> [pid_t: String] { children(of: pid) }

  func children(of pid: pid_t) -> [pid_t: String] {
    var result: [pid_t: String] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let child = pid_t(name),
        let stat = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
        let end = stat.lastIndex(of: ")")
      else { continue }
      let fields = stat[stat.index(after: end)...].split(separator: " ")
      if fields.count > 1, fields[1] == "\(pid)" { result[child] = String(fields[0]) }
    }
    return result
  }

  var descriptorCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count) ?? 0
  }

  /// Resident memory without the pages of files.
  var residentBytes: Int {
    let statm = (try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)) ?? ""
    let fields = statm.split(separator: " ").compactMap { Int($0) }
    return fields.count > 2 ? (fields[1] - fields[2]) * Int(getpagesize()) : 0
  }
}

/// A test's own folder.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("takt-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  @discardableResult
  func write(_ text: String, to name: String = "jobs.yaml") throws -> String {
    let file = url.appendingPathComponent(name)
    try text.write(to: file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    return file.path
  }

  /// Makes a program that can be executed at once. The shell writes it: if this process had the
  /// file open, a child that another test starts meanwhile would hold it open for a moment, and the
  /// system would refuse to execute it (ETXTBSY).
  func writeProgram(_ text: String, to name: String) throws {
    let words = ["-c", #"printf %s "$1" > "$2" && chmod 755 "$2""#, "sh", text, name]
    let status = try TaktProcess(words, program: "/bin/sh", in: self).waitForExit()
    guard status == 0 else { throw TaktProcess.Silence(description: "\(name) was not written") }
  }

  /// A service plugin `deaf`, which ignores the end of its input and TERM, and writes its number
  /// into a file of this folder.
  func writeDeafService(numberIn file: String) throws {
    try FileManager.default.createDirectory(
      at: url.appendingPathComponent("plugins/deaf"), withIntermediateDirectories: true)
    try write(
      "{name: deaf, version: 1.0.0, protocol: 1, mode: service, exec: [./deaf]}",
      to: "plugins/deaf/plugin.yaml")
    try writeProgram(
      #"""
      #!/bin/sh
      trap '' TERM
      echo '{"type":"hello","protocol":1}' >&3
      cd '\#(url.path)' && echo $$ > \#(file).new && mv \#(file).new \#(file)
      while :; do sleep 0.1; done

      """#, to: "plugins/deaf/deaf")
  }

  /// Waits until the file has this many lines, and returns them.
  func lines(_ count: Int, of name: String) throws -> [String] {
    try TaktProcess.wait("\(count) lines of \(name)") {
      let lines = read(name).split(separator: "\n").map(String.init)
      return lines.count >= count ? lines : nil
    }
  }

  /// Waits until the file is there.
  func waitFor(_ name: String) throws {
    _ = try TaktProcess.wait(name) {
      FileManager.default.fileExists(atPath: url.path + "/" + name) ? true : nil
    }
  }

  func read(_ name: String) -> String {
    (try? String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)) ?? ""
  }
}

/// Milliseconds since the Unix epoch of an RFC 3339 instant in UTC.
func milliseconds(_ instant: String?) -> Int64? {
  guard let instant else { return nil }
  return instants.date(from: instant).map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
}

/// The inverse of `milliseconds`.
func instant(_ milliseconds: Int64) -> String {
  instants.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
}

private var instants: ISO8601DateFormatter {
  let formatter = ISO8601DateFormatter()
  formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
  return formatter
}
