import Foundation
import Glibc
import TestSupport
import Testing

/// The commands for a cluster, without an engine.
@Suite(.ownThreads) struct ClusterCommandTests {
  private static let job = "jobs: {shared: {every: 1m, run: 'true'}}\n"

  @Test func `a daemon without a cluster says that it has none`() throws {
    let live = try LiveTakt(Self.job)
    let cluster = try live.takt("cluster")
    #expect(cluster.status == 0)
    #expect(cluster.output == "no cluster: the jobs file has no 'scheduler.cluster'\n")
    #expect(try live.takt("cluster", "--json").output == "{\"enabled\":false}\n")
    #expect(try !live.takt("status").output.contains("cluster"))
    #expect(try live.process.stop() == 0)
    #expect(try live.takt("cluster").status == 69)
  }

  /// Waits until the scheduler also knows that the engine does not answer.
  private static func awaitFailure(_ live: LiveTakt) throws {
    func isIt(_ line: TaktProcess.Line) -> Bool {
      line.message?.hasPrefix("the cluster's engine does not answer: ") == true
    }
    if !live.process.lines.contains(where: isIt) {
      try live.process.line("the failure", where: isIt)
    }
  }

  @Test func `a daemon whose engine cannot be reached says why, first of all`() throws {
    let live = try LiveTakt(
      """
      scheduler:
        cluster: {engine: postgres, url: 'host=/no/such/folder user=u password=hunter2', machine: m, start: degrade}

      """ + Self.job)
    try Self.awaitFailure(live)
    let cluster = try live.takt("cluster")
    #expect(cluster.status == 0, "\(cluster)")
    let lines = cluster.output.split(separator: "\n")
    #expect(lines[0].hasPrefix("problem: the engine does not answer: "), "\(cluster.output)")
    #expect(cluster.output.contains("\ncluster 'default': 0 machines, engine does not answer\n"))
    #expect(cluster.output.contains("\nthis machine: 'm', not a member\n"))
    #expect(try live.takt("status").output.contains("\ncluster: the engine does not answer: "))
    let json = try live.takt("cluster", "show", "--json").output
    #expect(json.contains(#""engine_answers":false"#) && !json.contains("hunter2"))
    #expect(try live.process.stop() == 0)
  }

  @Test func `a daemon that cannot reach etcd says why, and one that finds something else stops`()
    throws
  {
    let live = try LiveTakt(
      """
      scheduler:
        cluster: {engine: etcd, endpoints: [http://127.0.0.1:1], machine: m}

      """ + Self.job)
    try Self.awaitFailure(live)
    let cluster = try live.takt("cluster").output
    #expect(
      cluster.hasPrefix(
        "problem: the engine does not answer: Cannot connect to etcd at http://127.0.0.1:1: "),
      "\(cluster)")
    #expect(try live.takt("cluster", "--json").output.contains(#""engine":"etcd""#))
    #expect(try live.process.stop() == 0)

