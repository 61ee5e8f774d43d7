import Foundation
import Glibc
import TaktCore
import TaktTesting
import Testing

@testable import TaktEngine
import TaktTime

/// `use: prune` with links and nonsensical times that could mislead it.
@Suite struct PruneLinkTests {
  private let folder = TemporaryFolder()
  private let bench: BuiltinBench

  init() throws {
    bench = try BuiltinBench()
    try FileManager.default.createDirectory(
      atPath: folder["real/base"], withIntermediateDirectories: true)
  }

  private func file(_ name: String, seconds: Int) {
    _ = FileManager.default.createFile(atPath: folder[name], contents: Data("x".utf8))
    let times = [timespec](repeating: timespec(tv_sec: seconds, tv_nsec: 0), count: 2)
    utimensat(AT_FDCWD, folder[name], times, AT_SYMLINK_NOFOLLOW)
  }

  private func names() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder["real/base"])) ?? [])
      .sorted()
  }

  @Test func `a link in the middle of the root is not followed, and the log names it`() async {
    file("real/base/old", seconds: 0)
    symlink("real", folder["link"])
    let result = await bench.run(
      "prune", ["root": .string(folder["link/base"]), "keep": .integer(0)])
    #expect(result == .failed("root"))
    #expect(names() == ["old"])
    #expect(bench.lines.texts.contains { $0.contains("link' is a symbolic link") })
  }

  @Test func `a file from beyond the year 2262 is the newest`() async throws {
    file("real/base/far", seconds: 10_000_000_000)
    file("real/base/old", seconds: 1_000_000_000)
    var status = stat()
    try #require(lstat(folder["real/base/far"], &status) == 0)
    // Not every file system keeps such a time.
    guard status.st_mtim.tv_sec == 10_000_000_000 else { return }
    let root = ParameterValue.string(try #require(realpath(folder["real/base"])))
    #expect(
      await bench.run("prune", ["root": root, "older_than": .duration(.seconds(3600))]) == .done)
    #expect(names() == ["far"])
    file("real/base/new", seconds: time(nil))
    #expect(await bench.run("prune", ["root": root, "keep": .integer(1)]) == .done)
    #expect(names() == ["far"])
  }

  @Test func `sizes beyond all bounds delete no more than they should`() {
    func file(_ name: String, _ bytes: Int, _ hours: Int64) -> PruneFile {
      PruneFile(
        folder: 0, name: PruneFile.Name(bytes: Array(name.utf8CString)),
        modified: WallInstant(nanoseconds: hours), bytes: bytes, inode: 1)
    }
    let files = [file("a", .max, 1), file("b", .max, 2), file("c", 1, 3)]
    let rules = PruneRules(sizeBytesMax: 10)
    #expect(rules.condemned(files, at: WallInstant(nanoseconds: 4)) == [0])
  }

  private func realpath(_ path: String) -> String? {
    guard let text = Glibc.realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
