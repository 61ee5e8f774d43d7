import TaktCore
import Testing

@testable import TaktImport

/// `--idiomatic`: programs in commands become keys if these certainly do the same.
@Suite struct IdiomsTests {
  private static func result(
    _ lines: [String], isIdiomatic: Bool = true, kind: SourceKind = .crontab
  ) throws -> Importer.Result {
    let fixture = try ImportFixture()
    fixture.options.kind = kind
    fixture.options.dialect = .cronie
    fixture.options.isIdiomatic = isIdiomatic
    try fixture.write("", to: "srv/app/x")
    try fixture.link("link", to: "/srv")
    return fixture.run(input: lines.map { $0 + "\n" }.joined())
  }

  private static func text(_ job: JobDraft, _ key: JobKey) -> String {
    job[key]?.texts.joined(separator: " ") ?? ""
  }

  @Test(
    arguments: [
      ("flock -n /run/lock/a /opt/a --all 'b c'", "/opt/a --all 'b c'", [(.overlap, "skip")]),
      (
        "/usr/bin/flock -xn /tmp/a.lock -c '/opt/a; /opt/b'", "/opt/a; /opt/b", [(.overlap, "skip")]
      ),
      (
        "flock -n -E 0 /tmp/l /opt/a >> /var/log/a 2>&1", "/opt/a >> /var/log/a 2>&1",
        [(.overlap, "skip")]
      ),
      ("flock -n -o /tmp/l -c '/opt/a & true'", "/opt/a & true", [(.overlap, "skip")]),
      (
        "flock -n /tmp/l -c '/opt/a >/tmp/x 2>&1 && /opt/b'",
        "/opt/a >/tmp/x 2>&1 && /opt/b", [(.overlap, "skip")]
      ),
      ("flock -n /tmp/l /opt/a >/dev/null 2>&1", "/opt/a >/dev/null 2>&1", [(.overlap, "skip")]),
      // Without `-k`, timeout never kills.
      ("timeout 5m /opt/a", "/opt/a", [(.timeout, "5m"), (.kill, "leftovers leave grace 36500d")]),
      (
        "timeout -s SIGINT -k 10 1.5h /opt/a > /tmp/x", "/opt/a > /tmp/x",
        [(.timeout, "1h30m"), (.kill, "leftovers leave grace 10s signal INT")]
      ),
      ("nice /opt/a", "/opt/a", [(.nice, "10")]),
      (
        "nice -n 19 ionice -c2 -n7 /opt/a", "/opt/a",
        [(.nice, "19"), (.inputOutput, "best-effort:7")]
      ),
      ("ionice -c 3 nice -5 /opt/a", "/opt/a", [(.nice, "5"), (.inputOutput, "idle")]),
      ("cd /srv/app && ./a.sh && ./b.sh", "./a.sh && ./b.sh", [(.directory, "/srv/app")]),
      (
        "cd /srv/app && flock -n /tmp/l timeout 30 nice ./a.sh", "./a.sh",
        [(.directory, "/srv/app"), (.overlap, "skip"), (.timeout, "30s"), (.nice, "10")]
      ),
    ] as [(String, String, [(JobKey, String)])])
  func `a program becomes a key`(command: String, run: String, keys: [(JobKey, String)]) throws {
    let result = try Self.result(["0 3 * * * " + command])
    let job = try #require(result.jobs.first)
    #expect(job[.run] == .text(run))
    for (key, text) in keys { #expect(Self.text(job, key) == text, "\(key.name)") }
    #expect(result.report.isComplete)
    #expect(result.changed.count == 1, "\(result.changed)")
    #expect(try ImportFixture.load(result.text).jobs.count == 1, "\(result.text)")
  }

  @Test(arguments: [
    (
      "/opt/a && curl -fsS -m 10 --retry 5 -o /dev/null https://hc-ping.com/1-2",
      "https://hc-ping.com/1-2"
    ),
    ("/opt/a && curl -fsS hc-ping.com/1-2 > /dev/null 2>&1", "http://hc-ping.com/1-2"),
    (
      "nice /opt/a && wget -q -O /dev/null https://hc-ping.com/key/slug",
      "https://hc-ping.com/key/slug"
    ),
  ])
  func `a ping after a success becomes a hook`(command: String, url: String) throws {
    let result = try Self.result(["0 3 * * * " + command])
    let job = try #require(result.jobs.first)
    #expect(job[.run] == .text("/opt/a"))
    let ping = DraftValue.mapping([
      "use": .word("ping"), "with": .mapping(["url": .text(url), "output": .word("false")]),
    ])
    #expect(job[.onSuccess] == .list([MailHooks.value, ping]))
    #expect(job[.onFailure] == MailHooks.value)
    #expect(try ImportFixture.load(result.text).jobs.count == 1, "\(result.text)")
  }

  @Test func `a ping that prints becomes a hook where nothing is mailed`() throws {
    let result = try Self.result([
      "MAILTO=''", "0 3 * * * /opt/a && curl -fsS https://hc-ping.com/1-2",
    ])
    #expect(result.jobs.first?[.run] == .text("/opt/a"))
  }

  @Test(arguments: [
    // It waits, shares, locks a descriptor, or empties a file before it looks.
    "flock /tmp/l /opt/a", "flock -w 5 /tmp/l /opt/a", "flock -sn /tmp/l /opt/a",
    "flock -n 9", "flock -n /tmp/l /opt/a > /var/log/a", "flock -n lock /opt/a",
    // Something else is combined with it.
    "flock -n /tmp/l /opt/a; /opt/b", "flock -n /tmp/l /opt/a && /opt/b",
    "flock -n /tmp/l /opt/a &", "flock -n /tmp/l /opt/a | tee /x", "flock -n /tmp/l $JOB",
    // A process that it leaves in the background holds the lock.
    "flock -n /tmp/l -c 'sleep 60 >/dev/null 2>&1 &'", "flock -n /tmp/l sh -c 'sleep 9 & echo x'",
    "flock -n /tmp/l -c 'sh -c \"/opt/a & true\"'", "flock -n /tmp/l nohup /opt/a",
    "flock -n /tmp/l nice /usr/bin/setsid /opt/a", "flock -n /tmp/l -c 'eval $JOB'",
    "flock -n /tmp/l -c '/opt/a &>/tmp/x'",
    "A=1 flock -n /tmp/l /opt/a", "flock -n /tmp/l /opt/a /tmp/l", "flock -n /tmp/l cd /srv",
    "timeout 0 /opt/a", "timeout --preserve-status 5 /opt/a", "timeout --foreground 5 /opt/a",
    "timeout -s WINCH 5 /opt/a", "timeout 5m /opt/a | tee /x", "timeout $T /opt/a",
    "timeout 5m /opt/a &> /dev/null", "nice -n -5 /opt/a", "nice /opt/a && /opt/b",
    "ionice -c1 /opt/a", "ionice /opt/a",
    "cd /none && /opt/a", "cd /link && /opt/a", "cd app && /opt/a", "cd /srv/app; /opt/a",
    "cd /srv/app && /opt/a || /opt/b", "cd $HOME && /opt/a",
    // It prints and is mailed, sends something else, or is not reached.
    "/opt/a && curl -fsS https://hc-ping.com/1", "/opt/a; curl -o /dev/null https://hc-ping.com/1",
    "/opt/a && curl -o /dev/null https://example.org/1",
    "/opt/a && curl -o /dev/null https://hc-ping.com/1/fail",
    "/opt/a && curl -o /dev/null -X POST https://hc-ping.com/1",
    "exec /opt/a && curl -o /dev/null https://hc-ping.com/1",
  ])
  func `a command that no key does the same as stays as it is`(command: String) throws {
    let result = try Self.result(["0 3 * * * " + command])
    let job = try #require(result.jobs.first)
    #expect(job[.run] == .text(command))
    #expect(job[.overlap] == .word("allow"))
    #expect(result.changed.isEmpty, "\(result.changed)")
  }

  @Test(arguments: [
    ("flock -n /tmp/l /opt/a", "127"), ("timeout -k 1 5 /opt/a", "124"),
  ])
  func `another exit status is said to be one`(command: String, status: String) throws {
    let changed = try Self.result(["0 3 * * * " + command]).changed
    #expect(changed.first?.hasSuffix("has the status \(status)") == true, "\(changed)")
  }

  @Test func `a lock that several jobs share stays`() throws {
    let result = try Self.result([
      "0 3 * * * flock -n /var/lock/x /opt/a", "0 4 * * * flock -n /run/lock/x /opt/b",
      "0 5 * * * flock -n /run/lock/own /opt/c",
    ])
    #expect(result.jobs.map { Self.text($0, .overlap) } == ["allow", "allow", "skip"])
  }

  @Test func `without the option, one note says so`() throws {
    let lines = ["0 3 * * * nice /opt/a", "0 4 * * * timeout 5 /opt/b", "0 5 * * * /opt/c"]
    let result = try Self.result(lines, isIdiomatic: false)
    #expect(result.jobs.first?[.run] == .text("nice /opt/a"))
    #expect(result.changed.isEmpty)
    #expect(result.report.notes.count == 1)
    #expect(result.report.notes.first?.sentence.contains("2 commands") == true)
  }

  @Test func `supercronic looks at exit statuses, and keeps its commands`() throws {
    let result = try Self.result(["0 3 * * * flock -n /tmp/l /opt/a"], kind: .supercronic)
    #expect(result.jobs.first?[.run] == .text("flock -n /tmp/l /opt/a"))
    #expect(result.report.notes.isEmpty)
  }
}
