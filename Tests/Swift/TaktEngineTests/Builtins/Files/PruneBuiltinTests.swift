import Foundation
import Glibc
import TaktCore
import TaktTesting
import Testing

@testable import TaktEngine

/// `use: prune` on a real file system.
@Suite struct PruneBuiltinTests {
  private let folder = TemporaryFolder()
  private let bench: BuiltinBench

  init() throws {
    bench = try BuiltinBench()
    try FileManager.default.createDirectory(
      atPath: folder["root/inner/deep"], withIntermediateDirectories: true)
  }

  /// A file of this many bytes, last written this many hours ago.
  private func file(_ name: String, hours: Int, bytes: Int = 10) throws {
    let descriptor = open(folder[name], O_CREAT | O_WRONLY | O_TRUNC, 0o600)
    try #require(descriptor >= 0)
    let text = [UInt8](repeating: 120, count: bytes)
    #expect(write(descriptor, text, bytes) == bytes)
    close(descriptor)
    age(name, hours: hours)
  }

  private func age(_ name: String, hours: Int) {
    let past = timespec(tv_sec: time(nil) - hours * 3600, tv_nsec: 0)
    let times = [past, past]
    utimensat(AT_FDCWD, folder[name], times, AT_SYMLINK_NOFOLLOW)
  }

  private func names(_ place: String = "root") -> [String] {
    (FileManager.default.enumerator(atPath: folder[place])?.allObjects as? [String] ?? [])
      .sorted()
  }

  private func prune(_ parameters: Parameters) async -> AttemptResult {
    await bench.run("prune", parameters.merging(["root": .string(folder["root"])]) { $1 })
  }

  @Test func `files go by age, in the root alone unless told otherwise`() async throws {
    try file("root/old.log", hours: 5)
    try file("root/new.log", hours: 1)
    try file("root/old.txt", hours: 5)
    try file("root/inner/old.log", hours: 5)
    let rules: Parameters = ["older_than": .duration(.seconds(7200)), "pattern": "*.log"]
    #expect(await prune(rules) == .done)
    #expect(names() == ["inner", "inner/deep", "inner/old.log", "new.log", "old.txt"])
    #expect(bench.lines.texts == ["deleted old.log", "deleted 1 of 2 files, 10B"])
    #expect(await prune(rules.merging(["recursive": .boolean(true)]) { $1 }) == .done)
    #expect(names() == ["inner", "inner/deep", "new.log", "old.txt"])
  }

  @Test func `the newest are kept, and the rest fits a size`() async throws {
    for hour in 1...6 { try file("root/\(hour)", hours: hour, bytes: 100) }
    #expect(await prune(["max_size": .integer(450)]) == .done)
    #expect(names() == ["1", "2", "3", "4", "inner", "inner/deep"])
    #expect(await prune(["keep": .integer(3), "older_than": .duration(.seconds(5400))]) == .done)
    #expect(names() == ["1", "2", "3", "inner", "inner/deep"])
    #expect(await prune(["keep": .integer(1)]) == .done)
    #expect(names() == ["1", "inner", "inner/deep"])
  }

  @Test func `a dry run deletes nothing and says what would go`() async throws {
    try file("root/a", hours: 5)
    #expect(await prune(["keep": .integer(0), "dry_run": .boolean(true)]) == .done)
    #expect(names() == ["a", "inner", "inner/deep"])
    #expect(bench.lines.texts == ["would delete a", "would delete 1 of 1 files, 10B"])
  }

  @Test func `links are never followed, they go themselves`() async throws {
    try FileManager.default.createDirectory(
      atPath: folder["outside"], withIntermediateDirectories: true)
    try file("outside/precious", hours: 9)
    symlink(folder["outside"], folder["root/way-out"])
    symlink(folder["outside/precious"], folder["root/inner/file-out"])
    let rules: Parameters = [
      "keep": .integer(0), "recursive": .boolean(true), "empty_dirs": .boolean(true),
    ]
    #expect(await prune(rules) == .done)
    #expect(names() == [])
    #expect(names("outside") == ["precious"])
  }

