import Glibc
import TaktCore
import Testing

@testable import TaktConfig

struct KeyTableTests {
  /// One row for each key: a text that has it, and is taken.
  private static let accepting: [String: String] = [
    "scheduler": "scheduler: {}", "defaults": "defaults: {}", "include": "include: none/*.yaml",
    "jobs": "jobs: {}", "x-…": "x-anything: [1, {a: b}]",
    "scheduler.timezone": "scheduler: {timezone: Europe/Berlin}",
    "scheduler.max_running": "scheduler: {max_running: 10000}",
    "scheduler.shutdown_grace": "scheduler: {shutdown_grace: 0s}",
    "every": "every: 1ms, run: x", "first": "every: 1s, first: now, run: x",
    "from": "every: 1s, from: end, run: x", "align": "every: 1s, align: epoch, run: x",
    "at": "at: 2026-12-24T18:00, run: x", "on": "on: [start, reload], run: x",
    "leeway": "every: 1s, leeway: 10%, run: x", "run": "on: start, run: [a, b]",
    "use": "on: start, use: log", "with": "on: start, use: log, with: {level: debug}",
    "shell": "on: start, run: x, shell: [sh, -c]", "env": "on: start, run: x, env: {A: b}",
    "cwd": "on: start, run: x, cwd: /", "timeout": "on: start, run: x, timeout: 1ms",
    "kill": "on: start, run: x, kill: {}", "qos": "on: start, run: x, qos: user-interactive",
    "overlap": "on: start, run: x, overlap: allow",
    "enabled": "on: start, run: x, enabled: false",
    "description": "on: start, run: x, description: \"\"",
    "kill.signal": "on: start, run: x, kill: {signal: USR2}",
    "kill.grace": "on: start, run: x, kill: {grace: 0s}",
  ]

  private static let root = KeyTable.root.map(\.name)
  private static let scheduler = KeyTable.scheduler.map { "scheduler." + $0.name }
  private static let job =
    KeyTable.job.map(\.name) + KeyTable.kill.map { "kill." + $0.name }

  @Test(arguments: root + scheduler) func `each key of the file is taken`(key: String) throws {
    let row = try #require(Self.accepting[key], "no row for the key")
    let loaded = load(row + (key == "jobs" ? "\n" : "\njobs: {}\n"))
    #expect(loaded.diagnostics.map(\.message) == ["there are no jobs to run"])
    #expect(loaded.snapshot != nil)
  }

  @Test(arguments: job) func `each key of a job is taken`(key: String) throws {
    let row = try #require(Self.accepting[key], "no row for the key")
    _ = try spec(row)
  }

  /// One row for each key: the same job before and after a change of that key alone.
  private static let changes: [String: (before: String, after: String)] = [
    "every": ("every: 1s, run: x", "every: 2s, run: x"),
    "first": ("every: 1s, run: x", "every: 1s, first: now, run: x"),
    "from": ("every: 1s, run: x", "every: 1s, from: end, run: x"),
    "align": ("every: 1s, run: x", "every: 1s, align: epoch, run: x"),
    "at": ("at: 2026-12-24T18:00Z, run: x", "at: 2026-12-24T19:00Z, run: x"),
    "on": ("on: start, run: x", "on: reload, run: x"),
    "leeway": ("every: 1s, run: x", "every: 1s, leeway: 10%, run: x"),
    "run": ("on: start, run: x", "on: start, run: [x]"),
    "use": ("on: start, run: x", "on: start, use: log"),
    "with": ("on: start, use: log", "on: start, use: log, with: {level: debug}"),
    "shell": ("on: start, run: x", "on: start, run: x, shell: /bin/bash"),
    "env": ("on: start, run: x", "on: start, run: x, env: {A: b}"),
    "cwd": ("on: start, run: x", "on: start, run: x, cwd: /"),
    "timeout": ("on: start, run: x", "on: start, run: x, timeout: 1s"),
    "kill": ("on: start, run: x", "on: start, run: x, kill: {grace: 1s}"),
    "qos": ("on: start, run: x", "on: start, run: x, qos: utility"),
    "overlap": ("on: start, run: x", "on: start, run: x, overlap: allow"),
    "enabled": ("on: start, run: x", "on: start, run: x, enabled: false"),
    "description": ("on: start, run: x", "on: start, run: x, description: y"),
  ]

  @Test(arguments: KeyTable.job) func `a reload does what the table says of each key`(
    entry: KeyEntry
  ) throws {
    let row = try #require(Self.changes[entry.name], "no row for the key")
    let folder = TemporaryFolder()
    let snapshots = try [row.before, row.after].map { keys in
      let path = folder.write(Array("jobs: {a: {\(keys)}}\n".utf8), to: "jobs.yaml")
      return try #require(loader.load(path: path).snapshot)
    }
    let plan = ReloadPlan(from: snapshots[0], to: snapshots[1])
    let expected: ReloadPlan.Change = entry.reload == .rearms ? .rearmed : .updated
    #expect(plan.steps.map(\.change) == [expected])
    #expect(plan.steps.flatMap(\.details).contains { $0.key == entry.name })
  }

  @Test(arguments: KeyTable.job.filter(\.mayStandInDefaults).map(\.name))
  func `each key that may stand in defaults does`(key: String) throws {
    let row = try #require(Self.accepting[key])
    // The last key of the row is the one it is for.
    let own = row.drop { $0 != "," }.dropFirst().split(separator: "run: x, ").last ?? ""
    let text = key == "leeway" ? "leeway: 10%" : String(own)
    _ = try spec("every: 1s, run: x", before: "defaults: {\(text)}")
    let bare = try spec("every: 1s, run: x, \(key): null", before: "defaults: {\(text)}")
    #expect(try bare.inFolder("/") == spec("every: 1s, run: x").inFolder("/"))
  }

  @Test(arguments: KeyTable.job.filter { !$0.mayStandInDefaults }.map(\.name))
  func `no other key may stand in defaults`(key: String) {
    let loaded = load("defaults: {\(key): x}\njobs: {}\n")
    #expect(rows(loaded.diagnostics) == ["1:12 misplacedKey"])
  }

  @Test func `no name stands twice in a table, and each has a sentence`() {
    for table in [KeyTable.root, KeyTable.scheduler, KeyTable.job, KeyTable.kill] {
      #expect(Set(table.map(\.name)).count == table.count)
      #expect(table.allSatisfy { $0.summary.hasSuffix(".") && !$0.summary.contains("|") })
    }
  }

  @Test func `the docs show the table as it is`() throws {
    let path = #filePath.replacing(
      "Tests/TaktConfigTests/Keys/KeyTableTests.swift", with: "docs/jobs-file.md")
    let reader = FileReader(bound: 1 << 20, refusesWritableByOthers: false)
    let text = try reader.read(path).bytes.withBytes { String(decoding: $0, as: UTF8.self) }
    let (begin, end) = ("<!-- keys: begin -->\n", "\n<!-- keys: end -->")
    let start = try #require(text.firstRange(of: begin)).upperBound
    let stop = try #require(text.firstRange(of: end)).lowerBound
    if getenv("TAKT_WRITE_REFERENCE").map({ String(cString: $0) }) == "1" {
      let whole = text[..<start] + KeyTable.reference + text[stop...]
      let file = try #require(fopen(path, "w"))
      fputs(String(whole), file)
      fclose(file)
    } else {
      #expect(
        String(text[start..<stop]) == KeyTable.reference,
        "run the tests with TAKT_WRITE_REFERENCE=1 to write it anew")
    }
  }
}
