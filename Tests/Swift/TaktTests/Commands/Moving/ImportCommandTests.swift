import Foundation
import Testing

@Suite(.ownThreads) struct ImportCommandTests {
  @Test(arguments: [
    (["import"], 64), (["import", "none"], 78), (["import", "."], 78),
    (["import", "a.service"], 78),
    (["import", "pipe"], 78), (["import", "big"], 78), (["import", "--from", "x", "a"], 64),
    (["import", "loop"], 78), (["import", ""], 78), (["import", "--root", "none", "--system"], 78),
    (["export"], 64), (["export", "--to", "crontab", "none.yaml"], 78),
    (["export", "--to", "crontab", "--directory", "."], 64), (["import", "empty"], 0),
  ])
  func `a source that cannot be read is an error`(arguments: [String], status: Int) throws {
    let folder = try TemporaryFolder()
    try folder.write("[Service]\nExecStart=/bin/true\n", to: "a.service")
    try folder.write("", to: "empty")
    try folder.write(String(repeating: "# x\n", count: 300_000), to: "big")
    mkfifo(folder.url.appending(path: "pipe").path, 0o600)
    symlink("loop", folder.url.appending(path: "loop").path)
    let answer = try folder.takt(arguments)
    #expect(Int(answer.status) == status, "\(answer.errors)")
    #expect(!answer.errors.isEmpty)
  }

  @Test func `the report is JSON on request`() throws {
    struct Report: Decodable {
      struct Token: Decodable {
        var at: String
        var token: String
        var reason: String
        var severity: String?
      }
      var complete: Bool
      var jobs: [String]
      var not_kept: [Token]
      var kept: [Token]
    }
    let folder = try TemporaryFolder()
    try folder.write("60 1 * * * /usr/bin/a\n0 1 * * * /usr/bin/b\n", to: "tab")
    let answer = try folder.takt("import", "tab", "--report", "json")
    #expect(answer.status == 1)
    let report = try JSONDecoder().decode(Report.self, from: Data(answer.errors.utf8))
    #expect(!report.complete)
    #expect(report.jobs == ["b"])
    #expect(report.not_kept.first?.at == "tab:1:1")
    #expect(report.not_kept.allSatisfy { $0.severity == "changes_what_runs" })
    #expect(report.kept.allSatisfy { $0.severity == nil })
    #expect(report.kept.contains { $0.at == "tab:2:11" && $0.reason == "run" })
  }

  @Test(arguments: ["yes", "cat /", "head -c 1048577 /dev/zero"])
  func `an endless, odd or too large standard input is an error in JSON`(source: String) throws {
    struct Report: Decodable {
      struct Note: Decodable { var at: String }
      var complete: Bool
      var unreadable: [Note]
      var jobs: [String]
    }
    let folder = try TemporaryFolder()
    try folder.write("0 1 * * * /usr/bin/b\n", to: "tab")
    let takt = "'\(TaktProcess.executable.path)' import - tab --report json"
    let pipe = source == "cat /" ? "\(takt) </" : "\(source) 2>/dev/null | \(takt)"
    let answer = try folder.takt(["-c", pipe], program: "/bin/sh")
    #expect(answer.status == 78)
    let report = try JSONDecoder().decode(Report.self, from: Data(answer.errors.utf8))
    #expect(!report.complete && report.jobs == ["b"])
    #expect(report.unreadable.map(\.at) == ["standard input"])
  }

  @Test func `takt check warns of nothing that import writes`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      * * * * * timeout 5 /bin/true
      * * * * * flock -n /tmp/takt-import timeout 5 /bin/true

      """, to: "tab")
    for (name, line) in [("usual", ""), ("endless", "TimeoutStopSec=infinity\n")] {
      try folder.write("[Timer]\nOnCalendar=minutely\n", to: "\(name).timer")
      try folder.write("[Service]\nExecStart=/bin/true\n\(line)", to: "\(name).service")
    }
    let answer = try folder.takt("import", "tab", "usual.timer", "endless.timer", "--idiomatic")
    #expect(answer.status == 0, "\(answer.errors)")
    try folder.write(answer.output)
    let check = try folder.takt("check", "jobs.yaml")
    #expect(check.status == 0)
    #expect(check.output.hasSuffix(": ok, 4 jobs\n"), "\(check.output)\(check.errors)")
    #expect(check.errors.isEmpty)
  }

  @Test func `what changes the runs comes first, and it alone is an error`() throws {
    let folder = try TemporaryFolder()
    try folder.write("[Timer]\nOnCalendar=daily\n", to: "a.timer")
    let service = """
      [Unit]
      After=network-online.target
      Wants=network-online.target
      [Service]
      ExecStart=/bin/true
      ProtectSystem=strict
      PrivateTmp=yes

