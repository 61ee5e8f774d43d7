import TaktCore
import Testing

@testable import TaktConfig

/// The keys that labels of containers may set, and those that they may not.
@Suite struct LabelJobsTests {
  /// A row `LABEL=VALUE; …` of the job `a`, and the job in words.
  @Test(arguments: [
    (
      "cron=0 3 * * *; run=backup", "cron 0 3 * * * in UTC, gap run_after, overlap first",
      ["/bin/sh", "-c", "backup"]
    ),
    ("every=90s; run=a b", "every 1m30s", ["/bin/sh", "-c", "a b"]),
    (#"on=manual; run=["a", "b c"]"#, "on manual", ["a", "b c"]),
    (#"on=manual; run=[ "$x" = 1 ] && a"#, "on manual", ["/bin/sh", "-c", #"[ "$x" = 1 ] && a"#]),
  ])
  func `a job`(row: String, times: String, command: [String]) throws {
    let jobs = Labels.load(Labels.labels(row))
    #expect(jobs.diagnostics.map(\.headline) == [])
    let job = try #require(jobs.jobs.first)
    #expect(job.name.text == "web.a")
    #expect(Labels.command(of: job) == command)
    let facts = Dictionary(uniqueKeysWithValues: JobKey.facts(of: job).map { ($0.key, $0.text) })
    let key = String(times.prefix { $0 != " " })
    #expect(facts[key] == String(times.dropFirst(key.count + 1)), "\(facts)")
  }

  @Test func `keys of a job and of its process`() throws {
    let jobs = Labels.load(
      Labels.labels(
        "cron=0 3 * * *; timezone=Europe/Berlin; overlap=allow; timeout=30s; retry=3; missed=skip; "
          + "retry.delay=5s; enabled=true; tags=x, y; description=a b; user=root; workdir=/srv; "
          + "env.A=1; env.B=$HOME; run=x; on_removed=kill"))
    #expect(jobs.diagnostics.map(\.headline) == [])
    let job = try #require(jobs.jobs.first)
    #expect(job.overlap == .allow)
    #expect(job.execution.timeout == .seconds(30))
    #expect(job.execution.retry.attempts == 3 && job.execution.retry.delay == .seconds(5))
    #expect(job.missed.choice == .skip)
    #expect(job.tags == ["x", "y"] && job.summary == "a b" && job.removal == .kill)
    #expect(job.concurrencyGroup == ContainerAccess.group)
    guard case .use("container", let parameters) = job.action else {
      Issue.record("\(job.action)")
      return
    }
    #expect(parameters["exec"] == .string(Labels.id))
    #expect(parameters["user"] == .string("root") && parameters["workdir"] == .string("/srv"))
    #expect(parameters["env"] == .map(["A": .string("1"), "B": .string("$HOME")]))
    #expect(job.execution.identity.isOwn && job.execution.environment.isEmpty)
  }

  @Test func `what a job prints is bounded, and a label may lower that`() throws {
    let plain = try #require(Labels.load(Labels.good).jobs.first)
    #expect(plain.execution.output.rate == LineRate(100, per: .seconds(1)))
    #expect(plain.execution.output.keepBytes == 64 * 1024)
    let row = "every=1s; run=x; output.rate=600/m; output.keep=1KB; output.log=on_failure"
    let jobs = Labels.load(Labels.labels(row))
    #expect(jobs.diagnostics.map(\.headline) == [])
    let output = try #require(jobs.jobs.first).execution.output
    #expect(output.rate == LineRate(600, per: .seconds(60)) && output.keepBytes == 1024)
    #expect(output.logging == .onFailure)
  }

  /// Rows without a job, with the label and words of the reason.
  @Test(arguments: [
    ("cron=0 99 * * *; run=x", "takt.jobs.a.cron", "left out"),
    ("evry=5m; run=x", "takt.jobs.a.evry", "did you mean 'every'?"),
    ("every=5m", "takt.jobs.a", "no command"),
    ("run=x", "takt.jobs.a", "no trigger"),
    ("every=5m; run=x; retry=many", "takt.jobs.a.retry", "left out"),
    ("every=5m; run=x; timezone=Mars/One", "takt.jobs.a.timezone", "left out"),
    ("every=5m; run=x; every.x=1", "takt.jobs.a.every.x", "every"),
    ("every=5m; run=x; retry.attempts=2; retry=3", "takt.jobs.a.retry.attempts", "another label"),
    (
      "every=999ms; run=x", "takt.jobs.a.every",
      "'every' of a label must be at least 1s, not 999ms; the job is left out"
    ),
    (
      "every=5m; run=x; retry=9; retry.delay=10ms", "takt.jobs.a.retry.delay",
      "must be at least 1s, not 10ms"
    ),
    (
      "every=5m; run=x; output.keep=65KB", "takt.jobs.a.output.keep",
      "must be at most 64KB, not 65KB"
    ),
    ("every=5m; run=x; output.rate=101/s", "takt.jobs.a.output.rate", "must be at most 100/s"),
    ("every=5m; run=x; output.rate=6001/m", "takt.jobs.a.output.rate", "must be at most 100/s"),
    ("every=5m; run=x; env.A B=1", "takt.jobs.a.env.A B", "not a name for a variable"),
    ("every=5m; run=x; env.TAKT_JOB=1", "takt.jobs.a.env.TAKT_JOB", "not a name for a variable"),
    ("every=5m; run=x; description=a\u{1b}[31m", "takt.jobs.a.description", "control character"),
    ("every=5m; run=x; description=a\nuse: log", "takt.jobs.a.description", "control character"),
    ("every=5m; run=x; description=a\u{2028}b", "takt.jobs.a.description", "control character"),
    ("every=5m; run=x; description=a\u{85}b", "takt.jobs.a.description", "control character"),
  ])
  func `a wrong label`(row: String, label: String, words: String) {
    let jobs = Labels.load(Labels.labels(row).merging(Labels.good) { $1 })
    #expect(jobs.jobs.map(\.name.text) == ["web.good"])
    let place = "container 'web', label '\(label)': warning: "
    #expect(
      jobs.diagnostics.contains { $0.headline.hasPrefix(place) && $0.headline.contains(words) },
      "\(jobs.diagnostics.map(\.headline))")
  }

  /// Keys that reach outside the container are no keys of labels.
  @Test(arguments: [
    "use", "with", "with.image", "with.mounts", "steps", "shell", "direct", "cwd", "secrets",
    "secrets.A.file", "env_file", "stdin", "group", "umask", "nice", "io", "limits.memory",
    "output",
    "output.file", "output.file.path", "on_failure", "on_success", "on_start.run", "on_late",
    "ping",
    "only_if", "watch", "after", "for_each", "params", "concurrency", "qos", "success",
    "fails_when",
    "inherit_env",
  ])
  func `no label says`(key: String) throws {
    let jobs = Labels.load(
      Labels.labels("every=5m; run=x; \(key)=root").merging(Labels.good) { $1 })
    #expect(jobs.jobs.map(\.name.text) == ["web.good"])
    #expect(jobs.diagnostics.count == 1, "\(jobs.diagnostics.map(\.headline))")
    let problem = try #require(jobs.diagnostics.first)
    #expect(problem.message.hasSuffix("; the job is left out"), "\(problem.message)")
    // Where it is logged as a warning, it does not say so again.
    #expect(problem.sentence.hasPrefix("container 'web', label 'takt.jobs.a.\(key)': "))
    #expect(!problem.sentence.contains("warning"))
  }

  /// All keys of jobs are either in the table or refused; a new one is refused.
  @Test func `every key of a job is decided`() {
    let allowed = Set(LabelKey.names.map { String($0.prefix { $0 != "." }) })
    let outside: Set = [
      "use", "with", "steps", "secrets", "env_file", "cwd", "on_failure", "output", "user", "ping",
    ]
    #expect(outside.subtracting(["user", "output"]).isDisjoint(with: allowed))
    for key in allowed.subtracting(["workdir"]) { #expect(KeyTable.job[key] != nil, "\(key)") }
  }

  /// Values that would have another meaning if they were read as YAML, a template or a placeholder.
  @Test(arguments: [
    #"a", "use": "log"#, #"a\", \"use\": \"log"#, "*x", "&x a", "<<: *x", "!!binary a", "{a: b}",
    "[a, b", "a: b", "a # b", "'", "\"", "\\", "\\\"", "null", "~", "true", "- a", "? a", "%YAML",
    "---", "...", "{{job}}", "{{secret.TOKEN}}", "{{{{job}}", "{{{job}}}", "{{each.a}}",
    "{{{{each.a}}", "{{ EACH.a | b }}", "${HOME}", "$(id)", "`id`", "é\u{301}", "\u{202e}abc", "\t",
    "a}}}}\"}}}}, \"jobs\": {\"b\": {", "\\u0022", "\\x22", "\u{0}",
  ])
  func `a value stays a value`(value: String) throws {
    let labels = [
      "takt.jobs.a.every": "5m", "takt.jobs.a.run": value, "takt.jobs.a.env.A": value,
      "takt.jobs.a.user": value,
    ]
    let jobs = Labels.load(labels.merging(Labels.good) { $1 })
    #expect(jobs.jobs.allSatisfy { $0.isConfined(to: Labels.id) })
    #expect(jobs.jobs.last?.name.text == "web.good")
    guard let job = jobs.jobs.first(where: { $0.name.text == "web.a" }) else {
      #expect(!jobs.diagnostics.isEmpty)
      return
    }
    guard case .use("container", let parameters) = job.action else { return }
    // The values in a run, which knows no fact and no secret here.
    let run = parameters.mapValues { Placeholders.expand($0, [:]) }
    #expect(run["command"] == .list(["/bin/sh", "-c", value].map(ParameterValue.string)))
    #expect(run["env"] == .map(["A": .string(value)]))
  }

  @Test func `10,000 labels, a label of a megabyte, and names of all kinds`() {
    var labels = Labels.good
    for number in 0..<10_000 { labels["takt.jobs.j\(number).nonsense"] = "x" }
    for number in 0..<100 {
      labels["takt.jobs.k\(number).run"] = "x"
      labels["takt.jobs.k\(number).every"] = "5m"
    }
    labels["takt.jobs.big.run"] = String(repeating: "x", count: 1 << 20)
    labels["takt.jobs." + String(repeating: "n", count: 1 << 20) + ".run"] = "x"
    for name in ["", ".", "..", "a/b", "-a", "_a", "a b", "é", "a\u{0}", "a\nb", "*"] {
      labels["takt.jobs.\(name).run"] = "x"
    }
    let jobs = Labels.load(labels)
    #expect(jobs.jobs.count == LabelReader.jobsMax)
    #expect(jobs.jobs.contains { $0.name.text == "web.good" })
    #expect(jobs.diagnostics.count == LabelReader.flawsMax + 1)
    #expect(
      jobs.diagnostics.allSatisfy { $0.severity == .warning && $0.headline.utf8.count < 1000 })
  }

  @Test func `labels of others and of takt itself declare nothing`() {
    #expect(Labels.load(["com.docker.compose.project": "x", "dev.takt.run": "1"]).jobs.isEmpty)
    #expect(!LabelledContainer(id: "1", name: "a", labels: ["x": "y"]).mayDeclareJobs)
    let own = Labels.good.merging(["dev.takt.attempt": "1"]) { $1 }
    #expect(!LabelledContainer(id: "1", name: "a", labels: own).mayDeclareJobs)
    #expect(Labels.load(Labels.good, readsLabels: false).jobs.isEmpty)
  }

  @Test func `a spec that does more than run in its container is not confined`() throws {
    let job = try #require(Labels.load(Labels.good).jobs.first)
    #expect(job.isConfined(to: Labels.id) && !job.isConfined(to: "other"))
    var other = job
    other.execution.identity.user = "root"
    #expect(!other.isConfined(to: Labels.id))
    other = job
    other.hooks[.onFailure] = [Step(.shell("id"))]
    #expect(!other.isConfined(to: Labels.id))
    guard case .use(let name, var parameters) = job.action else { return }
    parameters["mounts"] = .list([.string("/:/host")])
    other = job
    other.action = .use(name, parameters)
    #expect(!other.isConfined(to: Labels.id))
    other.action = .shell("id")
    #expect(!other.isConfined(to: Labels.id))
  }
}

/// Ofelia's labels, which takt reads as Ofelia does.
@Suite struct OfeliaLabelTests {
  @Test func `a job of Ofelia`() throws {
    let jobs = Labels.load([
      "ofelia.enabled": "true", "ofelia.job-exec.dump.schedule": "0 30 2 * * *",
      "ofelia.job-exec.dump.command": "sh -c 'pg_dump > /tmp/x'",
      "ofelia.job-exec.dump.environment": #"["A=1", "B=2=3"]"#,
      "ofelia.job-exec.dump.no-overlap": "true", "ofelia.job-exec.dump.tty": "false",
    ])
    #expect(jobs.diagnostics.map(\.headline) == [])
    let job = try #require(jobs.jobs.first)
    #expect(job.name.text == "web.dump" && job.overlap == .skip && job.missed.choice == .skip)
    #expect(Labels.command(of: job) == ["sh", "-c", "pg_dump > /tmp/x"])
    guard case .use(_, let parameters) = job.action else { return }
    #expect(parameters["user"] == .string("root"))
    #expect(parameters["env"] == .map(["A": .string("1"), "B": .string("2=3")]))
  }

