import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig
import TaktTime

/// Triggers besides clock rules, and the keys that bound and delay slots, in a file.
@Suite struct TriggersTests {
  @Test func `what a file says is what the schedule is`() throws {
    let spec = try spec(
      """
      every: 1h, after: [{job: other, on: any}], watch: {path: in, debounce: 2s},
      not_before: '2026-12-24T18:00+01:00', until: 2099-01-01T00:00Z, limit: 3,
      except: ['Sat,Sun', '12..13:*:*'], spread: {over: 10m, by: host}, jitter: 1m, run: x
      """)
    let schedule = spec.timing.schedule
    #expect(schedule.after == [Following(try #require(JobName("other")), on: .any)])
    let watch = try #require(schedule.watch.first)
    #expect(watch.path.hasPrefix("/") && watch.path.hasSuffix("/in"))
    #expect(watch.debounce == .seconds(2))
    #expect(schedule.notBefore?.rfc3339() == "2026-12-24T17:00:00.000Z")
    #expect(schedule.until?.rfc3339() == "2099-01-01T00:00:00.000Z")
    #expect(schedule.limit == 3)
    #expect(schedule.exclusions.map(\.isWholeDays) == [true, false])
    #expect(spec.timing.jitter == .seconds(60))
    #expect(spec.timing.spread?.over == .seconds(600))
    #expect(spec.timing.spread?.seed.hasPrefix("a@") == true)
  }

  @Test func `a job that only runs by hand has no trigger, and says so`() throws {
    for text in ["manual", "[manual]"] {
      let schedule = try spec("on: \(text), run: x").timing.schedule
      #expect(schedule.isManual && schedule == Schedule(), "\(text)")
      #expect(schedule.summary == "on manual" && schedule.words == ["only by hand"])
    }
    #expect(try !spec("on: start, run: x").timing.schedule.isManual)
  }

  @Test func `the words of a watched folder say what counts in it`() throws {
    for (keys, words) in [
      ("", "/in"), (", recursive: true", "/in or a folder below"),
      (", pattern: ['*.csv', 'a/*'], recursive: true", "/in or a folder below"),
    ] {
      let said = try spec("watch: {path: /in\(keys)}, run: x").timing.schedule.words
      let what = keys.contains("pattern") ? "*.csv or a/* in " : ""
      #expect(said == ["when \(what)\(words) changes, after 1s without another change"])
    }
  }

  @Test(arguments: [
    "on: manual, »limit: 3, run: x", "on: manual, »except: Sat, run: x",
    "on: manual, »missed: {policy: last}, run: x", "on: manual, »jitter: 1m, run: x",
  ])
  func `what a job without slots has no use for is a warning`(keys: String) {
    let marked = MarkedText("jobs: {a: {\(keys)}}")
    let loaded = load(marked.text)
    #expect(loaded.snapshot != nil)
    #expect(rows(loaded.diagnostics) == ["\(marked.places[0]) conflictingKeys"])
    #expect(load("defaults: {jitter: 1m}\njobs: {a: {on: manual, run: x}}\n").diagnostics == [])
  }

  @Test(arguments: [
    "missingKey | after: »{on: any}, run: x", "badName | after: {job: »a/b}, run: x",
    "badChoice | after: {job: b, on: »never}, run: x",
    "missingKey | watch: »{debounce: 1s}, run: x",
    "badValue | watch: {path: a, pattern: »/b}, run: x",
    "badValue | watch: {path: a, pattern: ['*.csv', »'x//y']}, run: x",
    "badValue | watch: {path: a, pattern: »'../b'}, run: x",
    "badValue | watch: {path: a, pattern: »'a**'}, run: x",
    "badValue | watch: {path: a, pattern: »[]}, run: x",
    "badValue | watch: {path: a, pattern: »''}, run: x",
    "badBoolean | watch: {path: a, recursive: »deep}, run: x",
    "outOfRange | every: 1s, limit: »0, run: x",
    "badInstant | every: 1s, until: »2026-12-24, run: x",
    "neverRuns | every: 1s, not_before: 2099-01-02T00:00, until: »2099-01-01T00:00, run: x",
    "neverRuns | at: »2098-01-01T00:00, not_before: 2099-01-01T00:00, run: x",
    "badSchedule | every: 1s, except: »Sam, run: x",
    "unknownZone | every: 1s, except: »Sat Mars/X, run: x",
    "outOfRange | every: 10s, spread: »10s, run: x",
    "outOfRange | every: 10s, jitter: »10s, run: x",
    "outOfRange | every: 10s, spread: 4s, jitter: 4s, leeway: »2s, run: x",
    "missingKey | every: 10s, spread: »{by: host}, run: x",
    "missingKey | on: start, »phase: restart, run: x",
    "conflictingKeys | every: 1s, from: end, »phase: restart, run: x",
    "conflictingKeys | on: [»manual, boot], run: x",
    "conflictingKeys | on: [{boot: 5m}, »manual], run: x",
    "conflictingKeys | on: »manual, cron: '0 3 * * *', run: x",
    "conflictingKeys | on: »manual, watch: {path: /srv/in}, run: x",
    "badChoice | on: »manually, run: x",
    "badDuration | every: 10s, spread: »5, run: x", "wrongType | every: 10s, spread: »[1s], run: x",
  ])
  func `a bad value is reported at its place`(row: String) throws {
    try check(badRow: row) { "jobs: {a: {\($0)}}" }
  }

