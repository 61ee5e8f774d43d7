import Synchronization
import TaktCore
import TaktTesting
import TaktTime
import Testing

@testable import TaktConfig

/// A load that remembers the one before has the same result as one that does not.
@Suite struct LoadMemoryTests {
  /// A machine whose answers change.
  private final class Machine: ZoneSource, AccountSource, TimeSource {
    struct State {
      var wall = WallInstant(milliseconds: 1_790_000_000_000)
      var berlin = TestZones.berlin
      var hasWorker = true
    }

    let state = Mutex(State())
    var wall: WallInstant { state.withLock { $0.wall } }
    var monotonic: MonotonicInstant { MonotonicInstant(nanoseconds: 0) }
    var zoneNames: [String] { TestZones().zoneNames }

    func zone(named name: String) -> Zone? {
      name == "Europe/Berlin" ? state.withLock { $0.berlin } : TestZones().zone(named: name)
    }

    func account(for identity: UserAndGroup) -> Account? {
      if identity.user == "worker", !state.withLock({ $0.hasWorker }) { return nil }
      return TestAccounts(own: "root").account(for: identity)
    }
  }

  private struct Bench {
    let folder = TemporaryFolder()
    let machine = Machine()
    let memory = LoadMemory()

    init() { writeHoliday(25) }

    func write(_ text: String, to name: String = "jobs.yaml") { folder.write(text, to: name) }

    /// A calendar file with one day.
    func writeHoliday(_ day: Int) {
      let date = "209912" + (day < 10 ? "0\(day + 1)" : "\(day)")
      write(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:\(date)\nEND:VEVENT\nEND:VCALENDAR\n",
        to: "holidays.ics")
    }

    func load(_ memory: LoadMemory?) -> LoadedJobs {
      JobsLoader(zones: machine, accounts: machine, time: machine).load(
        path: folder["jobs.yaml"], memory: memory)
    }

    /// Loads with the memory and without it, and compares.
    @discardableResult
    func check(_ what: String) -> LoadedJobs {
      let (remembered, anew) = (load(memory), load(nil))
      #expect(remembered.snapshot?.jobs == anew.snapshot?.jobs, "\(what)")
      #expect(remembered.snapshot?.settings == anew.snapshot?.settings, "\(what)")
      #expect(remembered.diagnostics == anew.diagnostics, "\(what)")
      #expect(remembered.files == anew.files, "\(what)")
      #expect(remembered.identities == anew.identities, "\(what)")
      return remembered
    }
  }

  /// The keys of jobs, of every kind that a spec may depend on.
  private static let kinds = [
    "every: 1h, run: 'true'", "every: 1h, leeway: 5m, spread: 30m, run: 'true'",
    "every: 1h, run: other, description: of its own", "cron: '0 3 * * *', leeway: 2h, run: x",
    "cron: 'H 3 * * *', run: x", "cron: '0 0 13 * 5', run: doubtful",
    "calendar: '02:30', timezone: Europe/Berlin, run: x",
    "calendar: '2026-10-01 12:00', run: once", "every: 1h, until: 2026-10-01T00:00:00Z, run: x",
    "every: 1h, except: 'Sat,Sun', run: x", "every: 1h, run: x, env_file: values.env",
    "every: 1h, run: x, user: worker", "after: {job: job0}, run: x", "every: 1h, use: log",
    "every: 1h, run: [x, 'y z'], tags: [b, a]", "every: 1h, <<: *shared, run: x",
    "every: 1h, run: x, on_failure: [{run: tell}], env: {A: b}",
    "every: 1h, steps: [{run: a}, {run: b, continue: true}]", "every: 1m, timeout: 2m, run: x",
    "every: 1h, run: x, secrets: {TOKEN: {env: TOKEN}}",
    "every: 1h, run: x, only_if: [test, -e, x]", "every: 1h, run: x, only_if: {run: y, wait: 1m}",
    "for_each: {t: [a, b]}, every: 1h, run: 'x {{each.t}}'",
    "for_each: {t: {a: {x: 1h}, b: {x: 2h}}}, every: '{{each.t.x}}', spread: 1m, run: x",
    "for_each: {t: {file: lines.txt}}, every: 1h, run: x, description: '{{each.t}}'",
    "for_each: {t: [a, b], exclude: [{t: c}]}, every: 1h, run: x",
    "after: {all: [job1, job2], within: 1h}, run: x",
    "every: 1h, except: holidays, run: x", "cron: '0 3 * * *', only_on: holidays, run: x",
    "cron: '0 3 * * *', except: holidays, on_excluded: next, run: x",
    "cron: '0 3 * * *', working_day: {day: last, except: holidays}, run: x",
    "on: {start: 5m}, run: x",
  ]

