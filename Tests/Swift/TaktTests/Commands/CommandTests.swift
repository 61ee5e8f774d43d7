import Foundation
import TaktSystem
import TestSupport
import Testing

/// The command line, as a user sees it.
@Suite(.ownThreads) struct CommandTests {
  static let example = Repository.url("jobs.yaml")

  @Test func `the example file is valid and its jobs fire`() throws {
    let folder = try TemporaryFolder()
    // In a folder of its own: the example may be running in its own folder.
    let plugins = Self.example.deletingLastPathComponent().appendingPathComponent("plugins").path
    let text = try String(contentsOf: Self.example, encoding: .utf8)
    let path = try folder.write(
      text.replacing("\nscheduler:\n", with: "\nscheduler:\n  plugins: \"\(plugins)\"\n"))
    #expect(try folder.takt("check", path).output == "\(path): ok, 8 jobs\n")
    let takt = try TaktProcess(["run", path], in: folder)
    for job in ["hello", "heartbeat", "disk", "greet", "poll"] {
      if !takt.lines.contains(where: { $0.job == job && $0.outcome != nil }) {
        try takt.line("the end of a run of \(job)") { $0.job == job && $0.outcome != nil }
      }
    }
    #expect(takt.lines.filter { $0.outcome != nil }.allSatisfy { $0.outcome == "succeeded" })
    #expect(try takt.stop() == 0)
    // Every machine's transitions are numbered without a gap, in the order of the log.
    for (machine, lines) in Dictionary(
      grouping: takt.lines.filter { $0.machine != nil }, by: \.machine)
    {
      #expect(lines.compactMap(\.seq) == Array(1...lines.count), "\(machine ?? "")")
    }
  }

  @Test func `explain and check name the commands that start without a shell`() throws {
    let folder = try TemporaryFolder(
      """
      jobs:
        a:
          every: 1h
          run: rsync -a x y
          only_if: {run: ping -c 1 host}
          on_failure: [{run: 'uptime | mail root'}, {run: logger failed}]
        b: {every: 1h, direct: false, run: rsync -a x y}
      """)
    // Only dash on Debian and bash 5 are known.
    let isKnown = StandardShell.installed != nil
    let words = "runs without a shell: run, only_if.run, on_failure[2].run\n"
    #expect(try folder.takt("explain", "a").output.contains(words) == isKnown)
    #expect(try folder.takt("check", "--verbose").output.contains("a: " + words) == isKnown)
    #expect(try !folder.takt("explain", "b").output.contains("without a shell"))
  }

  @Test(arguments: [
    ("run: python3 sync.py", true), ("run: [/usr/bin/python3.12, -W, ignore, sync.py, -u]", true),
    ("run: python3 -m sync -u", true), ("run: python3 -Bu sync.py", false),
    ("run: [python3, -X, dev, -u, sync.py]", false), ("run: python-config -x", false),
    ("run: python3 sync.py, env: {PYTHONUNBUFFERED: '1'}", false),
    ("run: python3 sync.py, pty: true", false), ("run: ./sync.py", false),
  ])
  func `explain notes that Python holds back its output`(keys: String, isNoted: Bool) throws {
    let folder = try TemporaryFolder()
    try folder.write("jobs: {a: {every: 1h, \(keys)}}\n")
    let words = " -u' shows each line at once"
    func explain(_ options: String...) throws -> String {
      let command = ["-u", "PYTHONUNBUFFERED", TaktProcess.executable.path, "explain", "a"]
      return try folder.takt(command + options, program: "/usr/bin/env").output
    }
    #expect(try explain().contains(words) == isNoted)
    #expect(try !explain("--json").contains(words))
  }

