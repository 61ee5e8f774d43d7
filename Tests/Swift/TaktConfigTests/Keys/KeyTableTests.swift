import Foundation
import Glibc
import TaktCore
import TaktSystem
import TaktTesting
import TestSupport
import Testing

@testable import TaktConfig

struct KeyTableTests {
  static let holidays = Repository.path("Tests/Data/calendars/holidays.ics")

  private static let root = KeyTable.root.map(\.name)
  private static let scheduler = KeyTable.scheduler.map { "scheduler." + $0.name }
  private static let parts = KeyTable.parts.flatMap { part in
    part.entries.map { part.path + "." + $0.name }
  }
  private static let ofFile = parts.filter {
    $0.hasPrefix("scheduler.") || $0.hasPrefix("calendars.")
  }
  private static let job = KeyTable.job.map(\.name) + parts.filter { !ofFile.contains($0) }

  @Test(arguments: root + scheduler + ofFile)
  func `each key of the file is taken`(key: String) throws {
    let row = try #require(Self.accepting[key] ?? Self.ofScheduler[key], "no row for the key")
    let loaded = load(row + (key == "jobs" ? "\n" : "\njobs: {}\n"))
    #expect(loaded.diagnostics.map(\.message) == ["there are no jobs to run"])
    #expect(loaded.snapshot != nil)
  }

  @Test(arguments: job) func `each key of a job is taken`(key: String) throws {
    let row = try #require(Self.accepting[key], "no row for the key")
    _ = try spec(row, before: Self.scheduler(for: key))
  }

  static let groups =
    "scheduler: {concurrency: {db: 2}}\ncalendars: {holidays: {dates: [2099-12-25]}}"

  /// The keys under `scheduler` that a job with the key needs.
  private static func scheduler(for key: String) -> String {
    ["machines", "on_partition", "on_lease_lost"].contains(key)
      ? "scheduler: {cluster: {engine: postgres}}" : groups
  }

  /// `for_each` and `name` add and remove jobs, which has tests of its own.
  @Test(arguments: KeyTable.job.filter { $0.reload != nil })
  func `a reload does what the table says of each key`(
    entry: KeyEntry
  ) throws {
    let row = try #require(Self.changes[entry.name], "no row for the key")
    let plan = try plan(from: row.before, to: row.after)
    let expected: ReloadPlan.Change = entry.reload == .rearms ? .rearmed : .updated
    #expect(plan.steps.map(\.change) == [expected])
    // The contents of a file of variables are part of the environment by then.
    // The way of reading clock rules is shown with them.
    let shown =
      switch entry.name {
      case "env_file": "env"
      case "timezone", "days", "dst", "nth", "working_day": "cron"
      default: entry.name
      }
    #expect(plan.steps.flatMap(\.details).contains { $0.key == shown })
  }

  private func plan(from before: String, to after: String) throws -> ReloadPlan {
    let folder = TemporaryFolder()
    let snapshots = try [before, after].map { keys in
      let text =
        Self.groups + "\njobs: {a: {\(keys)}, k: {on: start, run: x}, m: {on: start, run: x}}\n"
      let path = folder.write(Array(text.utf8), to: "jobs.yaml")
      return try #require(loader.load(path: path).snapshot)
    }
    return ReloadPlan(from: snapshots[0], to: snapshots[1])
  }

  @Test(arguments: parts.filter { !ofFile.contains($0) })
  func `a plan tells of every key inside a mapping`(path: String) throws {
    let row = try #require(Self.innerChanges[path], "no row for the key")
    let key = path.hasPrefix("hook.") ? "on_failure" : String(path.prefix { $0 != "." })
    let others =
      switch key {
      case "steps": "on: start, "
      case "spread", "dst", "nth", "working_day": "cron: '@daily', run: x, "
      case "after", "watch", "on": "run: x, "
      default: "on: start, run: x, "
      }
    let (before, after) = (others + "\(key): \(row.before)", others + "\(key): \(row.after)")
    let plan = try plan(from: before, to: after)
    // A command also has the default of a parameter in its environment.
    let besides = path == "params.default" ? ["env"] : []
    #expect(
      plan.steps.flatMap(\.details).map(\.key)
        == besides + [["dst", "nth", "working_day"].contains(key) ? "cron" : key])
  }

  @Test(arguments: KeyTable.job.filter(\.isAllowedInDefaults).map(\.name))
  func `each key that is allowed in defaults has an effect there`(key: String) throws {
    let row = try #require(Self.accepting[key])
    let text = key == "leeway" ? "leeway: 10%" : String(try #require(own(key, in: row)))
    let before = Self.scheduler(for: key) + "\ndefaults: {\(text)}"
    _ = try spec("every: 1s, run: x", before: before)
    let bare = try spec("every: 1s, run: x, \(key): null", before: before)
    let none = try spec("every: 1s, run: x", before: Self.scheduler(for: key))
    #expect(bare.inFolder("/") == none.inFolder("/"))
  }

  /// The key with its value at the end of a row.
  private func own(_ key: String, in row: String) -> Substring? {
    row.ranges(of: " \(key): ").last.map { row[$0.lowerBound...].dropFirst() }
  }

  @Test(arguments: KeyTable.job.filter { !$0.isAllowedInDefaults }.map(\.name))
  func `no other key is allowed in defaults`(key: String) {
    let loaded = load("defaults: {\(key): x}\njobs: {}\n")
    #expect(rows(loaded.diagnostics) == ["1:12 misplacedKey"])
  }

  @Test func `no name stands twice in a table, and each has a sentence`() {
    let tables = [KeyTable.root, KeyTable.scheduler, KeyTable.job]
    for table in tables + KeyTable.parts.map(\.entries) {
      #expect(Set(table.map(\.name)).count == table.count)
      #expect(table.allSatisfy { $0.summary.hasSuffix(".") && !$0.summary.contains("|") })
    }
  }

  @Test func `the docs show the table as it is`() throws {
    let path = Repository.path("docs/jobs-file.md")
    let reader = FileReader(bound: 1 << 20)
    let text = try reader.read(path, as: .include).bytes.withBytes {
      String(decoding: $0, as: UTF8.self)
    }
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