  private static func text(_ jobs: [String], before: String = "", after: String = "") -> String {
    "x-shared: &shared {timeout: 9m, qos: utility}\n"
      + "calendars: {holidays: {dates: [2099-12-25], file: holidays.ics}}\n\(before)jobs:\n"
      + jobs.joined(separator: "\n") + "\n\(after)"
  }

  @Test(arguments: UInt64(0)..<40)
  func `whatever is edited, a load that remembers says the same as one that does not`(
    seed: UInt64
  ) {
    var random = SplitMix64(seed: seed)
    let bench = Bench()
    bench.write("C=1\n", to: "values.env")
    bench.write("one\ntwo\n", to: "lines.txt")
    bench.writeHoliday(25)
    var names = (0..<12).map { "job\($0)" }
    var keys = names.map { _ in Self.kinds.randomElement(using: &random) ?? "" }
    var (before, after) = ("", "")
    for round in 0..<12 {
      switch Int.random(in: 0..<14, using: &random) {
      case 0: keys.swapAt(0, Int.random(in: 0..<keys.count, using: &random))
      case 1: names.reverse()
      case 2: before = "# a comment\n" + before
      case 3: before = "scheduler: {timezone: Europe/Berlin, max_running: \(round + 1)}\n"
      case 4: before = "defaults: {timeout: \(round + 1)m, env_file: values.env}\n"
      case 5: after = "defaults: {qos: background, tags: t\(round)}\n"
      case 6: bench.write("C=\(round)\n", to: "values.env")
      case 7: bench.machine.state.withLock { $0.wall = $0.wall + .seconds(86_400 * 9) }
      case 8: bench.machine.state.withLock { $0.berlin = round % 2 == 0 ? .utc : TestZones.berlin }
      case 9: bench.machine.state.withLock { $0.hasWorker.toggle() }
      case 12: bench.writeHoliday(round)
      case 10: names[0] = "renamed\(round)"
      case 11: bench.write("one\ntwo\nmore\(round)\n", to: "lines.txt")
      default: break
      }
      for _ in 0..<Int.random(in: 0..<3, using: &random) {
        keys[Int.random(in: 0..<keys.count, using: &random)] =
          Self.kinds.randomElement(using: &random) ?? ""
      }
      let jobs = zip(names, keys).map { "  \($0): {\($1)}" }
      bench.write(Self.text(jobs, before: before, after: after))
      bench.check("round \(round)")
    }
  }

  @Test func `only changed jobs are made again`() throws {
    let bench = Bench()
    func write(_ second: String) {
      bench.write(
        Self.text(
          ["  a: {every: 1h, run: x}", "  b: {\(second)} # a job", "  c: {every: 2h, run: y}"]))
    }
    write("every: 1h, spread: 5m, run: x")
    let first = try #require(bench.check("first").snapshot?.jobs)
    write("every: 1h,   spread: 5m, run: x   ")
    let same = try #require(bench.check("blanks").snapshot?.jobs)
    for (left, right) in zip(first, same) { #expect(left.isCopy(of: right)) }
    write("every: 3h, spread: 5m, run: x")
    let changed = try #require(bench.check("a change").snapshot?.jobs)
    #expect(zip(first, changed).map { $0.isCopy(of: $1) } == [true, false, true])
  }

  @Test func `a value that gets or loses its quotes is read again`() throws {
    let bench = Bench()
    let defaults = "defaults: {env: {A: x}}\n"
    func environment(_ value: String) throws -> [String: String] {
      bench.write(Self.text(["  a: {every: 1h, run: x, env: {A: \(value)}}"], before: defaults))
      let job = try #require(bench.check(value).snapshot?.jobs.first)
      return job.execution.environment
    }
    #expect(try environment("null") == [:])
    #expect(try environment("'null'") == ["A": "null"])
    #expect(try environment("null") == [:])
  }

  @Test func `only the jobs of a definition's changed values are made again`() throws {
    let bench = Bench()
    func load(_ values: String, _ lines: String) throws -> [String: JobSpec] {
      bench.write(lines, to: "lines.txt")
      bench.write(
        Self.text([
          "  a: {for_each: {t: \(values)}, every: 1h, run: 'x {{each.t.v}}'}",
          "  b: {for_each: {t: {file: lines.txt}}, every: 1h, run: 'y {{each.t}}'}",
        ]))
      let jobs = try #require(bench.check("\(values) \(lines)").snapshot?.jobs)
      return Dictionary(uniqueKeysWithValues: jobs.map { ($0.name.text, $0) })
    }
    let first = try load("{m: {v: 1}, n: {v: 2}}", "one\ntwo\n")
    let second = try load("{m: {v: 1}, n: {v: 3}}", "two\n# none\nthree\n")
    #expect(second.keys.sorted() == ["a.m", "a.n", "b.three", "b.two"])
    #expect(
      second.filter { name, spec in first[name]?.isCopy(of: spec) == true }.keys.sorted()
        == ["a.m", "b.two"])
  }

