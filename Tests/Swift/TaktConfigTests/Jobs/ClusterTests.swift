import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

struct ClusterTests {
  private static let cluster = "scheduler: {cluster: {engine: postgres}}"

  private func settings(_ value: String) throws -> ClusterSettings? {
    let loaded = load("scheduler: {cluster: \(value)}\njobs: {a: {on: start, run: x}}\n")
    #expect(loaded.diagnostics.map(\.headline) == [])
    return try #require(loaded.snapshot).settings.cluster
  }

  @Test func `a cluster has what its keys say, and defaults otherwise`() throws {
    #expect(
      try settings("{engine: postgres}")
        == ClusterSettings(
          engine: .postgres(url: ""), name: "default", lease: .seconds(15), machine: nil,
          labels: [:], start: .refuse))
    #expect(
      try settings(
        """
        {engine: postgres, url: 'postgresql://takt@db/jobs', name: nightly, lease: 3s,
         machine: a.1, labels: {site: east, rack: 07}, start: degrade}
        """)
        == ClusterSettings(
          engine: .postgres(url: "postgresql://takt@db/jobs"), name: "nightly",
          lease: .seconds(3), machine: "a.1", labels: ["site": "east", "rack": "07"],
          start: .degrade))
    #expect(load("jobs: {a: {on: start, run: x}}").snapshot?.settings.cluster == nil)
  }

  @Test(arguments: [
    "postgres://", "postgresql:///jobs", "postgres://u:p@h:5432,i/db?sslmode=verify-full",
    "host=db user=takt", "service=takt", "dbname = 'a b'",
  ])
  func `each form of a connection string is taken as it is`(url: String) throws {
    #expect(try settings("{engine: postgres, url: \"\(url)\"}")?.engine == .postgres(url: url))
  }

  static let badClusters: [String] = [
    "wrongType | »postgres", "wrongType | »[postgres]", "wrongType | »null",
    "missingKey | »{lease: 5s}", "missingKey | »{}", "unknownKey | {»engin: postgres}",
    "badChoice | {engine: »redis}",
    "badValue | {engine: postgres, url: »db.example.org}",
    "badValue | {engine: postgres, url: »mysql://u@h/db?a=b}",
    "badValue | {engine: postgres, url: »''}", "wrongType | {engine: postgres, url: »null}",
    "badName | {engine: postgres, name: »a b}", "badName | {engine: postgres, machine: »ä}",
    "badName | {engine: postgres, machine: »\(String(repeating: "a", count: 129))}",
    "badName badName | {engine: postgres, labels: {»a b: c, d: »e/f}}",
    "wrongType | {engine: postgres, labels: »east}",
    "outOfRange | {engine: postgres, lease: »2999ms}",
    "outOfRange | {engine: postgres, lease: »301s}", "badDuration | {engine: postgres, lease: »15}",
    "badChoice | {engine: postgres, start: »wait}",
    "badValue | {engine: postgres, api: »'8080'}",
    "badValue | {engine: postgres, api: »a.example:80}",
    "badValue | {engine: postgres, api: »'http://u:p@a.example'}",
    "badValue | {engine: postgres, api: »'http://a.example/takt'}",
    "badValue | {engine: postgres, api: »'ftp://a.example'}",
    "badValue | {engine: postgres, api: »''}",
    "missingKey | {engine: postgres, api: »'http://a.example'}",
    "badValue | {engine: postgres, api_token_file: x, api_write_token_file: »x}",
    "wrongType | {engine: postgres, api_token_file: »{file: x}}",
    // etcd's keys.
    "missingKey | »{engine: etcd}", "conflictingKeys | {engine: etcd, »url: 'postgres://h/d'}",
    "conflictingKeys | {engine: postgres, »endpoints: http://h:1}",
    "conflictingKeys conflictingKeys | {engine: postgres, »ca: x, »username: x}",
    "badValue | {engine: etcd, endpoints: [»h:2379]}",
    "badValue | {engine: etcd, endpoints: [http://a:1, »ftp://h:2379]}",
    "badValue | {engine: etcd, endpoints: »http://}", "wrongType | {engine: etcd, endpoints: »{}}",
    "badValue | {engine: etcd, endpoints: »http://h:0}",
    "badValue | {engine: etcd, endpoints: »http://h:65536}",
    "badValue | {engine: etcd, endpoints: »http://h/v3}",
    "badValue | {engine: etcd, endpoints: »http://u:p@h}",
    "badValue | {engine: etcd, endpoints: »'http://[::1'}",
    "badValue | {engine: etcd, endpoints: »''}", "badValue | {engine: etcd, endpoints: »[]}",
    "missingKey | {engine: etcd, endpoints: https://h, »cert: x}",
    "missingKey | {engine: etcd, endpoints: https://h, »key: x}",
    "missingKey | {engine: etcd, endpoints: https://h, »username: x}",
    "missingKey | {engine: etcd, endpoints: https://h, »password: {env: X}}",
    "wrongType | {engine: etcd, endpoints: https://h, username: x, password: »hunter2}",
    "missingKey | {engine: etcd, endpoints: https://h, username: x, password: »{}}",
    "conflictingKeys | {engine: etcd, endpoints: https://h, username: x, "
      + "password: {env: X, »file: y}}",
  ]

  @Test func `what does nothing for etcd, or sends the password openly, is a warning`() {
    let loaded = load(
      """
      scheduler:
        cluster:
          engine: etcd
          endpoints: http://etcd
          ca: ca.pem
          username: takt
          password: {env: PW}
      jobs: {a: {every: 5s, run: x}}
      """)
    #expect(
      shown(loaded) == [
        "5:5: warning: 'ca' has no effect without an https:// endpoint; remove it",
        "6:5: warning: the password is sent to etcd without encryption; use https:// endpoints",
      ])
  }

  @Test func `etcd's members, certificates and user`() throws {
    #expect(
      try settings("{engine: etcd, endpoints: http://127.0.0.1}")?.engine
        == .etcd(EtcdSettings(endpoints: [.init(scheme: "http", host: "127.0.0.1", port: 2379)])))
    let loaded = load(
      """
      scheduler:
        cluster:
          engine: etcd
          endpoints: [https://e1:23790/, "https://[fe80::1]:1", "https://[::1]"]
          ca: /ca.pem
          cert: /c.pem
          key: /k.pem
          username: takt
          password: {file: /pw}
      jobs: {a: {on: start, run: x}}
      """)
    #expect(loaded.diagnostics.map(\.headline) == [])
    #expect(
      loaded.snapshot?.settings.cluster?.engine
        == .etcd(
          EtcdSettings(
            endpoints: [
              .init(scheme: "https", host: "e1", port: 23790),
              .init(scheme: "https", host: "fe80::1", port: 1),
              .init(scheme: "https", host: "::1", port: 2379),
            ], authority: "/ca.pem", certificate: "/c.pem", key: "/k.pem", user: "takt",
            password: Secret(.file("/pw")))))
  }

  @Test(arguments: badClusters)
  func `a bad cluster is reported at its place`(row: String) throws {
    // Its jobs are those of a cluster, although it is wrong: nothing is reported about them.
    try check(badRow: row) {
      "scheduler: {cluster: \($0)}\njobs: {a: {every: 5s, machines: each, run: x}}\n"
    }
  }

  static let badJobs: [String] = [
    "badChoice | every: 5s, run: x, machines: »two",
    "badChoice | every: 5s, run: x, machines: »all",
    "wrongType | every: 5s, run: x, machines: »[one]",
    "badValue | every: 5s, run: x, machines: »{}",
    "badName | every: 5s, run: x, machines: {site: »east west}",
    "badName | every: 5s, run: x, machines: {»'a b': c}",
    "badName | every: 5s, run: x, machines: {site: »}",
    "badChoice | every: 5s, run: x, on_partition: »skip",
    "badChoice | every: 5s, run: x, on_lease_lost: »kill",
    "conflictingKeys | every: 5s, »first: now, run: x",
    "conflictingKeys | every: 5s, from: end, »first: 1s, run: x",
    "conflictingKeys | every: 5s, »phase: keep, run: x",
    "conflictingKeys | every: 5s, align: epoch, »first: 1s, run: x",
    // Only the first is certainly wrong.
    "badChoice | every: 5s, from: end, machines: »eech, run: x",
  ]

  @Test(arguments: badJobs)
  func `a bad job of a cluster is reported at its place`(row: String) throws {
    try check(badRow: row) { "\(Self.cluster)\njobs:\n  a: {\($0)}\n" }
    // The same if the cluster is declared below the jobs.
    try check(badRow: row) { "jobs:\n  a: {\($0)}\n\(Self.cluster)\n" }
  }

  /// `text of the file | headlines`
  @Test(arguments: [
    "scheduler: {cluster: {engine: etcd}} | 1:22: error: 'engine: etcd' needs 'endpoints'; "
      + "add 'endpoints: [http://HOST:2379]'",
    "scheduler: {cluster: {engine: etcd, url: x}} | 1:37: error: 'url' needs 'engine: postgres'; "
      + "write endpoints: [http://HOST:2379]",
    "scheduler: {cluster: {engine: postgres, endpoints: [x]}} | 1:41: error: 'endpoints' needs "
      + "'engine: etcd'; write url: postgresql://USER@HOST/DATABASE",
    "scheduler: {cluster: {engine: etcd, endpoints: [x]}} | 1:49: error: this is not the address of "
      + "an etcd member; write http://HOST:PORT or https://HOST:PORT, with the user in 'username'",
    "scheduler: {cluster: {}} | 1:22: error: 'cluster' needs 'engine'; add 'engine: postgres'",
    "scheduler: {cluster: {engine: postgres, url: db}} | 1:46: error: 'url' is not a connection "
      + "string of PostgreSQL; write postgresql://USER@HOST/DATABASE, or host=HOST dbname=DATABASE",
    "scheduler: {cluster: postgres} | 1:22: error: 'cluster' must be a mapping, not 'postgres'; "
      + "write cluster: {engine: postgres}",
    "scheduler: {cluster: {engine: postgres, lease: 1h}} | 1:48: error: 'lease' must be from 3s to "
      + "5m, not 1h",
    "cluster: {engine: postgres} | 1:1: error: 'cluster' is not allowed in the file; "
      + "it belongs under 'scheduler'",
  ])
  func `a mistake in a cluster is explained`(row: String) {
    let parts = row.split(separator: " | ").map(String.init)
    let loaded = load(parts[0] + "\njobs: {a: {every: 5s, run: x}}\n")
    #expect(shown(loaded) == [parts[1]])
  }

  /// `keys of a job | headlines`
  @Test(arguments: [
    "every: 5s, first: 1s | 2:23: error: 'first' needs 'machines: each' with 'scheduler.cluster' in "
      + "job 'a'; add it, or remove 'first': intervals of shared jobs count from the epoch",
    "every: 5s, phase: keep | 2:23: error: 'phase' has no effect with 'scheduler.cluster' in job "
      + "'a'; remove it: intervals of shared jobs count from the epoch",
    "every: 5s, machines: eech | 2:33: error: 'machines' must be one of one, each, not 'eech'; "
      + "did you mean 'each'?",
    "every: 5s, machines: east | 2:33: error: 'machines' must be one of one, each, not 'east'; "
      + "write one, each, or labels such as {site: east}",
    "every: 5s, delivery: at_most_once, on_lease_lost: finish | 2:62: warning: 'on_lease_lost: "
      + "finish' lets a run continue after the other machines have recorded it as interrupted, in "
      + "spite of 'delivery: at_most_once' in job 'a'; write on_lease_lost: stop",
    "every: 5s, delivery: at_most_once, on_partition: run | 2:61: warning: 'on_partition: run' can "
      + "start a slot on several machines, in spite of 'delivery: at_most_once' in job 'a'; write "
      + "on_partition: wait",
    "every: 5s, machines: each, on_lease_lost: finish | 2:39: warning: 'on_lease_lost' has no effect "
      + "with 'machines: each' in job 'a'; remove it",
  ])
  func `a mistake in a job of a cluster is explained`(row: String) {
    let parts = row.split(separator: " | ").map(String.init)
    let loaded = load("\(Self.cluster)\njobs: {a: {\(parts[0]), run: x}}\n")
    #expect(shown(loaded) == [parts[1]])
  }

  private func shown(_ loaded: LoadedJobs) -> [String] {
    loaded.diagnostics.map { diagnostic in
      let headline = diagnostic.headline
      return String(headline.dropFirst(diagnostic.location.file.count + 1))
    }
  }

  @Test(arguments: ["every: 5s", "every: 5s, from: start", "every: 5s, machines: {site: east}"])
  func `intervals of a shared job count from the epoch`(keys: String) throws {
    let shared = try spec(keys + ", run: x", before: Self.cluster).timing.schedule.every
    #expect(shared == Every(.seconds(5), from: .epoch))
    // The same for files that the main one includes.
    let folder = TemporaryFolder()
    folder.write("jobs: {a: {\(keys), run: x}}\n", to: "more.yaml")
    let path = folder.write("\(Self.cluster)\ninclude: more.yaml\n", to: "jobs.yaml")
    let loaded = loader.load(path: path)
    #expect(loaded.diagnostics.map(\.headline) == [])
    #expect(loaded.snapshot?.jobs.first?.timing.schedule.every == shared)
  }

  @Test func `intervals of a machine's own job count from its anchor`() throws {
    func every(_ keys: String, before: String = Self.cluster) throws -> Every? {
      try spec(keys + ", run: x", before: before).timing.schedule.every
    }
    #expect(try every("every: 5s, machines: each") == Every(.seconds(5)))
    #expect(
      try every("every: 5s", before: Self.cluster + "\ndefaults: {machines: each}")
        == Every(.seconds(5)))
    #expect(
      try every("every: 5s, from: end, first: now, machines: each")
        == Every(.seconds(5), from: .end, first: .zero))
    #expect(try every("every: 5s, phase: restart, machines: each")?.phase == .restart)
    #expect(try every("every: 5s", before: "") == Every(.seconds(5)))
    #expect(try every("every: 5s, from: end") == Every(.seconds(5), from: .end))
  }

  @Test func `a job says on which machines it runs, and what a partition does to it`() throws {
    let plain = try spec("on: start, run: x", before: Self.cluster)
    #expect(plain.machines == .one && plain.onPartition == .wait && plain.onLeaseLost == .stop)
    let job = try spec(
      "on: start, run: x, machines: {site: east, rack: 7}, on_partition: run, on_lease_lost: finish",
      before: Self.cluster)
    #expect(job.machines == .labelled(["site": "east", "rack": "7"]))
    #expect(job.onPartition == .run && job.onLeaseLost == .finish)
    let defaults = Self.cluster + "\ndefaults: {machines: {site: east}, on_partition: run}"
    let other = try spec("on: start, run: x, machines: {disk: fast}", before: defaults)
    #expect(other.machines == .labelled(["disk": "fast"]))
    #expect(other.onPartition == .run)
    #expect(try spec("on: start, run: x, machines: null", before: defaults).machines == .one)
  }

  @Test func `keys of a cluster are warned of where there is none`() throws {
    let marked = MarkedText(
      """
      defaults: {»machines: each}
      jobs:
        a: {every: 5s, from: end, run: x, »on_partition: run, »on_lease_lost: finish}
        b: {every: 5s, run: x, machines: null}
      """)
    let loaded = load(marked.text)
    #expect(loaded.snapshot?.jobs.count == 2)
    #expect(rows(loaded.diagnostics) == marked.places.map { $0 + " conflictingKeys" })
    #expect(loaded.diagnostics.allSatisfy { $0.severity == .warning })
    #expect(
      loaded.diagnostics.map(\.message) == [
        "'machines' has no effect without 'scheduler.cluster' in 'defaults'",
        "'on_partition' has no effect without 'scheduler.cluster' in job 'a'",
        "'on_lease_lost' has no effect without 'scheduler.cluster' in job 'a'",
      ])
  }

  @Test func `a warning is given for each of many jobs that are alike`() {
    let jobs = (1...3).map { "  j\($0): {every: 5s, run: x\($0), on_partition: run}\n" }.joined()
    #expect(load("jobs:\n\(jobs)").diagnostics.map(\.location.line) == [2, 3, 4])
  }
}
