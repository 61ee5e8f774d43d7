import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig
import TaktTime

struct SpecBuilderTests {
  static let badValues: [String] = [
    "badDuration | every: »30, run: x",
    "badDuration | every: »0, run: x",
    "badDuration | every: »-5s, run: x",
    "badDuration | every: »1.5ms, run: x",
    "badDuration | every: »5 s, run: x",
    "badDuration | every: »200y, run: x",
    "badDuration | every: »9999999999999999999w, run: x",
    "badDuration | every: »1h30, run: x",
    "outOfRange | every: »0s, run: x",
    "wrongType | every: »[1s], run: x",
    "wrongType | every: »{a: 1s}, run: x",
    "wrongType | every: »null, run: x",
    "badDuration | every: 1s, first: »later, run: x",
    "badChoice | every: 1s, from: »middle, run: x",
    "badChoice | every: 1s, align: »day, run: x",
    "conflictingKeys | every: 1s, from: end, »align: epoch, run: x",
    "conflictingKeys | every: 1s, align: epoch, »first: 1s, run: x",
    "missingKey | on: start, »first: 1s, run: x",
    "missingKey missingKey | on: start, »from: end, »align: epoch, run: x",
    "badInstant | at: »tomorrow, run: x",
    "badInstant | at: »2026-12-24, run: x",
    "badInstant | at: »2026-02-29T10:00, run: x",
    "badInstant | at: »2026-12-24T24:00, run: x",
    "badInstant | at: »2026-12-24T18:00:60, run: x",
    "badInstant | at: »2026-12-24T18:00:00.1, run: x",
    "badInstant | at: »2026-12-24T18:00+1, run: x",
    "badInstant | at: »2026-12-24T18:00+24:00, run: x",
    "badInstant badInstant | at: [»x, 2026-12-24T18:00, »y], run: x",
    "outOfRange | at: »1969-12-31T23:59, run: x",
    "outOfRange | at: »2201-01-01T00:00, run: x",
    "outOfRange | at: »1970-01-01T00:30+01:00, run: x",
    "badValue | at: »[], run: x",
    "badChoice | on: »bood, run: x",
    "badChoice | on: [start, »relod], run: x",
    "badDuration | every: 1s, leeway: »10, run: x",
    "badPercent | every: 1s, leeway: »x%, run: x",
    "outOfRange | every: 1s, leeway: »101%, run: x",
    "outOfRange | every: 10s, leeway: »10s, run: x",
    "wrongType | every: 1s, run: »",
    "badValue | every: 1s, run: »\"\"",
    "badValue | every: 1s, run: »\"  \"",
    "badValue | every: 1s, run: »[]",
    "badValue | every: 1s, run: [»\"\", x]",
    "badValue | every: 1s, run: »\"a\\0b\"",
    "wrongType | every: 1s, run: [x, »null]",
    "wrongType | every: 1s, run: [x, »[y]]",
    "conflictingKeys | every: 1s, run: x, »use: log",
    "missingKey | every: 1s, run: x, »with: {message: x}",
    "unknownAction | every: 1s, use: »lgo",
    "unknownParameter | every: 1s, use: log, with: {»mesage: x}",
    "badChoice | every: 1s, use: log, with: {level: »loud}",
    "missingParameter | every: 1s, use: mail, »with: {to: x}",
    "missingParameter missingParameter | every: 1s, use: »»mail",
    "wrongType | every: 1s, use: mail, with: »[x]",
    "wrongType | every: 1s, use: log, with: {message: »[x]}",
    "conflictingKeys | every: 1s, run: [x], »shell: /bin/bash",
    "conflictingKeys | every: 1s, use: log, »shell: /bin/bash",
    "conflictingKeys | every: 1s, run: [x], »direct: false",
    "conflictingKeys | every: 1s, use: log, »direct: true",
    "badBoolean | every: 1s, run: x, direct: »no",
    "badValue | every: 1s, run: x, shell: »~/bin/sh",
    "badValue | every: 1s, run: x, shell: [»\"\", -c]",
    "badName | every: 1s, run: x, env: {»A-B: x}",
    "badName | every: 1s, run: x, env: {»1A: x}",
    "badName | every: 1s, run: x, env: {»\"\": x}",
    "wrongType | every: 1s, run: x, env: {A: »[x]}",
    "wrongType | every: 1s, run: x, env: {A: »}",
    "badValue | every: 1s, run: x, env: {A: »null}",
    "badValue | every: 1s, run: x, env: {A: »\"x\\0\"}",
    "wrongType | every: 1s, run: x, env: »[A]",
    "wrongType | every: 1s, run: x, cwd: »~",
    "badValue | every: 1s, run: x, cwd: »~/x",
    "badValue | every: 1s, run: x, cwd: »\"\"",
    "outOfRange | every: 1s, run: x, timeout: »0s",
    "wrongType | every: 1s, run: x, timeout: »",
    "wrongType | every: 1s, run: x, kill: »TERM",
    "badChoice | every: 1s, run: x, kill: {signal: »SIGTERM}",
    "unknownKey | every: 1s, run: x, kill: {»signl: TERM}",
    "misplacedKey | every: 1s, run: x, kill: {»timeout: 5s}",
    "badChoice | every: 1s, run: x, qos: »high",
    "badChoice | every: 1s, run: x, overlap: »wait",
    "badBoolean | every: 1s, run: x, enabled: »yes",
    "badBoolean | every: 1s, run: x, enabled: »\"true\"",
    "misplacedKey | every: 1s, run: x, »signal: TERM",
  ]