  @Test func `a definition and a job that say the same are not taken for one another`() throws {
    let bench = Bench()
    bench.write("jobs: {a: {for_each: {t: [b]}, every: 1h, run: x}}\n")
    #expect(bench.check("a family").snapshot?.jobs.first?.policies.family?.text == "a")
    bench.write("jobs: {a.b: {every: 1h, run: x}}\n")
    let job = try #require(bench.check("a job").snapshot?.jobs.first)
    #expect(job.name.text == "a.b" && job.policies.family == nil)
  }

  @Test func `a doubtful definition is reported at each load`() {
    let bench = Bench()
    bench.write("jobs: {a: {for_each: {t: [b], exclude: [{t: c}]}, every: 1h, run: x}}\n")
    for _ in 0..<3 { #expect(bench.check("doubtful").diagnostics.map(\.code) == [.suspicious]) }
  }

  @Test func `a file with errors changes nothing of what is remembered`() throws {
    let bench = Bench()
    let jobs = (0..<3).map { "  job\($0): {every: 1h, run: x}" }
    bench.write(Self.text(jobs))
    let first = try #require(bench.check("right").snapshot?.jobs)
    bench.write(Self.text(jobs + ["  bad: {evry: 1h, run: x}"]))
    #expect(rows(bench.check("wrong").diagnostics) == ["7:9 unknownKey"])
    bench.write(Self.text(jobs + ["  good: {every: 1h, run: x}"]))
    let third = try #require(bench.check("right again").snapshot?.jobs)
    for (left, right) in zip(first, third) { #expect(left.isCopy(of: right)) }
  }

  @Test func `jobs of files that are included are remembered with their files`() throws {
    let bench = Bench()
    bench.write("include: more.yaml\n\(Self.text(["  a: {every: 1h, run: x}"]))")
    bench.write("defaults: {timeout: 1m}\njobs: {b: {every: 1h, run: x}}\n", to: "more.yaml")
    let first = try #require(bench.check("first").snapshot?.jobs)
    bench.write("defaults: {timeout: 2m}\njobs: {b: {every: 1h, run: x}}\n", to: "more.yaml")
    let second = try #require(bench.check("other defaults there").snapshot?.jobs)
    #expect(zip(first, second).map { $0.isCopy(of: $1) } == [true, false])
    #expect(second[1].execution.timeout == .seconds(120))
  }

  @Test func `the jobs of a calendar are made again only if it changes`() throws {
    let bench = Bench()
    bench.write(
      Self.text(["  a: {every: 1h, except: holidays, run: x}", "  b: {every: 1h, run: x}"]))
    let first = try #require(bench.check("first").snapshot)
    // Written again with the same day.
    bench.writeHoliday(25)
    let second = try #require(bench.check("the same").snapshot)
    #expect(ReloadPlan(from: first, to: second).steps.isEmpty)
    bench.writeHoliday(24)
    let third = try #require(bench.check("another day").snapshot)
    let plan = ReloadPlan(from: second, to: third)
    #expect(plan.steps.map { "\($0.spec.name) \($0.change)" } == ["a rearmed"])
    #expect(plan.steps.first?.details.map(\.key) == ["except"])
    #expect(bench.check("again").files.contains { $0.hasSuffix("/holidays.ics") })
  }

  @Test func `a text that stands for the file once is not remembered`() throws {
    let bench = Bench()
    bench.write(Self.text(["  a: {every: 1h, run: x}"]))
    let first = try #require(bench.check("the file").snapshot?.jobs)
    _ = JobsLoader(zones: bench.machine, accounts: bench.machine, time: bench.machine).load(
      path: bench.folder["jobs.yaml"], text: Array("jobs: {b: {every: 1h, run: x}}\n".utf8),
      memory: bench.memory)
    let second = try #require(bench.check("the file again").snapshot?.jobs)
    #expect(first[0].isCopy(of: second[0]))
  }
}
