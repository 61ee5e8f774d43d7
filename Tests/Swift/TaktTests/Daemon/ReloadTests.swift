import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.ownThreads) struct ReloadTests {
  @Test func `a file that is not in force is said by status and next`() throws {
    let live = try LiveTakt("jobs: {a: {cron: '@yearly', run: 'true'}}\n")
    func said() throws -> (status: String, next: String) {
      (try live.takt("status").output, try live.takt("next").errors)
    }
    let before = try said()
    #expect(!before.status.contains("differs") && !before.next.contains("differs"), "\(before)")
    try live.folder.write("jobs: {a: {cron: '@yearly', run: 'true'}, b: {evry: 1h, run: x}}\n")
    #expect(try live.takt("status").output.contains("jobs.yaml differs from what runs: takt plan"))
    live.process.signal(SIGHUP)
    try live.process.line("the refusal") { $0.message?.hasPrefix("not reloaded") == true }
    let refused = try live.takt("status").output
    #expect(
      refused.hasPrefix("! reload refused, 1 error: the previous jobs keep running since 2"),
      "\(refused)")
    let unit = try Repository.text("packaging/systemd/takt.service")
    let words = try #require(unit.firstMatch(of: #/\nExecReload=(\S+) (.+)/#))
    #expect(words.1.hasSuffix("/takt") && words.2.hasSuffix("/jobs.yaml"), "\(words.0)")
    let reload = try live.folder.takt(
      words.2.split(separator: " ").dropLast().map(String.init) + ["jobs.yaml"])
    #expect(reload.status == 78 && reload.errors.contains("unknown key 'evry'"), "\(reload)")
    try live.folder.write(
      "jobs: {a: {cron: '@yearly', run: 'true'}, b: {cron: '@yearly', run: x}}\n")
    let edited = try said()
    #expect(edited.next.contains("jobs.yaml differs from what the daemon runs"), "\(edited)")
    #expect(try live.takt("reload").status == 0)
    let after = try said()
    #expect(!after.status.contains("differs") && !after.status.contains("refused"), "\(after)")
    #expect(!after.next.contains("takt: "), "\(after)")
    #expect(try live.process.stop() == 0)
  }

  @Test func `a reload changes what changed, and a broken file changes nothing`() throws {
    let (folder, takt) = try TaktProcess.running(
      """
      jobs:
        untouched: {every: 1s, use: log, with: {message: a}}
        changed: {every: 400ms, use: log, with: {message: b}}
        gone: {every: 300ms, use: log, with: {message: c}}
      """)
    try takt.line("the first slot") { $0.job == "untouched" && $0.verdict == "ran" }
    // In the middle of the gap between two slots, a moment that is no multiple of the period.
    try takt.line("a slot of the fast job") { $0.job == "changed" && $0.verdict == "ran" }

    try folder.write(
      """
      # another comment, another order
      jobs:
        added: {every: 250ms, use: log, with: {message: d}}
        changed: {every: 700ms, use: log, with: {message: b}}
        untouched: {every: 1000ms, use: log, with: {message: a}}
      """)
    takt.signal(SIGHUP)
    try takt.line("the reload") { $0.message == "reloaded" }
    let reloadedAt = takt.lines.count
    try takt.line("three more slots") { $0.job == "untouched" && $0.verdict == "ran" }
    try takt.line("three more slots") { $0.job == "untouched" && $0.verdict == "ran" }

    try folder.write(
      """
      jobs:
        untouched: {every: 1s, use: log, with: {message: a}}
        changed:
          evry: 5s
          use: log
      """)
    takt.signal(SIGHUP)
    let refusal = try takt.line("the refusal") { $0.event == "reload" && $0.level == "error" }
    #expect(refusal.message?.contains("jobs.yaml:4:5: error: unknown key 'evry'") == true)
    try takt.line("the old set") { $0.job == "added" && $0.verdict == "ran" }
    try takt.line("the old set") { $0.job == "untouched" && $0.verdict == "ran" }
    #expect(try takt.stop() == 0)

    let plan = takt.lines.filter { $0.event == "plan" }
    #expect(plan.filter { $0.change == "removed" }.map(\.job) == ["gone"])
    #expect(plan.filter { $0.change == "added" }.map(\.job) == ["added"])
    #expect(plan.filter { $0.change == "rearmed" }.map(\.job) == ["changed"])
    #expect(plan.first { $0.change == "kept" }?.count == 1)
    #expect(steps(of: "untouched", in: takt.lines[...]).allSatisfy { $0 == 1000 })
    let after = takt.lines[reloadedAt...]
    #expect(steps(of: "changed", in: after).allSatisfy { $0 == 700 })
    #expect(steps(of: "added", in: after).allSatisfy { $0 == 250 })
    #expect(!after.contains { $0.job == "gone" && ($0.event == "slot" || $0.event == "run") })
  }

  /// The gaps between a job's slots, in milliseconds.
  private func steps(of job: String, in lines: ArraySlice<TaktProcess.Line>) -> [Int64] {
    let slots = lines.filter { $0.event == "slot" && $0.job == job }
      .flatMap { [$0.slot, $0.slot_last] }.compactMap(milliseconds)
    return zip(slots.dropFirst(), slots).map(-)
  }

  /// Waits until the process has asked the system for changes of a folder.
  private static func awaitWatch(of path: String, by takt: TaktProcess) throws {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    let number = try #require(attributes[.systemFileNumber] as? Int)
    let watch = "ino:" + String(number, radix: 16) + " "
    let descriptors = "/proc/\(takt.pid)/fdinfo/"
    let end = Date() + 60
    while Date() < end {
      for name in try FileManager.default.contentsOfDirectory(atPath: descriptors) {
        let text = try? String(contentsOfFile: descriptors + name, encoding: .utf8)
        if text?.split(separator: "\n").contains(where: {
          $0.hasPrefix("inotify") && $0.contains(watch)
        }) == true {
          return
        }
      }
      usleep(1000)
    }
    Issue.record("the folder is not watched")
  }

  @Test func `with --watch a folder in the place of the one before is read`() throws {
    let folder = try TemporaryFolder()
    let next = try TemporaryFolder()
    try folder.write("jobs: {tick: {every: 1h, use: log, with: {message: a}}}\n")
    try next.write("jobs: {tock: {every: 1h, use: log, with: {message: a}}}\n")
    let takt = try TaktProcess(["run", "--watch"], in: folder)
    try takt.line("the start") { $0.event == "timer" && $0.job == "tick" }
    let (path, old) = (folder.url.path, folder.url.path + ".old")
    try Self.awaitWatch(of: path, by: takt)
    defer { try? FileManager.default.removeItem(atPath: old) }
    #expect(rename(path, old) == 0 && rename(next.url.path, path) == 0)
    try takt.line("the new job") { $0.change == "added" && $0.job == "tock" }
    #expect(try takt.stop() == 0)
  }

  @Test func `with --watch a file that an editor replaces is reloaded`() throws {
    let folder = try TemporaryFolder("jobs: {tick: {every: 1h, use: log, with: {message: a}}}\n")
    let takt = try TaktProcess(["run", "--watch"], in: folder)
    try takt.line("the start") { $0.event == "timer" && $0.job == "tick" }
    try folder.write("jobs: {tock: {every: 1h, use: log, with: {message: a}}}\n")
    try takt.line("the reload") { $0.message == "reloaded" }
    let plan = takt.lines.filter { $0.event == "plan" && $0.job != nil }
    #expect(plan.map(\.change) == ["removed", "added"])
    // A job that looks renamed is reported as another one.
    #expect(takt.lines.contains { $0.message?.contains("looks like 'tick' renamed") == true })
    #expect(try takt.stop() == 0)
  }

  @Test func `a run may ask for the reload itself`() throws {
    let takt = try TaktProcess.running("jobs: {again: {on: start, run: 'kill -HUP $PPID'}}\n")
      .process
    try takt.line("the reload") { $0.message == "reloaded" }
    #expect(try takt.stop() == 0)
  }

  @Test func `a thousand reloads lose no slot, no memory and no descriptor`() throws {
    let folder = try TemporaryFolder()
    // 200 jobs of 10 ms to 1 s; the even ones are never touched.
    func file(_ generation: Int) -> String {
      "jobs:\n"
        + (0..<200).map { index in
          let base = 10 + index * 5 - index % 2 * (generation % 2) * 3
          return "  j\(index): {every: \(max(10, base))ms, use: log, with: {message: x}}\n"
        }.joined()
    }
    try folder.write(file(0))
    let takt = try TaktProcess(["run"], in: folder)
    takt.ignoredEvents = ["timer", "run", "output"]
    try takt.line("the start") { $0.verdict == "ran" }
    var early = (descriptors: 0, bytes: 0)
    for reload in 1...1000 {
      try folder.write(file(reload))
      takt.signal(SIGHUP)
      try takt.line("reload \(reload)") { $0.message == "reloaded" }
      // By then the memory of past events is full.
      if reload == 500 { early = (takt.descriptorCount, takt.residentBytes) }
    }
    let late = (descriptors: takt.descriptorCount, bytes: takt.residentBytes)
    #expect(try takt.stop() == 0)

    #expect(late.descriptors == early.descriptors)
    // Half of 200 jobs are rearmed by each of 500 reloads: only this few bytes may remain for each.
    // The memory that a process returns from its heap differs by as much.
    #expect(late.bytes - early.bytes < 500 * 100 * 320, "\(early) → \(late)")
    #expect(takt.lines.count { $0.message == "reloaded" } == 1000)
    for index in stride(from: 0, to: 200, by: 2) {
      let period = Int64(10 + index * 5)
      // A slot that waited for a free place is decided after later ones.
      let series = takt.lines.filter { $0.event == "slot" && $0.job == "j\(index)" }
        .compactMap { line in milliseconds(line.slot).map { ($0, Int64(line.count ?? 1)) } }
        .sorted { $0.0 < $1.0 }
      let isUnbroken = zip(series.dropFirst(), series).allSatisfy {
        $0.0 == $1.0 + $1.1 * period
      }
      #expect(isUnbroken && series.count > 3, "j\(index): \(series)")
    }
  }
}