  @Test(arguments: badValues)
  func `a bad value is reported at its place`(row: String) throws {
    try check(badRow: row) { "jobs:\n  a: {" + $0 + "}\n" }
  }

  static let badJobs: [String] = [
    "missingKey | »a: {run: x}", "missingKey | »a: {every: 1s}",
    "missingKey missingKey | »»a: {description: nothing}", "badName | »a b: {every: 1s, run: x}",
    "badName | »-a: {every: 1s, run: x}", "badName badDuration | »ä: {every: »3, run: x}",
  ]

  @Test(arguments: badJobs)
  func `a bad job is reported at its name`(row: String) throws {
    try check(badRow: row) { "jobs:\n  " + $0 + "\n" }
  }

  @Test func `an interval is counted from where the job says`() throws {
    func every(_ keys: String) throws -> Every? {
      try spec(keys + ", run: x").timing.schedule.every
    }
    #expect(try every("every: 1h30m") == Every(.seconds(5400)))
    #expect(try every("every: 1ms, from: start") == Every(.milliseconds(1)))
    #expect(try every("every: 1s, from: end") == Every(.seconds(1), from: .end))
    #expect(try every("every: 1s, align: epoch") == Every(.seconds(1), from: .epoch))
    #expect(try every("every: 1s, align: epoch, from: start") == Every(.seconds(1), from: .epoch))
    #expect(try every("every: 1s, first: now") == Every(.seconds(1), first: .zero))
    #expect(
      try every("every: 1s, first: 3s, from: end")
        == Every(.seconds(1), from: .end, first: .seconds(3)))
  }

  @Test(arguments: [
    "2026-12-24T18:00 | 2026-12-24T18:00:00.000Z", "2026-12-24 18:00 | 2026-12-24T18:00:00.000Z",
    "2026-12-24T18:00:05 | 2026-12-24T18:00:05.000Z",
    "2026-12-24T18:00:05.250 | 2026-12-24T18:00:05.250Z",
    "2026-12-24T18:00Z | 2026-12-24T18:00:00.000Z",
    "2026-12-24T18:00+01:00 | 2026-12-24T17:00:00.000Z",
    "2026-12-24T18:00:05.250-05:30 | 2026-12-24T23:30:05.250Z",
    "1970-01-01T00:00 | 1970-01-01T00:00:00.000Z", "2200-12-31T23:59 | 2200-12-31T23:59:00.000Z",
  ])
  func `an instant is read`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    let at = try spec("at: \"\(parts[0])\", run: x").timing.schedule.at
    #expect(at.map { $0.rfc3339() } == [parts[1]])
    #expect(try spec("at: \(parts[0]), run: x").timing.schedule.at == at)
  }

  @Test(arguments: [
    "2026-07-01T12:00 | 2026-07-01T10:00:00.000Z | ",
    "2026-03-29T02:30 | 2026-03-29T01:00:00.000Z | does not exist",
    "2026-10-25T02:30 | 2026-10-25T00:30:00.000Z | occurs twice",
    "2026-10-25T02:30+01:00 | 2026-10-25T01:30:00.000Z | ",
  ])
  func `an instant without an offset is read in the file's zone`(row: String) throws {
    let parts = row.split(separator: " | ", omittingEmptySubsequences: false).map(String.init)
    let loaded = load(
      "scheduler: {timezone: Europe/Berlin}\njobs: {a: {at: \(parts[0]), run: x}}\n")
    let at = try #require(loaded.snapshot).jobs[0].timing.schedule.at
    #expect(at.map { $0.rfc3339() } == [parts[1]])
    #expect(loaded.diagnostics.map(\.severity) == (parts[2].isEmpty ? [] : [.warning]))
    #expect(loaded.diagnostics.allSatisfy { $0.message.contains(parts[2]) })
    #expect(loaded.diagnostics.allSatisfy { $0.code == .ambiguousTime })
  }

  @Test(arguments: ["env: {A: b}", "cwd: /", "kill: {signal: INT}"])
  func `what describes a process is warned of beside a built-in`(key: String) {
    let loaded = load("jobs: {a: {every: 1s, use: log, with: {message: x}, \(key)}}\n")
    #expect(loaded.snapshot?.jobs.count == 1)
    #expect(loaded.diagnostics.map(\.severity) == [.warning])
    #expect(loaded.diagnostics.allSatisfy { $0.message.contains("has no effect") })
  }

  @Test func `several triggers are combined`() throws {
    let schedule = try spec(
      "every: 1s, at: [2026-12-24T18:00Z, 2026-12-24T17:00Z], on: [start, reload], run: x"
    ).timing.schedule
    #expect(schedule.every == Every(.seconds(1)))
    #expect(schedule.at.count == 2 && schedule.at[0] < schedule.at[1])
    #expect(schedule.on == [.start, .reload])
  }

  @Test(
    arguments: [
      ("10%", .percent(10)), ("2.5%", .percent(2.5)), ("0%", .percent(0)), ("100%", .percent(100)),
      ("0s", .none), ("999ms", .duration(.milliseconds(999))),
    ] as [(String, Leeway)])
  func `leeway is a duration or a share`(text: String, leeway: Leeway) throws {
    #expect(try spec("every: 1s, leeway: \(text), run: x").timing.leeway == leeway)
  }

  @Test func `a text goes to the shell and a list is a program`() throws {
    #expect(try spec("on: start, run: a | b").action == .shell("a | b"))
    #expect(try spec("on: start, run: true").action == .shell("true"))
    #expect(
      try spec("on: start, run: [sleep, 010, 1.50, yes, \"\"]").action
        == .argv(["sleep", "010", "1.50", "yes", ""]))
  }

  @Test func `parameters that are left out have their defaults`() throws {
    #expect(
      try spec("on: start, use: log, with: {message: 5}").action
        == .use("log", ["message": .string("5"), "level": .string("info")]))
    #expect(
      try spec("on: start, use: log").action
        == .use("log", ["message": .string("tick"), "level": .string("info")]))
  }

  @Test func `a run is done as its keys say`() throws {
    let job = try spec(
      """
      on: start, run: x, shell: /bin/bash, env: {A: 010, B: yes, C: "", D: 0x10}, cwd: /srv/./data,
      timeout: 5m, kill: {signal: INT, grace: 1s}, qos: background, overlap: allow, enabled: false,
      description: Says x
      """)
    #expect(
      job.execution
        == Execution(
          shell: ["/bin/bash", "-c"], environment: ["A": "010", "B": "yes", "C": "", "D": "0x10"],
          directory: "/srv/data", timeout: .seconds(300),
          stop: StopPolicy(signal: .interrupt, grace: .seconds(1)), qos: .background))
    #expect(job.overlap == .allow)
    #expect(job.timing.isEnabled == false)
    #expect(job.summary == "Says x")
    #expect(try spec("on: start, run: x, shell: [bash, -euc]").execution.shell == ["bash", "-euc"])
  }

  @Test func `a run starts in the folder of its file unless told otherwise`() throws {
    let folder = TemporaryFolder()
    let path = folder.write(
      "jobs:\n  a: {on: start, run: x}\n  b: {on: start, run: x, cwd: sub/../c}\n",
      to: "jobs.yaml")
    let jobs = try #require(loader.load(path: path).snapshot).jobs
    #expect(jobs.map(\.execution.directory) == [folder.path, folder["sub/../c"]])
  }
}
