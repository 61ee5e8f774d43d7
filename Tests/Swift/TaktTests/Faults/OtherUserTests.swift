import Foundation
import Glibc
import Testing

@Suite(.enabled(if: geteuid() == 0, "another user takes root"), .ownThreads) struct OtherUserTests {
  private func output(
    _ keys: String, _ variables: [String] = ["ONLY_ROOT=x", "LANG=C.UTF-8"]
  ) throws -> [String] {
    let folder = try TemporaryFolder("jobs: {a: {on: start, cwd: /, run: [env], \(keys)}}\n")
    let takt = try TaktProcess(
      variables + [TaktProcess.executable.path, "run"], program: "/usr/bin/env", in: folder)
    try takt.line("the end") { $0.job == "a" && $0.to == "ended" }
    #expect(try takt.stop() == 0)
    return takt.lines.filter { $0.job == "a" }.compactMap(\.line)
  }

  @Test func `another user's job gets a clean environment`() throws {
    let lines = try output("user: nobody")
    let names = Set(lines.compactMap { $0.split(separator: "=").first.map(String.init) })
      .filter { !$0.hasPrefix("TAKT_") }
    #expect(names == ["PATH", "HOME", "LOGNAME", "USER", "SHELL", "LANG"])
    #expect(lines.contains("LANG=C.UTF-8"))
    #expect(lines.contains("USER=nobody"))
  }

  @Test(arguments: ["user: nobody, inherit_env: true", "user: root", "description: none"])
  func `who asks for it, and takt's own user, gets all of the environment`(keys: String) throws {
    #expect(try output(keys).contains("ONLY_ROOT=x"))
  }

  @Test func `a number without an entry in the user database is a user whose group has no rights`()
    throws
  {
    let takt = try TaktProcess.running(
      """
      jobs:
        a: {on: start, cwd: /, user: 47323, run: 'echo $(id -u) $(id -g) $(id -G) $HOME $USER'}
        b: {on: start, cwd: /, user: 47323, group: 27, run: 'echo $(id -u) $(id -g) $(id -G)'}

      """
    ).process
    for _ in 0..<2 { try takt.line("an end") { $0.to == "ended" } }
    #expect(try takt.stop() == 0)
    let lines = takt.lines.filter { $0.line != nil }.sorted { ($0.job ?? "") < ($1.job ?? "") }
    #expect(lines.compactMap(\.line) == ["47323 65534 65534 / 47323", "47323 27 27"])
  }

  @Test func `the number that means "no change" to the system is no user and no group`() throws {
    let folder = try TemporaryFolder()
    for key in ["user", "group"] {
      try folder.write("jobs: {a: {on: start, run: date, \(key): 4294967295}}\n")
      let check = try TaktProcess(["check"], in: folder)
      #expect(check.waitForExit() == 78)
      #expect(check.errors.contains("there is no \(key) '4294967295'"))
    }
  }

  @Test func `what leads to the session of takt's user is not passed to another user`() throws {
    let session = [
      "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "XAUTHORITY", "TMUX",
    ]
    let lines = try output(
      "user: nobody, inherit_env: true", session.map { "\($0)=/run/of-root" } + ["ONLY_ROOT=x"])
    #expect(lines.contains("ONLY_ROOT=x"))
    #expect(!lines.contains { $0.contains("/run/of-root") })
  }

  @Test func `root reads a ledger of another user with that user's rights`() throws {
    let (folder, takt) = try TaktProcess.running("jobs: {a: {on: start, cwd: /, run: echo x}}\n")
    try takt.line("the end") { $0.to == "ended" }
    #expect(try takt.stop() == 0)
    let state = folder.url.appendingPathComponent(".takt").path
    for name in try FileManager.default.contentsOfDirectory(atPath: state) {
      #expect(chown("\(state)/\(name)", 47_325, 47_325) == 0)
    }
    // Its user may make no file there, and root does not.
    #expect(chown(state, 47_325, 47_325) == 0 && chmod(state, 0o500) == 0)
    #expect(chmod(folder.url.path, 0o755) == 0)
    let before = try FileManager.default.contentsOfDirectory(atPath: state).sorted()
    for command in ["runs", "logs", "verify"] {
      let arguments = command == "logs" ? [command, "a"] : [command]
      _ = try TaktProcess(arguments, in: folder).waitForExit()
      let after = try FileManager.default.contentsOfDirectory(atPath: state).sorted()
      #expect(after == before, "\(command)")
    }
    #expect(chmod(state, 0o700) == 0)
    let runs = try TaktProcess(["runs"], in: folder)
    #expect(try runs.text().contains("succeeded"))
    #expect(runs.waitForExit() == 0, "\(runs.errors)")
  }

  @Test func `another user's job finds the runtime folder of its user, if there is one`() throws {
    let folder = "/run/user/47324"
    mkdir("/run/user", 0o755)
    #expect(mkdir(folder, 0o700) == 0)
    defer { rmdir(folder) }
    #expect(try !output("user: 47324").contains("XDG_RUNTIME_DIR=\(folder)"))
    #expect(chown(folder, 47_324, 65_534) == 0)
    #expect(try output("user: 47324").contains("XDG_RUNTIME_DIR=\(folder)"))
  }

  @Test(
    arguments: [
      (0o600, 0, true), (0o644, 0, true), (0o600, 65_534, true), (0o620, 0, false),
      (0o602, 0, false), (0o600, 47_321, false),
    ] as [(mode_t, uid_t, Bool)])
  func `a secret belongs to root or to the job's user, and only they may write it`(
    mode: mode_t, owner: uid_t, isRead: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let secret = try folder.write("value", to: "secret")
    chown(secret, owner, 0)
    chmod(secret, mode)
    try folder.write(
      """
      jobs:
        a: {on: start, cwd: /, user: nobody, inherit_env: false, run: 'exit 3', \
      secrets: {KEY: {file: secret}}}

      """)
    let takt = try TaktProcess(["run"], in: folder)
    let end = try takt.line("the end") { $0.job == "a" && $0.to == "ended" }
    #expect(end.reason == (isRead ? "exit(3)" : "not_started(secret, EPERM)"))
    let mending = owner == 47_321 ? "chown root" : "chmod go-w"
    let isReported = takt.lines.contains {
      ($0.line ?? $0.message ?? "").contains("run `\(mending) \(secret)`")
    }
    #expect(isReported == !isRead)
    #expect(
      takt.lines.contains { $0.message?.contains("can be read by other users") == true }
        == (mode == 0o644))
    #expect(try takt.stop() == 0)
  }

  @Test(arguments: [("root", false), ("own", true)])
  func `a file of root is no secret where a link of the job's user leads to it`(
    target: String, isRead: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("of root", to: "root")
    chmod(file, 0o600)
    let own = try folder.write("own", to: "own")
    chmod(own, 0o600)
    chown(own, 65_534, 65_534)
    let home = folder.url.appendingPathComponent("home").path
    #expect(mkdir(home, 0o755) == 0 && symlink("../\(target)", "\(home)/secret") == 0)
    #expect(chown(home, 65_534, 65_534) == 0 && lchown("\(home)/secret", 65_534, 65_534) == 0)
    try folder.write(
      """
      jobs:
        a: {on: start, cwd: /, user: nobody, inherit_env: false, run: 'exit 3', \
      secrets: {KEY: {file: home/secret}}}

      """)
    let takt = try TaktProcess(["run"], in: folder)
    let end = try takt.line("the end") { $0.job == "a" && $0.to == "ended" }
    #expect(end.reason == (isRead ? "exit(3)" : "not_started(secret, EPERM)"))
    let isReported = takt.lines.contains {
      ($0.line ?? $0.message ?? "").contains("reached by a link that another user may have made")
    }
    #expect(isReported == !isRead)
    #expect(try takt.stop() == 0)
  }

  @Test func `at the limit of threads http fails, and takt continues`() throws {
    let folder = try TemporaryFolder(
      """
      jobs:
        alert:
          on: start
          steps:
            - {use: touch, with: {path: made}}
            - {run: 'prlimit --pid $PPID --nproc=1:'}
            - {use: http, with: {url: 'http://127.0.0.1:9/'}}
        beside: {every: 100ms, use: log, with: {message: x}}

      """)
    chown(folder.url.path, 47_321, 47_321)
    let takt = try TaktProcess(
      [
        "--reuid=47321", "--regid=47321", "--clear-groups", TaktProcess.executable.path, "run",
      ], program: "/usr/bin/setpriv", in: folder)
    let end = try takt.line("the end") { $0.job == "alert" && $0.to == "ended" }
    #expect(end.reason == "no_thread")
    // While there are none, the system library waits for threads of its own.
    let lifting = try TaktProcess(
      [
        "--reuid=47321", "--regid=47321", "--clear-groups", "prlimit", "--pid", "\(takt.pid)",
        "--nproc=4000:",
      ], program: "/usr/bin/setpriv", in: folder)
    #expect(lifting.waitForExit() == 0, "\(lifting.errors)")
    for _ in 0..<5 { try takt.line("a slot") { $0.job == "beside" && $0.verdict == "ran" } }
    #expect(try takt.stop() == 0)
  }
}