    let folder = try TemporaryFolder(
      """
      scheduler:
        cluster:
          engine: etcd
          endpoints: [http://127.0.0.1:1]
          username: takt
          password: {file: no-such-file}

      """ + Self.job)
    let takt = try TaktProcess(["verify", "--cluster"], in: folder)
    #expect(takt.waitForExit() == 78, "there is no ledger yet: \(takt.errors)")
  }

  @Test(arguments: ["refuse", "degrade"])
  func `what waiting does not mend ends takt, or leaves its shared jobs waiting`(start: String)
    throws
  {
    let server = try Listener(
      saying: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", closes: true)
    let port = server.port
    let takt = try TaktProcess.running(
      "scheduler: {cluster: {engine: etcd, endpoints: 'http://127.0.0.1:\(port)', start: \(start)}}\n"
        + Self.job
    ).process
    let sentence = "The server at http://127.0.0.1:\(port) is not etcd. Check the host"
    if start == "refuse" {
      #expect(takt.waitForExit() == 78)
      #expect(takt.errors.contains("takt: cannot join the cluster: \(sentence)"))
    } else {
      try takt.line("the warning") { $0.message?.contains(sentence) == true }
      #expect(try takt.stop() == 0)
    }
  }

  @Test func `the SQL of the schema needs no daemon and no jobs file`() throws {
    let folder = try TemporaryFolder()
    func sql(_ arguments: String...) throws -> String {
      let takt = try folder.takt(["cluster", "sql"] + arguments)
      #expect(takt.status == 0 && takt.errors.isEmpty)
      return takt.output
    }
    let plain = try sql()
    #expect(plain.contains("CREATE SCHEMA takt") && plain.contains("\nCOMMIT;\n"))
    // Without a role no rights are granted.
    #expect(
      !plain.contains("\nGRANT ") && plain.contains("\n-- GRANT EXECUTE ON FUNCTION takt.batch"))
    let named = try sql("--role", #"the "daemons""#)
    #expect(named.hasPrefix(plain.prefix(1000)))
    #expect(named.contains("\nGRANT USAGE ON SCHEMA takt TO \"the \"\"daemons\"\"\";\n"))
  }

  @Test(arguments: [
    ("", "is empty"), ("takt\nx", "control character"), ("takt\u{7f}", "control character"),
    (String(repeating: "ä", count: 32), "64 bytes"), ("public", "every role"),
    ("none", "cannot be"),
  ])
  func `what is no role's name is granted nothing`(role: String, words: String) throws {
    let folder = try TemporaryFolder()
    let takt = try TaktProcess(["cluster", "sql", "--role", role], in: folder)
    #expect(try takt.text().isEmpty)
    #expect(takt.waitForExit() == 64 && takt.errors.contains(words), "\(takt.errors)")
  }

  /// The answer of `takt check` to a URL, without the places.
  private static func check(_ url: String) throws -> TaktAnswer {
    try TemporaryFolder("scheduler: {cluster: {engine: postgres, url: '\(url)'}}\n" + job)
      .takt("check")
  }

  /// libpq is installed with PostgreSQL.
  @Test(
    .enabled(if: ClusterMachines.isInstalled, "PostgreSQL is not installed"),
    arguments: [
      ("postgresql://u@h:70000/d", "the port in 'url' is not a number from 1 to 65535"),
      (
        "postgresql://u@h/d?nosuch=1", "'url' is invalid: invalid URI query parameter: \"nosuch\"; "
      ),
      (
        "postgresql://u@h/d?sslmode=bogus",
        "libpq rejects 'url': invalid sslmode value: \"bogus\"; "
      ),
      ("host=h oops port=1", "'url' is invalid: missing \"=\" after \"oops\" in connection info"),
      ("host=a,b,c port=1,2", "'url' has 2 ports for 3 hosts"),
    ])
  func `a URL that cannot work is an error with its place`(url: String, words: String) throws {
    let answer = try Self.check(url)
    #expect(answer.status == 78, "\(answer.errors)")
    #expect(
      answer.errors.contains("jobs.yaml:1:46: error: ") && answer.errors.contains(words),
      "\(answer.errors)")
  }

  @Test(
    .enabled(if: ClusterMachines.isInstalled, "PostgreSQL is not installed"),
    arguments: [
      (
        "postgresql://u@h/d?sslmode=verify-full&sslrootcert=/no/such",
        "the file of 'sslrootcert' in 'url' does not exist; create it, or correct its path"
      ),
      ("postgresql://u@h/d?service=nosuch", "definition of service \"nosuch\" not found; name a "),
      ("postgresql://u@h/d?connect_timeout=5s", "'connect_timeout' in 'url' is no number"),
    ])
  func `what only this machine may lack is a warning`(url: String, words: String) throws {
    let answer = try Self.check(url)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(
      answer.errors.contains("jobs.yaml:1:46: warning: ") && answer.errors.contains(words),
      "\(answer.errors)")
  }

  @Test func `a URL that is right is no warning`() throws {
    for url in [
      "postgresql://u:p%40@h,i:1,2/d?sslmode=require&target_session_attrs=read-write",
      "host=/run/postgresql dbname=d user=u", "postgresql:///d",
    ] {
      let answer = try Self.check(url)
      #expect(answer.status == 0 && answer.errors.isEmpty, "\(url): \(answer.errors)")
    }
  }

  @Test func `files of the cluster's keys that are missing are warnings of check`() throws {
    let folder = try TemporaryFolder(
      """
      scheduler:
        http: {listen: 127.0.0.1:8080}
        cluster:
          engine: etcd
          endpoints: [https://127.0.0.1:1]
          ca: no-ca.pem
          cert: no-cert.pem
          key: no-key.pem
          username: takt
          password: {file: no-password}
          api_token_file: no-read.token
          api_write_token_file: no-write.token

      """ + Self.job)
    let takt = try folder.takt("check")
    #expect(takt.status == 0)
    for (line, column, name, key) in [
      (6, 9, "'ca'", "ca"), (7, 11, "'cert'", "cert"), (8, 10, "'key'", "key"),
      (10, 22, "'password'", "file"), (11, 21, "'api_token_file'", "api_token_file"),
      (12, 27, "'api_write_token_file'", "api_write_token_file"),
    ] {
      let sentence =
        "jobs.yaml:\(line):\(column): warning: the file of \(name) does not exist; create it, or "
        + "correct '\(key)'"
      #expect(takt.errors.contains(sentence), "\(sentence)\n\(takt.errors)")
    }
  }

  private static func scheduler(_ more: String = "") -> String {
    """
    scheduler:
      cluster: {engine: postgres, url: 'host=/no/such/folder dbname=takt', start: degrade\(more)}

    """
  }

  private static let jobs = """
    jobs:
      shared: {every: 1h, run: 'true'}
      added: {every: 2h, run: 'true'}

    """

  @Test(arguments: [true, false])
  func `a reload that adds or removes the cluster changes nothing`(isAdded: Bool) throws {
    let live = try LiveTakt((isAdded ? "" : Self.scheduler()) + Self.job)
    try live.folder.write((isAdded ? Self.scheduler() : "") + Self.jobs)
    let change = isAdded ? "added" : "removed"
    let sentence =
      "jobs.yaml: error: 'cluster' was \(change) under 'scheduler'; restart takt to apply this file"
    let reload = try live.takt("reload")
    #expect(reload.status == 78 && reload.errors.contains(sentence), "\(reload)")
    #expect(reload.errors.contains("the previous jobs keep running"))
    #expect(try live.object("GET", "/api/v1/jobs")["total"] as? Int == 1)
    #expect(try live.object("GET", "/api/v1/cluster")["enabled"] as? Bool == !isAdded)
    let text = live.folder.read("jobs.yaml")
    let plan = try live.ask("POST", "/api/v1/plan", text)
    #expect(
      plan.status == 422 && plan.text.contains(sentence) && plan.text.contains("needsRestart"))
    // The file as it was can be reloaded again.
    try live.folder.write((isAdded ? "" : Self.scheduler()) + Self.jobs)
    #expect(try live.takt("reload").status == 0)
    #expect(try live.object("GET", "/api/v1/jobs")["total"] as? Int == 2)
    #expect(try live.process.stop() == 0)
  }

  @Test func `a reload that changes keys of the cluster is applied, but for them`() throws {
    let live = try LiveTakt(Self.scheduler(", machine: one") + Self.job)
    try live.folder.write(Self.scheduler(", machine: two") + Self.jobs)
    let reload = try live.takt("reload")
    #expect(
      reload.status == 0 && reload.output.contains("machine one, start degrade → "), "\(reload)")
    try live.process.line("the warning") {
      $0.message == "'cluster' changed, which needs a restart"
    }
    #expect(try live.object("GET", "/api/v1/jobs")["total"] as? Int == 2)
    #expect(try live.object("GET", "/api/v1/cluster")["machine"] as? String == "one")
    #expect(try live.process.stop() == 0)
  }

  @Test func `a plan of two files refuses a cluster that comes or goes`() throws {
    let folder = try TemporaryFolder()
    let (without, with) = (
      try folder.write(Self.jobs, to: "without.yaml"),
      try folder.write(Self.scheduler() + Self.jobs, to: "with.yaml")
    )
    for (old, new, change) in [(without, with, "added"), (with, without, "removed")] {
      let takt = try folder.takt(["plan", old, new])
      #expect(takt.status == 78 && takt.output.isEmpty)
      #expect(takt.errors.contains("\(new): error: 'cluster' was \(change) under 'scheduler'"))
    }
  }

  @Test func `verify --cluster says what it lacks`() throws {
    let folder = try TemporaryFolder()
    func verify(_ jobs: String, _ more: String...) throws -> TaktAnswer {
      try folder.write(jobs)
      let answer = try folder.takt(["verify", "--cluster"] + more)
      #expect(answer.output.isEmpty)
      return answer
    }
    let without = try verify(Self.jobs)
    #expect(
      without.status == 78 && without.errors == "takt: jobs.yaml has no 'scheduler.cluster'\n")
    #expect(try verify(Self.jobs, "--log", "x").status == 64)
    #expect(try verify(Self.jobs, "--state", ".takt").status == 64)
    // There is no ledger yet.
    #expect(try verify(Self.scheduler() + Self.jobs).status == 78)
    let takt = try TaktProcess(["run"], in: folder)
    try takt.line("the start") { $0.message?.hasPrefix("started;") == true }
    let unreachable = try verify(Self.scheduler() + Self.jobs)
    #expect(unreachable.status == 69)
    #expect(unreachable.errors.hasPrefix("takt: cannot read the cluster's slots: "))
    #expect(try takt.stop() == 0)
  }
}