      """
    try folder.write(service, to: "a.service")
    /// The report, in which services have their whole paths.
    func report(status: Int32) throws -> String {
      let answer = try folder.takt("import", "a.timer")
      #expect(answer.status == status)
      return answer.errors.replacing(folder.url.path + "/", with: "")
    }
    let same = try report(status: 0)
    #expect(
      same.contains(
        """
        not kept, protects less:
          a.service: ProtectSystem, PrivateTmp: takt does not confine commands
        not kept, no meaning here:
          a.service: After, Wants: takt waits for no unit: the job runs when it is due
        takt: 1 job; 0 kept differently, 4 not kept (0 change what runs)

        """), "\(same)")
    try folder.write(service + "RuntimeDirectory=a\n", to: "a.service")
    let other = try report(status: 1)
    #expect(
      other.hasPrefix(
        """
        a.timer: systemd, 1 job
        not kept, changes what runs:
          a.service:8:1: RuntimeDirectory=a: takt makes no folders: make /run/a yourself, after each boot
        not kept, protects less:

        """), "\(other)")
  }

  @Test func `disabled jobs come first, and what is different before what protects less`() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] { try folder.write("[Timer]\nOnCalendar=daily\n", to: "\(name).timer") }
    try folder.write(
      "[Service]\nExecStart=/bin/true\nStandardError=null\nPrivateTmp=yes\nStandardOutput=journal\n",
      to: "a.service")
    try folder.write("[Service]\nExecStart=/bin/true\nDynamicUser=yes\n", to: "b.service")
    let answer = try folder.takt("import", "a.timer", "b.timer")
    let report = answer.errors.replacing(folder.url.path + "/", with: "")
    let titles = report.split(separator: "\n").filter { !$0.hasPrefix(" ") }
    #expect(
      titles.dropFirst(2).prefix(5) == [
        "disabled jobs:", "not kept, changes what runs:", "kept differently:",
        "not kept, protects less:",
        "takt: 2 jobs (1 disabled); 2 kept differently, 2 not kept (1 changes what runs)",
      ], "\(report)")
    #expect(report.contains("disabled jobs:\n  b\n"), "\(report)")
  }

  @Test(arguments: [(2, 0), (3, 1)])
  func `a program that goes on for a thousand years is compared as far as takt goes`(
    day: Int, status: Int32
  ) throws {
    let folder = try TemporaryFolder()
    try folder.write("30 2 2 1 * /usr/bin/a\n", to: "tab")
    // Like croniter, which may answer with the requested day or with another one.
    try folder.write(
      """
      from datetime import datetime, timezone
      class croniter:
          def __init__(self, text, start, day_or):
              self.last = start
          def get_next(self, kind):
              for year in (self.last.year, self.last.year + 1):
                  time = datetime(year, 1, \(day), 2, 30, tzinfo=timezone.utc)
                  if time > self.last:
                      self.last = time
                      return time