  @Test(arguments: [
    "README.md", "docs/concepts.md", "docs/jobs-file.md", "docs/runs.md",
    "docs/reference/builtins.md", "docs/control.md", "docs/moving.md",
  ])
  func `every example in the docs is a jobs file that is taken`(name: String) throws {
    let root = Self.example.deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
    let examples = text.components(separatedBy: "```yaml\n").dropFirst()
    #expect(!examples.isEmpty)
    // No other user may name root.
    for example in examples where geteuid() == 0 || !example.contains("user: root") {
      let folder = try TemporaryFolder(example.components(separatedBy: "```")[0])
      try folder.write("BEGIN:VCALENDAR\nEND:VCALENDAR\n", to: "holidays.ics")
      let result = try folder.takt("check")
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  @Test(arguments: [
    "Europe/Berlin | +01:00", ":Europe/Berlin | +01:00", "CET-1CEST,M3.5.0,M10.5.0/3 | +01:00",
    "XYZ-5:45 | +05:45", "/usr/share/zoneinfo/Asia/Tokyo | +09:00", "UTC0 | Z", " | Z",
  ])
  func `TZ is a name, a rule or a file, as for other programs`(row: String) throws {
    let parts = row.components(separatedBy: " | ")
    let folder = try TemporaryFolder("jobs: {a: {at: '2100-01-05T09:00', run: x}}\n")
    let takt = try TaktProcess(
      ["TZ=\(parts[0])", TaktProcess.executable.path, "next", "jobs.yaml"],
      program: "/usr/bin/env", in: folder)
    #expect(try takt.text().contains("2100-01-05T09:00:00.000\(parts[1]) "))
    #expect(takt.waitForExit() == 0)
  }

  @Test(arguments: [
    "local", ":local", "Europe/Berln", "../../etc/passwd", "/dev/zero", "CET-1CEST",
  ])
  func `a TZ that is no time zone is a warning`(value: String) throws {
    let folder = try TemporaryFolder("jobs: {a: {cron: '0 9 * * *', run: 'true'}}\n")
    let takt = try TaktProcess(
      ["TZ=\(value)", TaktProcess.executable.path, "check"], program: "/usr/bin/env", in: folder)
    #expect(takt.waitForExit() == 0)
    let name = value.hasPrefix(":") ? String(value.dropFirst()) : value
    #expect(takt.errors.contains("the variable TZ is '\(name)'"), "\(takt.errors)")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `shells can complete commands, and those for a running daemon`(shell: String) throws {
    let script = try TemporaryFolder().takt("--generate-completion-script", shell)
    #expect(script.status == 0)
    for command in ["suspend", "trigger", "simulate"] { #expect(script.output.contains(command)) }
  }

  @Test func `a file with four mistakes reports four, each with its place and a caret`() throws {
    let folder = try TemporaryFolder(
      """
      jobs:
        a: {evry: 5s, run: date}
        b: {every: 5 parsecs, run: date}
        c: {every: 5s, use: lag}
        d: {every: 5s, run: date, qos: fast}
      """)
    let result = try folder.takt("check")
    #expect(result.status == 78)
    #expect(result.output.isEmpty)
    #expect(
      result.errors.hasPrefix(
        """
        jobs.yaml:2:7: error: unknown key 'evry' in job 'a'; did you mean 'every'?
            a: {evry: 5s, run: date}
                ^

        """), "\(result.errors)")
    #expect(result.errors.components(separatedBy: ": error: ").count - 1 == 4, "\(result.errors)")
  }

  @Test func `plan shows what a reload would do`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      jobs:
        same: {every: 5s, run: date}
        faster: {every: 1m, run: date}
        other: {every: 1m, run: date}
        gone: {every: 7s, run: date}
      """, to: "old.yaml")
    try folder.write(
      """
      jobs:
        faster: {every: 30s, run: date}
        other: {every: 1m, run: uptime}
        new: {every: 9s, run: date}
        same: {every: 5000ms, run: date}  # as before
      """, to: "new.yaml")
    let result = try folder.takt("plan", "old.yaml", "new.yaml")
    #expect(result.status == 0)
    #expect(
      result.output == """
        - gone  removed
        ~ faster  rearmed
            every: 1m → 30s
        ~ other  updated
            run: date → uptime
        + new  added
        1 kept, 1 updated, 1 rearmed, 1 added, 1 removed

        """)
  }

  @Test func `next shows the slots to come`() throws {
    let folder = try TemporaryFolder(
      """
      scheduler: {timezone: Europe/Berlin}
      jobs:
        once: {at: "2199-07-01T12:00", run: date}
        grid: {every: 1h, align: epoch, run: date}
      """)
    let result = try folder.takt("next", "-n", "2")
    let lines = result.output.split(separator: "\n")
    #expect(result.status == 0)
    #expect(lines.count == 3)
    #expect(lines[0] == "once  2199-07-01T12:00:00.000+02:00  at")
    #expect(lines[1].contains(":00:00.000+0"))
    // As other programs read it.
    #expect(try folder.takt("next", "-n2").output.split(separator: "\n").count == 3)
  }

  @Test func `schema prints a JSON Schema that knows the built-ins`() throws {
    let folder = try TemporaryFolder()
    let result = try folder.takt("schema")
    #expect(result.status == 0)
    let value = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    let schema = try #require(value as? [String: Any])
    #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
    let definitions = try #require(schema["$defs"] as? [String: Any])
    #expect(definitions["with.log"] != nil && definitions["job"] != nil)
  }

  @Test func `arguments are found where a preloaded library has moved the environment`() throws {
    let folder = try TemporaryFolder()
    let source = Repository.path("Tests/faults/movedenviron.c")
    let compiler = try TaktProcess(
      ["-shared", "-fPIC", "-o", "moved.so", source], program: "cc", in: folder)
    try #require(compiler.waitForExit() == 0, "cc is needed: \(compiler.errors)")
    let takt = try TaktProcess(
      [
        "LD_PRELOAD=" + folder.url.appendingPathComponent("moved.so").path,
        TaktProcess.executable.path, "check", "a file", "",
      ], program: "/usr/bin/env", in: folder)
    #expect(takt.waitForExit() == 64)
    #expect(takt.errors.contains("Unexpected argument ''"))
  }

  @Test func `wrong usage exits 64 and says how it goes`() throws {
    let folder = try TemporaryFolder()
    for arguments in [
      ["--no-such-flag"], ["run", "--log-level", "loud"], ["next", "-n", "0"],
      ["plan", "a", "b", "c"], ["suspend"],
    ] {
      let takt = try folder.takt(arguments)
      #expect(takt.status == 64, "\(arguments)")
      #expect(takt.errors.contains("Usage: takt"), "\(takt.errors)")
    }
    #expect(try folder.takt("--version").output == "0.2.0\n")
  }

  @Test(arguments: ["missing.yaml", ".", "/dev/null", "empty.yaml"])
  func `a file that cannot be used exits 78 with its name`(path: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "empty.yaml")
    let result = try folder.takt("run", path)
    #expect(result.status == 78)
    #expect(result.errors.contains(": error: "), "\(result.errors)")
  }
}
