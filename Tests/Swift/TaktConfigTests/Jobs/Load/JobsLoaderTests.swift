import Glibc
import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig
import TaktTime

struct JobsLoaderTests {
  private let folder = TemporaryFolder()
  private let job = "{on: start, run: x}"

  private func load(_ name: String = "jobs.yaml") -> LoadedJobs {
    loader.load(path: folder[name])
  }

  @Test func `line ends of other systems and a byte order mark are taken`() throws {
    let text = "\u{feff}jobs:\r\n  a:\r\n    every: 1s\r\n    run: |\r\n      x\r\n      y\r\n"
    let loaded = TaktConfigTests.load(text)
    #expect(loaded.snapshot?.jobs.first?.action == .shell("x\ny\n"))
  }

  @Test func `anchors, merges and extension keys make jobs`() throws {
    let loaded = TaktConfigTests.load(
      """
      x-quick: &quick {every: 1s, run: echo, env: &env {A: 1}}
      x-jobs: &more
        c: *quick
        a: {on: start, run: never}
      jobs:
        a: {<<: *quick, every: 2s}
        b: {<<: [{env: {<<: *env, B: 2}}, *quick]}
        <<: *more
      """)
    let jobs = try #require(loaded.snapshot).jobs
    #expect(jobs.map(\.name.text) == ["a", "b", "c"])
    #expect(jobs[0].timing.schedule == Schedule(every: Every(.seconds(2))))
    #expect(jobs[1].execution.environment == ["A": "1", "B": "2"])
    #expect(jobs[2].action == .shell("echo"))
  }

  @Test func `jobs as a whole may be an alias, and have an anchor`() throws {
    #expect(TaktConfigTests.load("x-j: &j {a: \(job)}\njobs: *j\n").snapshot?.names == ["a"])
    #expect(TaktConfigTests.load("jobs: &j {a: \(job)}\nx-j: *j\n").snapshot?.names == ["a"])
    #expect(TaktConfigTests.load("x-r: &r {jobs: {a: \(job)}}\n<<: *r\n").snapshot?.names == ["a"])
    #expect(TaktConfigTests.load("&r\njobs: {a: \(job)}\n").snapshot?.names == ["a"])
  }

  @Test func `a comment or another order changes no spec`() {
    let one = TaktConfigTests.load("jobs: {a: {every: 60s, run: x, cwd: /}}\n")
    let other = TaktConfigTests.load("# now\njobs:\n  a:\n    cwd: /\n    run: x\n    every: 1m\n")
    #expect(one.snapshot?.jobs == other.snapshot?.jobs)
    #expect(one.snapshot?.jobs.count == 1)
  }

  // MARK: Includes