      """, to: "croniter.py")
    // A file in the current folder is not run.
    let elsewhere = try TemporaryFolder()
    try elsewhere.write("raise SystemExit(9)\n", to: "croniter.py")
    let takt = try elsewhere.takt(
      [
        "PYTHONPATH=\(folder.url.path)", TaktProcess.executable.path, "import", "--verify",
        "\(folder.url.path)/tab",
      ], program: "/usr/bin/env")
    #expect(takt.status == status, "\(takt.errors)")
    #expect(
      takt.errors.contains(status == 0 ? "are those of croniter" : "not those of croniter"),
      "\(takt.errors)")
  }

  @Test func `jobs that are exported and imported again are the same`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      MAILTO=ops@example.org
      A="two words"
      */5 8-17 * * mon-fri root /usr/bin/a --x '100\\%'
      0 0 */2 * 1 root /usr/bin/b
      0 0 1,15 * 5 root cat%one%two
      @reboot root /usr/bin/c
      5-55/10 * * * * root /usr/bin/d
      0 4 * * * daemon /usr/bin/e

      """, to: "tab")
    try roundTrip(
      in: folder, first: ["import", "--from", "cron.d", "tab"],
      export: { ["export", $0, "--to", "crontab"] }, again: ["import", "--from", "cron.d", "again"])
  }

  /// Compares the meaning: comments may differ.
  private func roundTrip(
    in folder: TemporaryFolder, first: [String], export: (String) -> [String], again: [String]
  ) throws {
    let before = try folder.takt(first)
    #expect(before.status == 0, "\(before.errors)")
    try folder.write(before.output, to: "before.yaml")
    let exported = try folder.takt(export("before.yaml"))
    #expect(exported.status == 0, "\(exported.errors)")
    try folder.write(exported.output, to: "again")
    let after = try folder.takt(again)
    #expect(after.status == 0, "\(after.errors)")
    try folder.write(after.output, to: "after.yaml")
    let plan = try folder.takt(["plan", "before.yaml", "after.yaml"])
    #expect(
      plan.output.hasPrefix("6 kept, 0 updated, 0 rearmed, 0 added, 0 removed\n"),
      "\(plan.output)\n\(exported.output)")
  }

  @Test func `units that are exported and imported again are the same`() throws {
    let folder = try TemporaryFolder()
    let units = folder.url.appending(path: "units")
    try FileManager.default.createDirectory(at: units, withIntermediateDirectories: true)
    try folder.write(
      "[Timer]\nOnCalendar=Mon..Fri 6:30\nRandomizedDelaySec=10min\nPersistent=true\n[Install]\nWantedBy=timers.target\n",
      to: "units/a.timer")
    try folder.write(
      "[Unit]\nDescription=A thing\nOnFailure=alarm.service\n[Service]\nType=oneshot\nUser=root\nExecStartPre=-/bin/true\n"
        + "ExecStart=/bin/echo 'a b' 100%% $$x\nEnvironment=\"A=x y\"\nUMask=0027\nNice=5\nTimeoutStartSec=5min\n"
        + "StandardInput=data\nStandardInputText=one\nSuccessExitStatus=3\nTimeoutStopSec=infinity\n",
      to: "units/a.service")
    let before = try folder.takt(["import", "units/a.timer"])
    #expect(before.status == 0, "\(before.errors)")
    try folder.write(before.output, to: "before.yaml")
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "out"), withIntermediateDirectories: true)
    let exported = try folder.takt(
      ["export", "before.yaml", "--to", "systemd", "--directory", "out"])
    #expect(exported.status == 0, "\(exported.errors)")
    #expect(exported.output == "out/a.timer\nout/a.service\n")
    let after = try folder.takt(["import", "out/a.timer"])
    #expect(after.status == 0, "\(after.errors)")
    try folder.write(after.output, to: "after.yaml")
    let plan = try folder.takt(["plan", "before.yaml", "after.yaml"])
    #expect(
      plan.output.hasPrefix("1 kept, 0 updated, 0 rearmed, 0 added, 0 removed\n"),
      "\(plan.output)\n\(before.output)\n\(after.output)")
  }

  private static let unitOfSystem = "/usr/lib/systemd/system/dbus.service"

  @Test(.enabled(if: FileManager.default.fileExists(atPath: unitOfSystem), "no systemd"))
  func `no unit takes the place of one of the system`() throws {
    let folder = try TemporaryFolder(
      "jobs: {dbus: {every: 1h, run: x}, own-job: {every: 1h, run: x}}\n")
    let exported = try folder.takt(["export", "jobs.yaml", "--to", "systemd"])
    #expect(exported.status == 1)
    #expect(exported.errors.contains("takt: dbus.service is left out"), "\(exported.errors)")
    #expect(!exported.output.contains("# dbus.service"))
    #expect(exported.output.contains("# own-job.service"))
  }

  @Test(arguments: [
    (["--dialect", "debian", "cron.d/x"], "mv cron.d/x cron.d/x.off"),
    // cronie would read a file called x.off.
    (["--dialect", "cronie", "cron.d/x"], "mv cron.d/x cron.d/x~"),
    (["--dialect", "debian", "--from", "cron.d", "--", "-x"], "mv ./-x ./-x.off"),
    (["a.timer"], "systemctl disable --now a.timer"),
    (["--root", "other", "/u/a.timer"], "systemctl --root=other disable a.timer"),
    (["own"], nil),
  ])
  func `the report says how the source is stopped`(arguments: [String], command: String?) throws {
    let folder = try TemporaryFolder()
    for name in ["cron.d", "other", "other/u"] {
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: name), withIntermediateDirectories: true)
    }
    for place in ["", "other/u/"] {
      try folder.write("[Timer]\nOnCalendar=daily\n", to: place + "a.timer")
      try folder.write("[Service]\nExecStart=/bin/true\n", to: place + "a.service")
    }
    for name in ["cron.d/x", "-x"] {
      try folder.write("0 1 * * * root /bin/true\n", to: name)
    }
    try folder.write("0 1 * * * /bin/true\n", to: "own")
    let answer = try folder.takt(["import"] + arguments)
    let errors = answer.errors
    #expect(answer.status == 0, "\(errors)")
    let lines = errors.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    if let command {
      #expect(lines.last == command, "\(errors)")
    } else {
      #expect(!errors.contains("to stop them"), "\(errors)")
    }
  }

  @Test(.enabled(if: HungMount.isAvailable, HungMount.condition))
  func `an import says which path does not answer`() throws {
    let mount = try HungMount(["tab"])
    let folder = try TemporaryFolder()
    let takt = try TaktProcess(["import", mount.path("tab")], in: folder)
    try mount.awaitHeldCall()
    let notice = "takt: \(mount.path("tab")) does not answer; still waiting, Ctrl-C ends it\n"
    let end = ContinuousClock.now + .seconds(60)
    while takt.errors.isEmpty, ContinuousClock.now < end { usleep(50_000) }
    #expect(takt.errors == notice)
    mount.unmount()
    _ = try takt.text()
    #expect(takt.waitForExit() == 78)
  }
}