  @Test func `words of Go, and a quote at the end of a command`() throws {
    let jobs = Labels.load([
      "ofelia.enabled": "true", "ofelia.job-exec.a.schedule": "@every 5s",
      "ofelia.job-exec.a.command": #"/bin/sh -c 'date | tee x'""#,
      "ofelia.job-exec.a.no-overlap": "TRUE", "ofelia.job-exec.a.tty": "f",
    ])
    #expect(jobs.diagnostics.map(\.headline) == [])
    let job = try #require(jobs.jobs.first)
    #expect(job.overlap == .skip)
    #expect(Labels.command(of: job) == ["/bin/sh", "-c", "date | tee x"])
  }

  @Test(arguments: [
    ("job-local.a.command", "x", "outside its container"),
    ("job-run.a.image", "alpine", "cannot start a container"),
    ("job-service-run.a.image", "alpine", "cannot start a container"),
    ("job-exec.a.container", "other", "runs in its own container"),
    ("job-exec.a.tty", "1", "no terminal"),
    ("job-exec.a.no-overlap", "yes", "'no-overlap' must be true or false, not 'yes'"),
    ("job-exec.a.environment", "FOO", "'FOO' has no value; write NAME=VALUE"),
    ("job-exec.a.schedule", "sometimes", "does not read the times"),
    ("job-exec.a.volume", "/:/host", "takt has nothing for 'volume'; the job is left out"),
    ("job-exec.a.email-to", "a@b.c", "takt has nothing for 'email-to'; the job is left out"),
    ("slack-webhook", "https://x", "does not read this label"),
    ("save-folder", "/tmp", "does not read this label"),
  ])
  func `what Ofelia has and a label may not`(label: String, value: String, words: String) {
    let jobs = Labels.load(
      Labels.good.merging([
        "ofelia.enabled": "true", "ofelia.job-exec.a.command": "x", "ofelia.\(label)": value,
      ]) { $1 })
    #expect(jobs.jobs.map(\.name.text) == ["web.good"])
    #expect(
      jobs.diagnostics.contains {
        $0.headline.hasPrefix("container 'web', label 'ofelia.\(label)': ")
          && $0.headline.contains(words)
      }, "\(jobs.diagnostics.map(\.headline))")
  }

