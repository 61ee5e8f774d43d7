import Foundation
import Testing

/// Commands over all machines of a cluster: real daemons on a real database.
@Suite(
  .enabled(if: ClusterMachines.isInstalled, "PostgreSQL is not installed"), .serialized, .ownThreads
)
struct ClusterMonitoringTests {
  private static let jobs = """
    jobs:
      hand: {every: 24h, run: 'echo by $TAKT_JOB; exit 3'}
      slow: {every: 24h, run: 'sleep 600'}
      own: {every: 24h, machines: each, run: 'true'}

    """

  /// `a` and another machine, which `a` knows.
  private func pair(_ name: String = "b", machine: String? = nil, api: String? = nil) throws
    -> ClusterMachines
  {
    let cluster = try ClusterMachines(Self.jobs)
    try cluster.start(name, machine: machine, api: api)
    try cluster.start("a")
    return cluster
  }

  @Test func `runs, output and jobs of another machine are shown, and a run is triggered there`()
    throws
  {
    let cluster = try pair("web-1.example")
    let on = "web-1.example"
    #expect(try cluster.takt("a", "trigger", "hand", "--wait").status == 3)
    let there = try cluster.takt("a", "trigger", "hand", "--on", on, "--wait")
    #expect(there.status == 3 && there.output == "by hand\n", "\(there)")
    let again = try cluster.takt("a", "trigger", "hand", "--on", on)
    #expect(again.status == 0 && again.output.hasPrefix("run 2 of hand: "), "\(again)")
    let all = try cluster.takt("a", "runs", "--cluster")
    let lines = all.output.split(separator: "\n").map { $0.split(separator: " ").prefix(3) }
    #expect(all.status == 0 && all.errors.isEmpty, "\(all)")
    #expect(lines.first == ["MACHINE", "RUN", "JOB"])
    #expect(
      lines.dropFirst().map { $0.joined(separator: " ") }
        == ["\(on) 2 hand", "\(on) 1 hand", "a 1 hand"])
    let one = try cluster.takt("a", "runs", "hand", "--on", on, "-n", "1", "--json")
    #expect(one.output.split(separator: "\n").count == 1, "\(one)")
    #expect(one.output.contains("\"machine\":\"\(on)\"") && one.output.contains("\"run\":2"))
    let logs = try cluster.takt("a", "logs", "hand", "--cluster")
    #expect(logs.status == 0 && logs.output == "by hand\n")
    #expect(logs.errors.hasPrefix("run 2 of hand on '\(on)', slot "), "\(logs.errors)")
    let first = try cluster.takt("a", "logs", "1", "--on", on)
    #expect(first.output == "by hand\n" && first.errors.hasPrefix("run 1 of hand on '\(on)', "))
    let status = try cluster.takt("a", "status", "--cluster")
    #expect(status.status == 0)
    let rows = status.output.split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
    #expect(rows.map(\.first) == ["JOB", "hand", "slow"])
    #expect(rows[1].last == on && status.output.contains("failed exit(3) "), "\(status.output)")
    #expect(try cluster.takt("a", "trigger", "slow", "--on", on).status == 0)
    let busy = try cluster.takt("a", "trigger", "slow", "--on", on)
    #expect(busy.status == 75 && busy.errors.hasPrefix("takt: machine '\(on)': run "), "\(busy)")
    #expect(try cluster.takt("a", "status", "--cluster").output.contains("running  \(on)  "))
    let page = try cluster.object("a", "/api/v1/cluster")
    let addresses = (page["members"] as? [[String: Any]])?.compactMap { $0["api"] as? String }
    #expect(addresses?.count == 2)
  }

  @Test func `a machine that is unknown, and one of two of one name, are distinguished`() throws {
    let cluster = try ClusterMachines(Self.jobs)
    try cluster.start("b", machine: "twin")
    try cluster.start("c", machine: "twin")
    try cluster.start("a")
    let unknown = try cluster.takt("a", "runs", "--on", "twim")
    #expect(unknown.status == 64)
    #expect(
      unknown.errors == "takt: the cluster has no machine 'twim'. Its machines are a, twin.\n")
    let (first, second) = (try cluster.member("b"), try cluster.member("c"))
    let both = try cluster.takt("a", "trigger", "hand", "--on", "twin")
    #expect(
      both.errors
        == "takt: 2 machines are named 'twin'. Name one by its number: member:\(first) or "
        + "member:\(second).\n")
    #expect(both.status == 64)
    #expect(try cluster.takt("a", "runs", "--on", "twin").status == 64)
    #expect(try cluster.takt("a", "cancel", "hand", "--on", "twin").status == 64)
    #expect(try cluster.takt("a", "trigger", "hand", "--on", "member:\(second)").status == 0)
    #expect((try cluster.object("c", "/api/v1/runs")["runs"] as? [Any])?.count == 1)
    #expect((try cluster.object("b", "/api/v1/runs")["runs"] as? [Any])?.isEmpty == true)
    let wrong = try cluster.takt("a", "trigger", "nothing", "--on", "member:\(first)")
    #expect(wrong.status == 64)
    #expect(
      wrong.errors == "takt: machine 'twin' (member \(first)): there is no job 'nothing'\n",
      "\(wrong)")
  }

  @Test func `runs of another machine are cancelled, by job and by number`() throws {
    let cluster = try pair()
    let nothing = try cluster.takt("a", "cancel", "slow", "--on", "b")
    #expect(nothing.status == 1, "\(nothing)")
    #expect(nothing.errors.contains("no run of 'slow' is active or waiting"), "\(nothing)")
    for word in ["slow", "run:2", "3"] {
      let run = try cluster.takt("a", "trigger", "slow", "--on", "b")
      #expect(run.status == 0, "\(run)")
      let number = try #require(run.output.split(separator: " ").dropFirst().first)
      let cancel = try cluster.takt("a", "cancel", word, "--on", "b")
      #expect(cancel.status == 0 && cancel.output == "cancelled: run \(number)\n", "\(cancel)")
      try cluster.process("b").line("the end") {
        $0.run == Int(number) && $0.outcome == "cancelled"
      }
    }
    let ended = try cluster.takt("a", "cancel", "run:3", "--on", "b")
    #expect(ended.status == 1 && ended.errors == "takt: machine 'b': run 3 has ended\n", "\(ended)")
    #expect(try cluster.takt("a", "cancel", "run:9", "--on", "b").status == 64)
    #expect(try cluster.takt("a", "cancel", "no", "--on", "b").status == 64)
    let all = try cluster.takt("a", "cancel", "--all", "--on", "b")
    #expect(all.status == 1 && all.errors.contains("active or waiting there"), "\(all)")
    #expect(try cluster.takt("a", "trigger", "slow", "--on", "b").status == 0)
    #expect(
      try cluster.takt("a", "cancel", "--all", "--on", "b").output == "slow: cancelled run 4\n")
  }

  @Test func `output on another machine is followed until the run ends`() throws {
    let cluster = try ClusterMachines(
      """
      jobs:
        talks:
          every: 24h
          run: echo one; while [ ! -e "$PWD/go" ]; do sleep 0.1; done; echo two

      """)
    try cluster.start("b")
    try cluster.start("a")
    #expect(try cluster.takt("a", "trigger", "talks", "--on", "b").status == 0)
    func follow(_ word: String, _ onBytes: @escaping (TaktProcess, String) -> Void) throws
      -> TaktProcess
    {
      let logs = try TaktProcess(
        ["logs", word, "--on", "b", "--follow", "--file", "a.yaml"], in: cluster.folder)
      logs.onBytes = { [unowned logs] in onBytes(logs, String(decoding: $0, as: UTF8.self)) }
      return logs
    }
    let run = try follow("run:1") { _, text in
      if text.contains("one") { _ = try? cluster.folder.write("", to: "go") }
    }
    #expect(try run.text() == "one\ntwo\n", "\(run.errors)")
    #expect(run.waitForExit() == 0)
    try FileManager.default.removeItem(at: cluster.folder.url.appendingPathComponent("go"))
    #expect(try cluster.takt("a", "trigger", "talks", "--on", "b").status == 0)
    let job = try follow("talks") { logs, text in
      if text.contains("one") { _ = try? cluster.folder.write("", to: "go") }
      if text.contains("two") { logs.signal(SIGTERM) }
    }
    #expect(try job.text() == "one\ntwo\n", "\(job.errors)")
    #expect(job.errors.hasPrefix("run 2 of talks on 'b'\n"), "\(job.errors)")
    #expect(try cluster.takt("a", "logs", "run:9", "--on", "b", "--follow").status == 64)
    #expect(try cluster.takt("a", "logs", "talks", "--cluster", "--follow").status == 64)
  }

  @Test func `a job that is called by a number is meant, and one that is unknown is an error`()
    throws
  {
    let cluster = try ClusterMachines(Self.jobs + "  \"7\": {every: 24h, run: 'echo seven'}\n")
    try cluster.start("b")
    try cluster.start("a")
    for _ in 1...7 { _ = try cluster.takt("a", "trigger", "hand", "--on", "b", "--wait") }
    #expect(try cluster.takt("a", "trigger", "7", "--on", "b", "--wait").status == 0)
    for words in [["logs", "7", "--cluster"], ["logs", "7", "--on", "b"]] {
      let command = try TaktProcess(words + ["--file", "a.yaml"], in: cluster.folder)
      #expect(try command.text() == "seven\n", "\(words) \(command.errors)")
      #expect(command.waitForExit() == 0)
    }
    let run = try cluster.takt("a", "logs", "run:7", "--on", "b")
    #expect(run.output == "by hand\n", "\(run)")
    let number = try cluster.takt("a", "logs", "6", "--cluster")
    #expect(number.status == 64 && number.errors.contains("name a machine with --on"), "\(number)")
    let unknown = try cluster.takt("a", "runs", "hnd", "--cluster")
    #expect(unknown.status == 64 && unknown.output.isEmpty)
    #expect(
      unknown.errors == "takt: no machine of the cluster has a job 'hnd'. Did you mean 'hand'?\n")
    let none = try cluster.takt("a", "runs", "slow", "--cluster")
    #expect(none.status == 0 && none.errors == "takt: no runs\n", "\(none)")
  }

  @Test func `labels that no machine has are said in the log, in 'cluster' and by 'why'`() throws {
    let cluster = try ClusterMachines(
      "jobs: {fast: {every: 1s, machines: {disk: fast}, run: 'true'}}\n")
    try cluster.start("a", lease: "3s", tokens: "labels: {site: east}")
    let problem =
      "no machine of the cluster has the labels disk=fast, so 1 job does not run: fast; machines: "
      + "'a' (site=east)"
    try cluster.process("a").line("the warning") { $0.message == problem }
    #expect(try cluster.takt("a", "cluster").output.hasPrefix("problem: \(problem)\n"))
    #expect(try cluster.takt("a", "status").output.contains("\ncluster: \(problem)\n"))
    // An entry of the log may be in the ledger a moment later.
    try cluster.process("a").line("a slot") { $0.job == "fast" && $0.reason == "unplaced" }
    let status = try cluster.takt("a", "status", "fast").output
    #expect(
      status.contains(
        "\nproblem: No machine of the cluster has the labels disk=fast: its slots run nowhere.\n"))
    #expect(try cluster.takt("a", "trigger", "fast", "--wait").status == 0)
    let why = try cluster.takt("a", "why", "fast")
    #expect(why.output.contains("no machine of the cluster has them: its slots run nowhere"))
    #expect(
      why.output.contains("Machine 'a' (member \(try cluster.member("a"))) has site=east."),
      "\(why)")
    #expect(!why.output.contains("no problem"))
    try cluster.start("b", lease: "3s", tokens: "labels: {disk: fast}")
    try cluster.process("a").line("the end of it") {
      $0.message == "resolved: a machine of the cluster has the labels disk=fast; fast runs again"
    }
    #expect(try !cluster.takt("a", "cluster").output.contains("problem: "))
    let elsewhere = try cluster.takt("a", "why", "fast")
    #expect(
      elsewhere.output.contains(
        "The job needs a machine with the labels disk=fast. This machine has site=east, so it leaves "
          + "the slots to 'b'; this is no problem."), "\(elsewhere)")
    try cluster.process("a").line("a slot left to 'b'") {
      $0.job == "fast" && $0.reason == "elsewhere"
    }
    #expect(try cluster.process("a").stop() == 0)
    let stopped = try cluster.takt("a", "why", "fast")
    #expect(stopped.status == 0 && stopped.errors.isEmpty)
    #expect(stopped.output.contains("'takt verify --cluster' checks that one of them has it."))
  }

  @Test func `why says which machine has an older schedule`() throws {
    let cluster = try ClusterMachines("jobs: {tick: {every: 1s, run: 'true'}}\n")
    try cluster.start("b")
    try cluster.start("a")
    try cluster.folder.write("jobs: {tick: {every: 2s, run: 'true'}}\n", to: "shared.yaml")
    #expect(try cluster.takt("b", "reload").status == 0)
    try cluster.process("a").line("the drift") {
      $0.message?.hasPrefix("another machine has a newer schedule of this job") == true
    }
    let why = try cluster.takt("a", "why", "tick")
    for line in [
      "Another machine has loaded a newer schedule of the job, so this machine claims none of its "
        + "slots. The files differ, or the time zones do: make them equal and run 'takt reload'.",
      "Machine 'a' (member \(try cluster.member("a"))) has an older schedule and claims nothing: every 1s align epoch.",
      "Machine 'b' (member \(try cluster.member("b"))) has the schedule in force: every 2s align epoch.",
    ] {
      #expect(why.output.contains(line), "\(why)")
    }
    #expect(try !cluster.takt("b", "why", "tick").output.contains("older schedule"))
  }

  @Test func `a machine that is down or hangs is named, and the rest is shown`() throws {
    let cluster = try pair()
    #expect(try cluster.takt("a", "trigger", "hand", "--wait").status == 3)
    let hung = try cluster.process("b")
    hung.signal(SIGSTOP)
    let address = try #require(
      (cluster.object("a", "/api/v1/cluster")["members"] as? [[String: Any]])?
        .first { $0["machine"] as? String == "b" }?["api"] as? String)
    let slow = try cluster.takt("a", "runs", "--cluster")
    #expect(slow.status == 69 && slow.output.contains("a        1    hand"), "\(slow)")
    #expect(slow.errors == "takt: machine 'b' did not answer: timed out after 2s (\(address))\n")
    let unsure = try cluster.takt("a", "trigger", "hand", "--on", "b")
    #expect(unsure.status == 69)
    #expect(
      unsure.errors
        == "takt: machine 'b' did not answer: timed out after 5s (\(address)); it may carry out the "
        + "request all the same\n")
    hung.crash()
    let down = try cluster.takt("a", "status", "--cluster")
    #expect(down.status == 69 && down.output.contains("hand"))
    #expect(
      down.errors
        == "takt: machine 'b' did not answer: nothing listens on the port (\(address))\n")
    let logs = try cluster.takt("a", "logs", "hand", "--cluster")
    #expect(logs.status == 69 && logs.output == "by hand\n")
  }

  @Test func `a server that is not takt behind the address is not believed`() throws {
    let web = try TemporaryFolder()
    let server = try LocalServer.web(in: web)
    let cluster = try pair(api: "http://127.0.0.1:\(server.port)")
    let runs = try cluster.takt("a", "runs", "--cluster")
    #expect(runs.status == 69)
    #expect(
      runs.errors
        == "takt: machine 'b' did not answer: the server at http://127.0.0.1:\(server.port) does not "
        + "belong to a cluster of takt\n")
    let trigger = try cluster.takt("a", "trigger", "hand", "--on", "b")
    #expect(trigger.status == 69 && trigger.errors.contains("does not belong to a cluster"))
  }

  @Test func `an answer without end, and one that is no HTTP, are bounded`() throws {
    let web = try TemporaryFolder()
    let server = try LocalServer(
      """
      import socket, threading
      listener = socket.socket()
      listener.bind(("127.0.0.1", 0))
      listener.listen(8)
      ready(listener.getsockname()[1])
      def serve(client):
          try:
              client.recv(65536)
              client.sendall(b"HTTP/1.1 200 OK\\r\\nTakt-Cluster: default\\r\\nTakt-Machine: b\\r\\n\\r\\n")
              while True: client.sendall(b" " * 1048576)
          except OSError: pass
      while True:
          client, _ = listener.accept()
          threading.Thread(target=serve, args=(client,), daemon=True).start()
      """, in: web)
    let cluster = try pair(api: "http://127.0.0.1:\(server.port)")
    let process = try cluster.process("a")
    let before = process.residentBytes
    let runs = try cluster.takt("a", "runs", "--cluster")
    #expect(runs.status == 69)
    #expect(runs.errors == "takt: machine 'b' sent more than 8MB\n")
    #expect(process.residentBytes - before < 100 << 20)
  }

  @Test func `another token is refused, and none asks nobody`() throws {
    let cluster = try ClusterMachines(Self.jobs)
    try cluster.start("b", tokens: "api_token_file: read.token")
    try cluster.writeToken("other", "other-token-other-token")
    try cluster.start("c", tokens: "api_token_file: other.token, api_write_token_file: write.token")
    let wrong = try cluster.takt("c", "runs", "--cluster")
    #expect(wrong.status == 69)
    #expect(
      wrong.errors
        == "takt: machine 'b' refused the token; all machines need the same 'api_token_file'\n")
    let write = try cluster.takt("c", "trigger", "hand", "--on", "b")
    #expect(
      write.errors
        == "takt: machine 'b' refused the token; all machines need the same "
        + "'api_write_token_file'\n")
    try cluster.start("a", tokens: "labels: {}")
    let none = try cluster.takt("a", "runs", "--on", "b")
    #expect(
      none.errors
        == "takt: machine 'b' was not asked: this machine has no token; set 'api_token_file' under "
        + "'scheduler.cluster' on all machines\n")
    try cluster.start("d", tokens: "api_token_file: read.token")
    #expect(try cluster.takt("d", "runs", "--on", "b").status == 0)
    let read = try cluster.takt("d", "trigger", "hand", "--on", "b")
    #expect(read.status == 69)
    #expect(
      read.errors
        == "takt: machine 'b' was not asked: this machine has no token that may write; set "
        + "'api_write_token_file' under 'scheduler.cluster' on all machines\n")
  }

  @Test func `by default a machine is reached at its host name, and goes by it`() throws {
    let cluster = try ClusterMachines(Self.jobs)
    try cluster.start("a", listen: "0.0.0.0")
    let view = try cluster.object("a", "/api/v1/cluster")
    let port = try #require(cluster.page("a").split(separator: ":").last.flatMap { UInt16($0) })
    let host = try #require(view["host"] as? String).lowercased()
    #expect(view["api"] as? String == "http://\(host):\(port)")
    let connection = try RawConnection(port: port)
    connection.send(
      "GET /api/v1/status HTTP/1.1\r\nHost: \(host):\(port)\r\n"
        + "Authorization: Bearer read-token-read-token\r\n\r\n")
    #expect(connection.status() == 200)
    let other = try RawConnection(port: port)
    other.send(
      "GET /api/v1/status HTTP/1.1\r\nHost: other:\(port)\r\n"
        + "Authorization: Bearer read-token-read-token\r\n\r\n")
    #expect(other.status() == 403)
  }

  @Test func `a token file that is missing is an error in the log, and no more`() throws {
    let cluster = try ClusterMachines(Self.jobs)
    try cluster.start("a", tokens: "api_token_file: none.token")
    let path = cluster.folder.url.resolvingSymlinksInPath().path + "/none.token"
    let said = try cluster.process("a").lines.compactMap(\.message)
    #expect(
      said.contains {
        $0.hasPrefix("in the cluster, the token of 'api_token_file' cannot be used: ")
          && $0.hasSuffix("/none.token: No such file or directory")
      }, "\(path) \(said)")
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try cluster.takt("a", "runs", "--cluster").status == 0)
  }

  @Test func `what cannot be combined is refused, and a daemon without a cluster says so`() throws {
    let live = try LiveTakt("jobs: {a: {every: 1h, run: 'true'}}\n")
    #expect(try live.takt("runs", "--cluster", "--on", "b").status == 64)
    #expect(try live.takt("logs", "a", "--follow", "--cluster").status == 64)
    #expect(try live.takt("status", "a", "--cluster").status == 64)
    #expect(try live.takt("runs", "--cluster", "-n", "1001").status == 64)
    #expect(try live.takt("logs", "7", "--cluster").status == 64)
    for words in [
      ["runs", "--cluster"], ["status", "--cluster"], ["logs", "a", "--cluster"],
      ["trigger", "a", "--on", "b"],
    ] {
      let command = try TaktProcess(words, in: live.folder)
      #expect(try command.text().isEmpty)
      #expect(command.waitForExit() == 64)
      #expect(
        command.errors
          == "takt: this daemon is not in a cluster. Its jobs file has no 'scheduler.cluster'.\n")
    }
  }
}