  @Test func `jobs come from all included files in order`() throws {
    folder.makeFolder("conf.d")
    folder.makeFolder("conf.d/deep")
    folder.write("include: [one.yaml, conf.d/*.yaml]\njobs: {a: \(job)}\n", to: "jobs.yaml")
    folder.write("defaults: {qos: utility}\njobs: {b: \(job)}\n", to: "one.yaml")
    folder.write("include: deep/x.yaml\njobs: {d: \(job)}\n", to: "conf.d/2.yaml")
    folder.write("jobs: {c: \(job)}\n", to: "conf.d/1.yaml")
    folder.write("jobs: {e: \(job)}\n", to: "conf.d/deep/x.yaml")
    let loaded = load()
    #expect(loaded.diagnostics == [])
    let snapshot = try #require(loaded.snapshot)
    #expect(snapshot.names == ["a", "b", "c", "d", "e"])
    #expect(
      snapshot.jobs.map { $0.execution.qos == .utility } == [false, true, false, false, false])
    #expect(snapshot.jobs[4].execution.directory == folder["conf.d/deep"])
    let names = ["jobs.yaml", "one.yaml", "conf.d/1.yaml", "conf.d/2.yaml", "conf.d/deep/x.yaml"]
    #expect(loaded.files == names.map { folder[$0] })
    #expect(loaded.directories == [folder["conf.d"]])
  }

  @Test func `a job of one file may have the name of a definition of another, with a warning`() {
    folder.write("include: [b.yaml]\njobs: {a: \(job)}\n", to: "jobs.yaml")
    folder.write("jobs:\n  a: {for_each: {t: [x]}, on: start, run: x}\n", to: "b.yaml")
    let loaded = load()
    #expect(loaded.snapshot?.names == ["a", "a.x"])
    #expect(
      loaded.diagnostics.map(\.headline) == [
        "\(folder["b.yaml"]):2:3: warning: a job is named 'a', too; in commands the name means that "
          + "job, not those that 'for_each' makes here; rename one of them"
      ])
  }

  @Test func `an included file is read in the main file's zone`() throws {
    folder.write("scheduler: {timezone: Europe/Berlin}\ninclude: b.yaml\n", to: "jobs.yaml")
    folder.write("jobs: {a: {at: 2026-07-01T12:00, run: x}}\n", to: "b.yaml")
    let at = try #require(load().snapshot).jobs[0].timing.schedule.at
    #expect(at[0].rfc3339() == "2026-07-01T10:00:00.000Z")
  }

  @Test func `a pattern may match nothing, and a name may not`() {
    folder.write("include: [none/*.yaml, '*.yml']\njobs: {a: \(job)}\n", to: "jobs.yaml")
    #expect(load().diagnostics == [])
    #expect(load().directories == [folder["none"], folder.path])
    folder.write("include:\n  - b.yaml\njobs: {a: \(job)}\n", to: "jobs.yaml")
    let loaded = load()
    #expect(rows(loaded.diagnostics) == ["2:5 includeMissing"])
    #expect(loaded.diagnostics.first?.sourceLine == "  - b.yaml")
    #expect(loaded.files == [folder["jobs.yaml"], folder["b.yaml"]])
  }

  @Test func `a job in two files shows both places`() {
    folder.write("include: b.yaml\njobs:\n  a: \(job)\n", to: "jobs.yaml")
    folder.write("jobs:\n  b: \(job)\n  a: \(job)\n", to: "b.yaml")
    let loaded = load()
    #expect(rows(loaded.diagnostics) == ["3:3 duplicateJob"])
    #expect(loaded.diagnostics.first?.location.file == folder["b.yaml"])
    #expect(loaded.diagnostics.first?.message.contains("jobs.yaml:3:3") == true)
    #expect(loaded.snapshot == nil)
  }

  @Test func `mistakes of all files are reported together`() {
    folder.write("include: [b.yaml, c.yaml]\njobs: {a: {evry: 1s, run: x}}\n", to: "jobs.yaml")
    folder.write("jobs: {b: {every: 1, run: x}\n", to: "b.yaml")
    folder.write("jobs: {c: {every: 1, run: x}}\nscheduler: {}\n", to: "c.yaml")
    #expect(
      rows(load().diagnostics) == [
        "2:12 unknownKey", "1:7 syntax", "1:19 badDuration", "1:19 badDuration",
        "2:1 misplacedKey",
      ])
  }

  @Test func `files that include one another end in an error`() {
    folder.write("include: b.yaml\njobs: {a: \(job)}\n", to: "jobs.yaml")
    folder.write("include: jobs.yaml\njobs: {b: \(job)}\n", to: "b.yaml")
    let loaded = load()
    #expect(rows(loaded.diagnostics) == ["1:10 includeCycle"])
    #expect(loaded.diagnostics.first?.location.file == folder["b.yaml"])
    folder.write("include: [c.yaml, ./c.yaml]\njobs: {a: \(job)}\n", to: "jobs.yaml")
    folder.makeLink("c.yaml", to: "jobs.yaml")
    #expect(rows(load().diagnostics) == ["1:11 includeCycle", "1:19 includeCycle"])
  }

  @Test func `a pattern that meets its own file passes it over`() {
    folder.write("include: '*.yaml'\njobs: {a: \(job)}\n", to: "jobs.yaml")
    folder.write("jobs: {b: \(job)}\n", to: "b.yaml")
    #expect(load().snapshot?.names == ["a", "b"])
  }

  @Test func `a file that is included twice is read once`() {
    folder.write("include: [b.yaml, c.yaml]\n", to: "jobs.yaml")
    folder.write("include: d.yaml\njobs: {b: \(job)}\n", to: "b.yaml")
    folder.write("include: d.yaml\njobs: {c: \(job)}\n", to: "c.yaml")
    folder.write("jobs: {d: \(job)}\n", to: "d.yaml")
    let loaded = load()
    #expect(loaded.snapshot?.names == ["b", "d", "c"])
    #expect(loaded.files == ["jobs.yaml", "b.yaml", "d.yaml", "c.yaml"].map { folder[$0] })
  }

  @Test func `a chain of includes is bounded`() {
    for number in 0...20 {
      folder.write("include: \(number + 1).yaml\n", to: "\(number).yaml")
    }
    #expect(rows(load("0.yaml").diagnostics) == ["1:10 tooManyIncludes"])
  }

  @Test func `a pattern of very many names is an error, and no trap`() {
    let pattern = String(repeating: "a/", count: 50_000) + "*.yaml"
    folder.write("include: '\(pattern)'\njobs: {a: \(job)}\n", to: "jobs.yaml")
    #expect(rows(load().diagnostics) == ["1:10 tooManyIncludes"])
  }

  @Test(arguments: [
    "unreadable | include: »pipe", "unreadable | include: »folder", "badValue | include: »'**/x'",
    "badValue | include: »[]", "wrongType | include:»", "wrongType | include: »{a: b}",
    "badValue | include: »~/x", "badValue | include: »\"\"", "tooLarge | include: »big",
    "includeMissing | include: [»a, »b]".replacing("[»a, »b", with: "[»a"),
  ])
  func `an include that cannot be read is reported at its place`(row: String) {
    folder.makePipe("pipe")
    folder.makeFolder("folder")
    folder.writeSparse(65 << 20, to: "big")
    let parts = row.split(separator: " | ").map(String.init)
    let marked = MarkedText(parts[1])
    folder.write(marked.text + "\njobs: {a: \(job)}\n", to: "jobs.yaml")
    #expect(rows(load().diagnostics) == [marked.places[0] + " " + parts[0]])
  }

  @Test(.enabled(if: geteuid() == 0, "the files of others are never taken for root's"))
  func `files that root runs are writable by no other user`() {
    let strict = JobsLoader(refusesWritableByOthers: true)
    let main = "include: b.yaml\njobs: {a: \(job)}\n"
    folder.write(main, to: "jobs.yaml")
    folder.write(Array("jobs: {b: \(job)}\n".utf8), to: "b.yaml", mode: 0o664)
    #expect(rows(strict.load(path: folder["jobs.yaml"]).diagnostics) == ["1:10 unsafePermissions"])
    #expect(load().snapshot?.names == ["a", "b"])
    folder.write(Array(main.utf8), to: "jobs.yaml", mode: 0o646)
    #expect(rows(strict.load(path: folder["jobs.yaml"]).diagnostics) == ["unsafePermissions"])
  }
}