  @Test func `without ofelia_enabled nothing is read, and takt's own labels win`() {
    let labels = [
      "ofelia.job-exec.good.schedule": "@daily", "ofelia.job-exec.good.command": "x",
    ]
    let jobs = Labels.load(labels.merging(Labels.good) { $1 })
    #expect(jobs.jobs.count == 1 && jobs.diagnostics.isEmpty)
    let both = Labels.load(
      labels.merging(Labels.good) { $1 }.merging(["ofelia.enabled": "true"]) { $1 })
    #expect(both.jobs.map { Labels.command(of: $0) } == [["/bin/sh", "-c", "true"]])
    #expect(both.diagnostics.count == 1)
  }
}

private enum Labels {
  static let id = String(repeating: "0123456789abcdef", count: 4)
  static let good = ["takt.jobs.good.every": "5m", "takt.jobs.good.run": "true"]

  /// `KEY=VALUE; …` of the job `a`.
  static func labels(_ row: String) -> [String: String] {
    var labels: [String: String] = [:]
    for part in row.components(separatedBy: "; ") {
      let sign = part.firstIndex(of: "=") ?? part.endIndex
      labels["takt.jobs.a.\(part[..<sign])"] = String(part[sign...].dropFirst())
    }
    return labels
  }

  static func load(_ labels: [String: String], readsLabels: Bool = true) -> LabelledJobs {
    var settings = SchedulerSettings()
    settings.containers = ContainerAccess()
    settings.containers?.readsLabels = readsLabels
    settings.concurrency[ContainerAccess.group] = 8
    return loader.load(
      labelsOf: LabelledContainer(id: id, name: "web", labels: labels),
      path: "/nowhere/jobs.yaml", within: settings)
  }

  static func command(of job: JobSpec) -> [String] {
    guard case .use(_, let parameters) = job.action else { return [] }
    return parameters["command"]?.list.map(\.string) ?? []
  }
}

extension String {
  fileprivate func components(separatedBy separator: String) -> [String] {
    var parts: [String] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}
