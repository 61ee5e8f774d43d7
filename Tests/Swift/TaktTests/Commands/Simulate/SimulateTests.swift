import Foundation
import Testing

@testable import takt

@Suite(.ownThreads) struct SimulateTests {
  private struct Verdict: Decodable, Hashable {
    var job: String
    var slot: String
    var slotLast: String?
    var verdict: String
    var reason: String?
  }

  private func verdicts(_ output: String) -> [Verdict] {
    output.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(Verdict.self, from: Data($0.utf8))
    }
  }

  /// Compares the simulation with the daemon: for a minute with `TAKT_PREDICT=60`, else for twenty
  /// seconds.
  @Test func `what is foretold is what the daemon then does`() throws {
    let seconds = ProcessInfo.processInfo.environment["TAKT_PREDICT"].flatMap(Int.init) ?? 20
    let (folder, process) = try TaktProcess.running(
      """
      scheduler: {timezone: UTC, max_running: 4}
      jobs:
        first: {on: start, run: 'true', expected: 5ms}
        second: {cron: '@every_second', run: 'true', expected: 5ms}
        third: {calendar: '*:*:0/3', run: 'true', expected: 5ms, except: '*:*:0/9'}
        grid: {every: 700ms, leeway: 200ms, run: 'true', expected: 5ms}
        overlap: {every: 2s, run: sleep 2.6, expected: 2600ms}
        queue: {every: 3s, overlap: queue, run: sleep 1.4, expected: 1400ms, limit: 4}
        replace: {every: 2500ms, overlap: replace, run: sleep 3.4, expected: 3400ms}
        spread: {every: 4s, spread: 2s, jitter: 500ms, run: 'true', expected: 5ms}
        delay: {every: 5s, from: end, limit: 2, run: 'true', expected: 5ms}
        child: {after: {job: third}, run: 'true', expected: 5ms}
        disabled: {every: 1s, enabled: false, run: 'true'}
      """)
    // The slot of `first` may be 2 ms after the start, like those of events, but `grid` depends on
    // it.
    let first = try process.line("the first slot") { $0.job == "grid" && $0.verdict == "ran" }
    let begin = try #require(milliseconds(first.slot)) - 700
    let start = instant(begin)
    var last = ""
    while (milliseconds(last) ?? 0) < begin + Int64(seconds) * 1000 {
      last = try process.line("another slot") { $0.job == "second" && $0.verdict != nil }.slot ?? ""
    }
    #expect(try process.stop() == 0)

    let foretold = try folder.takt(
      ["simulate", "--from", start, "--for", "\(seconds)s", "--slots", "--json"])
    #expect(foretold.status == 0, "\(foretold.errors)")
    // Slots that a held job has let pass are decided when takt stops.
    let atStop = ["stopping", "suspended", "limit"]
    /// Verdicts in a form to compare. Slots that depend on ends of runs differ by a few
    /// milliseconds, and are counted.
    func comparable(_ verdicts: [Verdict]) -> [String] {
      let end = begin + Int64(seconds) * 1000 - 1500
      // Ends of runs of `third` are a little after whole three seconds: the cut is far from them.
      let childEnd = end / 3000 * 3000 - 1500
      return verdicts.compactMap { verdict in
        guard let slot = milliseconds(verdict.slot),
          slot < (verdict.job == "child" ? childEnd : end),
          !atStop.contains(verdict.reason ?? "")
        else { return nil }
        let isExact = verdict.job != "child" && verdict.job != "delay"
        return "\(isExact ? verdict.slot : "") \(verdict.job) \(verdict.verdict)"
          + " \(verdict.reason ?? "")"
      }.sorted()
    }
    let done = process.lines.filter { $0.verdict != nil }.map {
      Verdict(job: $0.job ?? "", slot: $0.slot ?? "", verdict: $0.verdict ?? "", reason: $0.reason)
    }
    let (expected, found) = (comparable(verdicts(foretold.output)), comparable(done))
    #expect(expected.count > seconds * 3)
    // Only the differences of the lists are shown.
    let difference = found.difference(from: expected)
    #expect(difference.isEmpty, "\(difference.map { "\($0)" }.joined(separator: "\n"))")
  }

  @Test func `a table, JSON and a picture say the same`() throws {
    let folder = try TemporaryFolder(
      """
      scheduler: {timezone: Europe/Berlin, state: none}
      jobs:
        nightly: {cron: '30 2 * * *', run: x, expected: 20m}
        often: {every: 10m, run: x, expected: 25m}
        other: {every: 1h, run: x}
      """)
    let arguments = ["simulate", "--from", "2026-03-28T00:00", "--for", "2d", "--svg", "a.svg"]
    let table = try folder.takt(arguments)
    #expect(table.status == 0, "\(table.errors)")
    #expect(
      table.output.contains("slots 338 = ran 146 + skipped 192 + coalesced 0"), "\(table.output)")
    #expect(table.output.contains("skipped(overlap) 192"))
    let json = try folder.takt(arguments + ["--json"])
    #expect(json.output.contains(#""skipped":192"#) && json.output.contains(#""slots":338"#))
    let picture = folder.read("a.svg")
    #expect(picture.hasPrefix("<svg") || picture.hasPrefix("<?xml"))
    #expect(picture.contains("nightly") && picture.contains("UTC+1 → UTC+2"))
  }

  @Test func `faults do what they say`() throws {
    let folder = try TemporaryFolder(
      """
      scheduler: {timezone: UTC, state: none}
      jobs:
        clock: {cron: '*/10 * * * *', run: x, missed: {policy: skip}}
        grid: {every: 10m, run: x, missed: {policy: skip}}
      """)
    try folder.write("jobs:\n  new: {every: 1h, run: x}\n", to: "other.yaml")
    func reasons(_ faults: String...) throws -> String {
      let answer = try folder.takt(
        ["simulate", "--from", "2026-03-28T00:05", "--for", "5d"]
          + faults.flatMap { ["--fault", $0] })
      #expect(answer.status == 0, "\(answer.errors)")
      return answer.output
    }
    #expect(try reasons("crash=73h@+1h").contains("missed(down) 438"))
    #expect(try reasons("step=1h@+2h").contains("missed(clock) 6"))
    #expect(try reasons("sleep=1h@2026-03-28T02:05").contains("missed(asleep) 6"))
    #expect(try reasons("stall=1h@+2h").contains("missed(stalled) 6"))
    #expect(try reasons("crash=1h@+2h").contains("missed(down) 6"))
    #expect(try reasons("slow=grid:25m").contains("skipped(overlap)"))
    let reloaded = try reasons("reload=\(folder.url.path)/other.yaml@+3h")
    #expect(reloaded.contains("new "), "\(reloaded)")
    let all = try reasons("step=-3h@+3h", "sleep@+1d", "crash=1h@+2d", "stall=1h@+3d")
    for cause in ["asleep", "down", "stalled"] {
      #expect(all.contains("missed(\(cause))"), "\(all)")
    }
  }

  @Test(arguments: [
    "--for 0s | --for takes", "--for 100y | --for takes", "--fault stepp=1h | did you mean 'step'",
    "--fault step=x | step takes", "--fault slow=nobody:1m | there is no job 'nobody'",
    "--fault slow=a | slow takes", "--fault crash@noon | takes an instant",
    "--fault crash@2020-01-01T00:00 | outside",
    "--from yesterday | --from takes", "--run-time -1s | Missing value for '--run-time",
    "--svg /nowhere/a.svg | cannot write /nowhere/a.svg",
  ])
  func `what cannot be simulated is said`(row: String) throws {
    let parts = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    let folder = try TemporaryFolder("jobs:\n  a: {every: 1h, run: x}\n")
    let answer = try folder.takt(["simulate"] + parts[0].split(separator: " ").map(String.init))
    #expect(answer.status == 64 || answer.status == 74)
    #expect(answer.errors.contains(try #require(parts.dropFirst().first)), "\(answer.errors)")
  }

  @Test func `next continues from where the ledger says the jobs are`() throws {
    let (folder, process) = try TaktProcess.running(
      "jobs:\n  a: {every: 1h, first: now, run: 'true'}\n  b: {after: {job: a}, run: 'true'}\n")
    let slot = try process.line("a slot") { $0.job == "a" && $0.verdict == "ran" }.slot
    try process.line("the follower") { $0.job == "b" && $0.outcome == "succeeded" }
    #expect(try process.stop() == 0)
    let begin = try #require(milliseconds(slot))
    let next = try folder.takt(["next", "a", "-n", "2", "--json"])
    let found = verdictSlots(next.output)
    #expect(found == [begin + 3_600_000, begin + 7_200_000], "\(next)")
    let all = try folder.takt(["next", "jobs.yaml"])
    #expect(all.output.contains("b  no foreseeable slots"), "\(all)")
    #expect(try folder.takt(["next", "c"]).errors.contains("no job 'c'"))
  }

  @Test func `a command that takes one job names those that a family makes`() throws {
    let folder = try TemporaryFolder(
      "jobs:\n  backup: {for_each: {t: [a, b]}, every: 1h, run: 'true'}\n")
    let made = "'backup' is a definition with 'for_each', which makes 'backup.a', 'backup.b'"
    for command in ["next", "explain", "exec"] {
      let known = try folder.takt([command, "backup"])
      #expect(known.status == 64 && known.errors.contains(made), "\(command): \(known)")
    }
    #expect(try folder.takt(["next", "backupp"]).errors.contains("did you mean 'backup'?"))
  }

  private func verdictSlots(_ output: String) -> [Int64] {
    struct Next: Decodable { var slot: String }
    return output.split(separator: "\n").compactMap {
      (try? JSONDecoder().decode(Next.self, from: Data($0.utf8))).flatMap { milliseconds($0.slot) }
    }
  }
}