  @Test func `a root that is a link, the whole system or nothing is refused`() async throws {
    symlink(folder["root"], folder["link"])
    try file("root/a", hours: 1)
    for (root, reason) in [
      (folder["link"], "root"), ("/", "root"), ("//", "root"), ("/usr/..", "root"),
      ("", "root"), (folder["root/a"], "root"), (folder["none"], "missing"),
    ] {
      #expect(
        await bench.run("prune", ["root": .string(root), "keep": .integer(0)])
          == .failed(reason), "\(root)")
    }
    #expect(names() == ["a", "inner", "inner/deep"])
  }

  @Test func `a folder that becomes a link while it is pruned leads nowhere`() async throws {
    try FileManager.default.createDirectory(
      atPath: folder["outside"], withIntermediateDirectories: true)
    for number in 0..<200 { try file("outside/\(number)", hours: 5) }
    for round in 0..<20 {
      try? FileManager.default.createDirectory(
        atPath: folder["root/swap"], withIntermediateDirectories: true)
      for number in 0..<200 { try file("root/swap/\(number)", hours: 5) }
      symlink(folder["outside"], folder["link-\(round)"])
      bench.router.start([
        bench.request(
          "prune",
          [
            "root": .string(folder["root"]), "keep": .integer(0),
            "recursive": .boolean(true),
          ])
      ])
      // Swapped somewhere between the start and the end.
      for _ in 0..<round { sched_yield() }
      rename(folder["root/swap"], folder["away-\(round)"])
      rename(folder["link-\(round)"], folder["root/swap"])
      _ = await bench.ends(1)
      try? FileManager.default.removeItem(atPath: folder["root/swap"])
    }
    #expect(names("outside").count == 200)
  }

  @Test func `empty folders go, those in use and the root stay`() async throws {
    try file("root/inner/deep/old", hours: 5)
    try FileManager.default.createDirectory(
      atPath: folder["root/fresh"], withIntermediateDirectories: false)
    try FileManager.default.createDirectory(
      atPath: folder["root/used"], withIntermediateDirectories: false)
    try file("root/used/new", hours: 0)
    let rules: Parameters = [
      "older_than": .duration(.seconds(3600)), "recursive": .boolean(true),
      "empty_dirs": .boolean(true),
    ]
    #expect(await prune(rules) == .done)
    #expect(names() == ["fresh", "used", "used/new"])
  }

  @Test func `names of any bytes are deleted, and only names up to a bound are logged`()
    async throws
  {
    for number in 0..<300 { try file("root/a\nb \(number)", hours: 5) }
    let raw: [CChar] = Array((folder["root"] + "/").utf8CString.dropLast()) + [-1, -2, 0]
    close(open(raw, O_CREAT | O_WRONLY, 0o600))
    #expect(await prune(["keep": .integer(0)]) == .done)
    #expect(names() == ["inner", "inner/deep"])
    #expect(bench.lines.texts.count == PruneBuiltin.namesMax + 2)
    #expect(
      bench.lines.texts.suffix(2) == ["and 201 more", "deleted 301 of 301 files, 3002B"]
        || bench.lines.texts.suffix(2) == ["and 201 more", "deleted 301 of 301 files, 3000B"])
  }

  @Test func `pipes and sockets are left alone`() async throws {
    mkfifo(folder["root/pipe"], 0o600)
    age("root/pipe", hours: 9)
    #expect(await prune(["keep": .integer(0)]) == .done)
    #expect(names() == ["inner", "inner/deep", "pipe"])
  }

  @Test func `a prune in progress is cancelled`() async throws {
    for number in 0..<3000 { try file("root/\(number)", hours: 5) }
    bench.router.start([
      bench.request("prune", ["root": .string(folder["root"]), "keep": .integer(0)])
    ])
    while bench.lines.texts.isEmpty { sched_yield() }
    bench.router.stop(RunID(1), signal: .terminate)
    let result = await bench.ends(1)[0].report.result
    // It may have been faster than the stop; then no file may be left.
    #expect(result == .failed("cancelled") || names().count == 2)
  }

  @Test func `a prune without a rule is found at load`() {
    let problems = BuiltinRegistry.standard.problems(of: "prune", in: ["root": "/"])
    #expect(problems.map(\.parameter) == [nil, "root"])
    #expect(
      BuiltinRegistry.standard.problems(
        of: "prune", in: ["root": "/x", "keep": .integer(1), "empty_dirs": .boolean(true)]
      ).map(\.parameter) == ["empty_dirs"])
  }
}
