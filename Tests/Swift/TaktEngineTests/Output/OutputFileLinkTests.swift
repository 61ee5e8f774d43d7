import Foundation
import Glibc
import TaktCore
import TaktSystem
import Testing
import TimerMachineTesting

@testable import TaktEngine
import TaktTime

/// Output files below folders that a user may change while root writes.
@Suite struct OutputFileLinkTests {
  private static let stranger: uid_t = 47_321

  private final class Bench {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("takt-links-\(UUID().uuidString)").path
    let clock = ManualClock()
    private let path: String
    var file: RotatingFile
    var written = 0

    init(_ name: String, links: FolderPath.Links = .ofRoot) throws {
      for name in ["", "/user", "/user/logs", "/target"] {
        try FileManager.default.createDirectory(
          atPath: folder + name, withIntermediateDirectories: false)
      }
      path = "\(folder)/\(name)"
      file = RotatingFile(path: path, links: links)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The reason for not writing; nil if it is written.
    func append(_ text: String, max: Int = 1000, files: Int = 3) -> OutputFileError? {
      clock.pass(to: clock.monotonic + .seconds(2))
      var count = 0
      do throws(OutputFileError) {
        try file.append(
          Array(text.utf8), within: OutputFile(path: path, sizeBytesMax: max, files: files),
          at: clock.monotonic, written: &count)
        return nil
      } catch {
        return error
      }
    }

    func entries(_ name: String) -> [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)")) ?? []).sorted()
    }

    /// An attack by the user who owns the folder `user`.
    func swapFolderForLink() {
      rename("\(folder)/user/logs", "\(folder)/user/old")
      symlink("\(folder)/target", "\(folder)/user/logs")
      lchown("\(folder)/user/logs", OutputFileLinkTests.stranger, 0)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "links of another user take root"))
  func `a folder swapped for a link makes root write nothing elsewhere`() throws {
    let bench = try Bench("user/logs/out")
    chown("\(bench.folder)/user", Self.stranger, 0)
    #expect(bench.append("one\n") == nil)
    bench.swapFolderForLink()
    #expect(bench.append("two\n") == .link("\(bench.folder)/user/logs"))
    #expect(bench.entries("target") == [])
    #expect(bench.entries("user/old") == ["out"])
  }

  @Test(.enabled(if: geteuid() == 0, "links of another user take root"))
  func `a folder swapped for a link before a rotation moves nothing elsewhere`() throws {
    let bench = try Bench("user/logs/out")
    _ = FileManager.default.createFile(
      atPath: "\(bench.folder)/target/out", contents: Data("x".utf8))
    #expect(bench.append("1234567\n", max: 8) == nil)
    chown("\(bench.folder)/user", Self.stranger, 0)
    bench.swapFolderForLink()
    #expect(bench.append("1234567\n", max: 8) == .link("\(bench.folder)/user/logs"))
    #expect(bench.entries("target") == ["out"])
  }

  @Test(.enabled(if: geteuid() == 0, "links of root take root"))
  func `a link that only root can have made is followed`() throws {
    let bench = try Bench("link/out")
    symlink("target", "\(bench.folder)/link")
    #expect(bench.append("one\n") == nil)
    #expect(bench.entries("target") == ["out"])
    #expect(bench.append("1234567\n", max: 8) == nil)
    #expect(bench.entries("target") == ["out", "out.1"])
    // In a folder that others can write to, it may be replaced at any moment.
    bench.file.close()
    chmod(bench.folder, 0o777)
    #expect(bench.append("two\n") == .link("\(bench.folder)/link"))
  }

  @Test func `who is not root has the links that he made`() throws {
    let bench = try Bench("link/out", links: .all)
    symlink("target", "\(bench.folder)/link")
    #expect(bench.append("one\n") == nil)
    #expect(bench.entries("target") == ["out"])
  }

  @Test func `another name of somebody's file is not written`() throws {
    let bench = try Bench("user/logs/out")
    _ = FileManager.default.createFile(atPath: "\(bench.folder)/target/file", contents: Data())
    #expect(link("\(bench.folder)/target/file", "\(bench.folder)/user/logs/out") == 0)
    #expect(bench.append("one\n") == .manyNames)
  }
}
