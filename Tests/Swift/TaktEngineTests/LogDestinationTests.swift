import Foundation
import Glibc
import TaktCore
import TaktSystem
import TaktTesting
import Testing

@testable import TaktEngine
import TaktTime

/// Files of the log, while other programs move, truncate and replace them.
@Suite struct LogDestinationTests {
  private let folder = TemporaryFolder()

  private func writer(_ destination: LogDestination) -> LogWriter {
    LogWriter(
      to: destination, format: .json, level: nil, zone: .utc, isColoured: false,
      time: SystemTimeSource(), limitBytes: 64 << 20)
  }

  private func open(_ name: String = "takt.log") throws(OutputFileError) -> LogDestination {
    try .file(AppendedPath(folder[name]))
  }

  /// The failure to open it; nil if it can be opened.
  private func failure(_ name: String) -> OutputFileError? {
    do throws(OutputFileError) {
      _ = try open(name)
      return nil
    } catch {
      return error
    }
  }

  private func lines(_ name: String = "takt.log") -> [String] {
    let text = (try? String(contentsOfFile: folder[name], encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  /// Writes the text, without an end of the writer.
  private func flush(_ file: inout ReopeningFile, _ text: String) -> ReopeningFile.Change {
    let change = file.follow()
    _ = Array(text.utf8).write(to: file.descriptor)
    return change
  }

  @Test func `a file that is moved while lines are written loses and doubles none`() throws {
    let log = writer(try open())
    let count = 20_000
    var files = ["takt.log"]
    for number in 0..<count {
      log.rawLine(.info, [LogField(.line, .bytes(Array("\(number)".utf8)))])
      if number % 1000 == 999 {
        let old = "old.\(number)"
        // It does not exist yet if nothing was written since the last time.
        if rename(folder["takt.log"], folder[old]) == 0 { files.append(old) }
      }
    }
    log.close(timeout: .seconds(60))
    #expect(files.count > 1)
    let all = files.flatMap { lines($0) }
    #expect(all.count == count)
    #expect(Set(all) == Set((0..<count).map(String.init)))
    for name in files { #expect(lines(name).compactMap(Int.init).isSorted, "\(name)") }
  }

  @Test func `a file that is removed is made again`() throws {
    var file = try ReopeningFile(AppendedPath(folder["takt.log"]))
    guard case .same = flush(&file, "one\n") else { Issue.record("moved"); return }
    unlink(folder["takt.log"])
    guard case .moved = flush(&file, "two\n") else { Issue.record("not moved"); return }
    #expect(lines() == ["two"])
  }

  @Test func `while the folder is gone, lines go to the previous file`() throws {
    folder.makeFolder("logs")
    var file = try ReopeningFile(AppendedPath(folder["logs/takt.log"]))
    rename(folder["logs"], folder["moved"])
    guard case .failed(.open(ENOENT)) = flush(&file, "one\n") else {
      Issue.record("opened")
      return
    }
    #expect(lines("moved/takt.log") == ["one"])
    folder.makeFolder("logs")
    guard case .moved = flush(&file, "two\n") else { Issue.record("not moved"); return }
    #expect(lines("logs/takt.log") == ["two"])
  }

  @Test func `what is no file is refused at once`() {
    mkfifo(folder["pipe"], 0o600)
    folder.makeFolder("sub")
    symlink("takt.log", folder["link"])
    symlink("/dev/null", folder["null"])
    for name in ["pipe", "sub"] { #expect(failure(name) == .notRegular, "\(name)") }
    for name in ["link", "null"] { #expect(failure(name) == .linkAtPath, "\(name)") }
    #expect(failure("missing/takt.log") == .open(ENOENT))
  }

  @Test func `a FIFO in place of the file is not waited for`() throws {
    var file = try ReopeningFile(AppendedPath(folder["takt.log"]))
    rename(folder["takt.log"], folder["old"])
    mkfifo(folder["takt.log"], 0o600)
    guard case .failed(.notRegular) = flush(&file, "one\n") else { Issue.record("opened"); return }
    #expect(lines("old") == ["one"])
  }

  @Test func `a log that is truncated has no hole`() throws {
    // As a shell opens it for '> takt.log'.
    let number = Glibc.open(folder["takt.log"], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    defer { close(number) }
    let destination = LogDestination.appending(number)
    for line in ["one\n", "two\n"] { _ = Array(line.utf8).write(to: destination.number) }
    truncate(folder["takt.log"], 0)
    let log = writer(destination)
    log.rawLine(.info, [LogField(.line, .bytes(Array("three".utf8)))])
    log.close(timeout: .seconds(60))
    #expect(lines() == ["three"])
  }

  @Test(.enabled(if: geteuid() == 0, "links of another user take root"))
  func `root follows no link that another user has made`() throws {
    folder.makeFolder("user")
    folder.makeFolder("user/logs")
    folder.makeFolder("target")
    chown(folder["user"], 47_321, 0)
    var file = try ReopeningFile(AppendedPath(folder["user/logs/takt.log"], links: .ofRoot))
    rename(folder["user/logs"], folder["user/old"])
    symlink(folder["target"], folder["user/logs"])
    lchown(folder["user/logs"], 47_321, 0)
    guard case .failed(.link) = flush(&file, "one\n") else { Issue.record("followed"); return }
    #expect(lines("target/takt.log") == [])
    #expect(lines("user/old/takt.log") == ["one"])
    // Nor a second name of another file.
    folder.write("secret\n", to: "shadow")
    link(folder["shadow"], folder["target/takt.log"])
    #expect(failure("target/takt.log") == .manyNames)
  }
}

extension [Int] {
  fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