  @Test(arguments: [
    "cron: '*/5 * * * *', spread: 4m, leeway: 2m | outOfRange",
    "calendar: '*:0/10', leeway: 10m | outOfRange",
    "every: 1s, until: 2020-01-01T00:00 | neverRuns",
    "cron: '*/5 * * * *', spread: 3m, leeway: 1m | ", "watch: {path: '*.csv'} | suspicious",
  ])
  func `what will be cut, and what is past, is a warning`(row: String) throws {
    let parts = row.split(separator: " | ", omittingEmptySubsequences: false).map(String.init)
    let loaded = load("jobs: {a: {\(parts[0]), run: x}}\n")
    #expect(loaded.snapshot != nil)
    #expect(loaded.diagnostics.map(\.code.rawValue) == (parts[1].isEmpty ? [] : [parts[1]]))
  }

  @Test func `a job that is followed must exist, in any file`() throws {
    let folder = TemporaryFolder()
    folder.write("jobs:\n  child: {after: {job: parent}, run: x}\n", to: "more.yaml")
    let main = "include: more.yaml\njobs:\n  parent: {on: start, run: x}\n"
    let path = folder.write(main, to: "jobs.yaml")
    #expect(loader.load(path: path).snapshot?.jobs.count == 2)
    folder.write("jobs:\n  child: {after: {job: parnt}, run: x}\n", to: "more.yaml")
    let bad = loader.load(path: path)
    #expect(bad.snapshot == nil)
    #expect(rows(bad.diagnostics) == ["2:24 unknownJob"])
    #expect(bad.diagnostics.first?.hint == "did you mean 'parent'?")
  }

  @Test func `jobs that wait for each other are named`() throws {
    let loaded = load(
      """
      jobs:
        a: {after: {job: c}, run: x}
        b: {after: [{job: a}, {job: free}], run: x}
        c: {after: {job: b, on: any}, run: x}
        free: {on: start, run: x}
        self: {after: {job: self}, run: x}
        leaf: {after: [{job: a}, {job: b}, {job: self}], run: x}
      """)
    #expect(loaded.snapshot == nil)
    #expect(loaded.diagnostics.map(\.code) == [.followingCycle, .followingCycle])
    let messages = loaded.diagnostics.map(\.message)
    #expect(messages.contains { $0.contains("a → c → b → a") }, "\(messages)")
    #expect(messages.contains { $0.contains("self → self") })
  }

  @Test func `a chain as long as the file is followed to its end`() {
    let links = (1...20_000).map { "  j\($0): {after: {job: j\($0 - 1)}, run: x}" }
    let loaded = load("jobs:\n  j0: {on: start, run: x}\n" + links.joined(separator: "\n") + "\n")
    #expect(loaded.snapshot?.jobs.count == 20_001)
  }

  @Test func `boot needs a ledger`() {
    let loaded = load("scheduler: {state: none}\njobs: {a: {on: boot, run: x}}\n")
    #expect(loaded.diagnostics.map(\.code) == [.conflictingKeys])
  }

  @Test func `exclusions are allowed in defaults, and null removes them`() throws {
    let before = "defaults: {except: Sat, spread: 100ms}"
    let own = try spec("every: 1s, run: x", before: before)
    #expect(own.timing.schedule.exclusions.count == 1 && own.timing.spread != nil)
    let bare = try spec("every: 1s, run: x, except: null, spread: null", before: before)
    #expect(bare.timing.schedule.exclusions.isEmpty && bare.timing.spread == nil)
  }
}
