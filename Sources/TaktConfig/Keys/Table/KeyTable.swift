import TaktCore
import TaktTime

/// Every key of the jobs file. The parser's checks, the values that a job adopts, the reference in
/// `docs/jobs-file.md` and the JSON Schema are made from this table, so that they cannot differ.
package enum KeyTable {
  package struct Part: Hashable, Sendable {
    /// Its path: `output.file`.
    package var path: String
    /// Its place, for people: "Under `file` of `output`".
    package var title: String
    package var entries: KeyRows

    fileprivate init(_ path: String, _ title: String, _ entries: KeyRows) {
      self.path = path
      self.title = title
      self.entries = entries
    }

    fileprivate init(_ key: JobKey, _ place: String, _ entries: KeyRows) {
      self.init(key.name, "\(place) `\(key)`", entries)
    }
  }

  package static let root: KeyRows = [
    KeyEntry(
      Key.scheduler, .object(scheduler), reload: nil,
      "Settings of the daemon; only in the main file."),
    KeyEntry(
      Key.calendars, .map(.calendar, .object(calendar)), reload: nil,
      "Calendars by name, for `except`, `only_on` and `working_day` of jobs; only in the main file."
    ),
    KeyEntry(
      Key.defaults, .object(KeyRows(job.filter(\.isAllowedInDefaults))), reload: nil,
      "Default keys for every job in this file. A job's own keys override them."),
    KeyEntry(
      Key.include, .oneOrMore(.path), reload: nil,
      "More files to read: paths, or patterns with `*`, `?` or `[…]`."),
    KeyEntry(Key.jobs, .map(.job, .object(job)), reload: nil, "The jobs, by name."),
    KeyEntry(
      Key.extensionPrefix + "…", .anything, reload: nil,
      "Ignored. Use it for YAML anchors, or for other programs."),
  ]

  package static let scheduler: KeyRows = [
    KeyEntry(
      Key.timezone, .zone, default: "`local`", reload: .rearms,
      "The time zone of times without an offset. `local` is the machine's time zone."),
    KeyEntry(
      Key.maxRunning, .integer(1...10_000), default: "16 per processor, 32 to 128",
      reload: .updates, "The maximum number of active runs. More runs wait."),
    KeyEntry(
      Key.concurrency, .map(.group, .oneOf([.object(group), .integer(1...10_000)])),
      reload: .updates,
      "Names groups of jobs, each with its maximum number of active runs: `{db: 2}`, or "
        + "`{db: {max: 2, when_full: skip}}`."),
    KeyEntry(
      Key.plugins, .oneOrMore(.path), default: "`plugins`", reload: .updates,
      "The folders to search for plugins, before those that are installed with takt. The first match wins."
    ),
    KeyEntry(
      Key.shutdownGrace, .duration(least: .zero), default: "30s", reload: .updates,
      "How long takt waits for active runs when it stops, before it stops them too."),
    KeyEntry(
      Key.state, .path, default: "`.takt`", reload: .restarts,
      "The state folder, which holds the ledger and the lock. With `none`, schedules and history are "
        + "lost when takt stops."),
    KeyEntry(
      Key.history, .object(history), reload: .restarts, "How long the ledger keeps its records."),
    KeyEntry(
      Key.metrics, .object(metrics), reload: .updates,
      "Which jobs have series of their own in the [metrics](control.md#metrics)."),
    KeyEntry(
      Key.http, .object(http), reload: .restarts,
      "Serves the API and the web page over TCP. Without it, takt answers only on the Unix socket in "
        + "the state folder."),
    KeyEntry(
      Key.cluster, .object(cluster), reload: .restarts,
      "Shares the jobs with other machines, so that each slot runs once, on one of them."),
    KeyEntry(
      Key.containers, .object(containers), reload: .restarts,
      "The container engine of this machine, for [jobs from labels](containers.md#jobs-from-labels)."
    ),
  ]

  package static let group: KeyRows = [
    KeyEntry(Key.maximum, .integer(1...10_000), "Required. The maximum number of active runs."),
    KeyEntry(
      Key.whenFull, .choice(["wait", "skip"]), default: "`wait`",
      "What happens to a slot that is due while as many runs are active: it waits for a place, or it "
        + "becomes `skipped(group_full)`."),
  ]

  package static let cluster: KeyRows = [
    KeyEntry(
      Key.engine, .choice(["postgres", "etcd"]), reload: .restarts,
      "Required. Where the machines claim slots: a PostgreSQL database, or etcd."),
    KeyEntry(
      Key.url, .text(allowsEmpty: false), default: "libpq's environment", reload: .restarts,
      mayHoldSecrets: true,
      "With `engine: postgres`: the database, as for `psql`: `postgresql://USER@HOST/DATABASE`, or `host=… dbname=…`. What it "
        + "leaves out comes from `PGHOST`, `PGPASSFILE` and the other variables of libpq. takt never "
        + "shows it."),
    KeyEntry(
      Key.endpoints, .oneOrMore(.text(allowsEmpty: false)), reload: .restarts, mayHoldSecrets: true,
      "Required with `engine: etcd`. Its members: `http://HOST:PORT` or `https://HOST:PORT`. The port "
        + "is 2379 by default."),
    KeyEntry(
      Key.authority, .path, default: "the system's", reload: .restarts,
      "With `engine: etcd`: the file of the certificates that sign those of the members."),
    KeyEntry(
      Key.certificate, .path, default: "none", reload: .restarts,
      "With `engine: etcd`: the file of the certificate that takt shows."),
    KeyEntry(
      Key.key, .path, default: "none", reload: .restarts,
      "With `engine: etcd`: the file of the private key of `cert`."),
    KeyEntry(
      Key.username, .text(allowsEmpty: false), default: "none", reload: .restarts,
      "With `engine: etcd`: the user that takt logs in as."),
    KeyEntry(
      Key.password, .object(password), reload: .restarts, mayHoldSecrets: true,
      "With `engine: etcd`: where the password of `username` is: `{file: PATH}` or "
        + "`{env: VARIABLE}`."),
    KeyEntry(
      Key.name, .name, default: "`default`", reload: .restarts,
      "The name of the cluster. Machines with different names share a database or an etcd, but no jobs."
    ),
    KeyEntry(
      Key.lease, .duration(least: ClusterSettings.leaseMin, most: ClusterSettings.leaseMax),
      default: DurationText.format(ClusterSettings.defaultLease), reload: .restarts,
      "How long the others wait for a machine that does not renew its lease, before they take over "
        + "its slots."),
    KeyEntry(
      Key.machine, .name, default: "the host name", reload: .restarts,
      "The name of this machine, for people. Two machines of one name are still two machines."),
    KeyEntry(
      Key.labels, .map(.label, .name), default: "none", reload: .restarts,
      "What this machine is or has, such as `{site: east}`, for `machines` of jobs."),
    KeyEntry(
      Key.start, .choice(ClusterSettings.Start.allCases.map(\.rawValue)), default: "`refuse`",
      reload: .restarts,
      "What happens if takt cannot join the cluster at its start for a reason that does not pass by "
        + "itself, such as a wrong password: takt does not start (`refuse`), or it starts and its "
        + "shared jobs wait (`degrade`)."),
    KeyEntry(
      Key.api, .text(allowsEmpty: false),
      default: "the address of `http`, unless only this machine "
        + "can connect there", reload: .restarts, mayHoldSecrets: true,
      "Where the other machines reach this one's API: `http://HOST:PORT` or `https://HOST`. Requests "
        + "may use this host name. Needs `http`."),
    KeyEntry(
      Key.apiTokenFile, .path, default: "none", reload: .restarts,
      "The file with the token with which the machines read each other's API. All machines need the "
        + "same token. takt does not create it."),
    KeyEntry(
      Key.apiWriteTokenFile, .path, default: "none", reload: .restarts,
      "The same for a token that may also change something, for `takt trigger --on`."),
  ]

  package static let password: KeyRows = [
    KeyEntry(
      Key.file, .path, reload: .restarts,
      "The file with the password, read at each login. A line break at its end is ignored."),
    KeyEntry(
      Key.environment, .variable, reload: .restarts,
      "The variable of takt's environment with the password, instead of `file`."),
  ]

  package static let http: KeyRows = [
    KeyEntry(
      Key.listen, .text(allowsEmpty: false), reload: .restarts,
      "Required. The port, or an address and a port: `8080`, `127.0.0.1:8080`, `[::1]:8080`. Without "
        + "an address, only this machine can connect. Port 0 picks a free port."),
    KeyEntry(
      Key.tokenFile, .path, default: "`token` in the state folder", reload: .restarts,
      "The file with the token whose bearers may do everything. takt creates it at the first start, "
        + "readable only by its owner."),
    KeyEntry(
      Key.readTokenFile, .path, default: "none", reload: .restarts,
      "The file with a second token, whose bearers may read everything and change nothing. takt "
        + "creates it at the first start, readable only by its owner."),
    KeyEntry(
      Key.operateTokenFile, .path, default: "none", reload: .restarts,
      "The same for a token whose bearers may also trigger, suspend, resume and cancel jobs."),
    KeyEntry(
      Key.proxy, .object(proxy), reload: .restarts,
      "Logs in the users whom a [proxy](control.md#login-by-a-proxy) names in a header."),
    KeyEntry(
      Key.names, .oneOrMore(.text(allowsEmpty: false)), reload: .restarts,
      "Host names that requests may use, such as that of a proxy in front of takt. takt refuses "
        + "requests for other names."),
    KeyEntry(
      Key.publicURL, .text(allowsEmpty: false), default: "`http://` and the address of `listen`",
      reload: .restarts,
      "Where people reach the web page, for `takt open` and `{{run_url}}` in hooks: "
        + "`https://jobs.example.org`, `https://jobs.example.org/takt/`. takt answers below that "
        + "path, too."),
  ]

  package static let history: KeyRows = [
    KeyEntry(
      Key.keep, .duration(least: .seconds(60)), default: "30d", reload: .restarts,
      "How long verdicts and runs are kept."),
    KeyEntry(
      Key.maxRuns, .integer(100...1_000_000_000), default: "100000", reload: .restarts,
      "The maximum number of runs kept. The oldest are deleted first."),
    KeyEntry(
      Key.output, .duration(least: .zero), default: "7d", reload: .restarts,
      "How long the output of runs is kept."),
    KeyEntry(
      Key.maxSize, .size((1 << 20)...SizeText.maximumBytes), default: "1GB", reload: .restarts,
      "The maximum size of the ledger. Beyond it, the oldest records are deleted earlier."),
  ]

  package static let metrics: KeyRows = [
    KeyEntry(
      Key.jobs, .integer(0...100_000), default: String(MetricsSettings.defaultJobs),
      "The maximum number of jobs with series of their own. If there are more jobs, those with a "
        + "problem come first, then the others by name; takt logs it. Totals always cover all jobs."
    ),
    KeyEntry(
      Key.counters, .boolean, default: "`false`",
      "With `true`, these jobs also have counters of their runs and slots, the duration of their "
        + "runs, the end and outcome of the last run, and the next slot."),
    KeyEntry(
      Key.histograms, .boolean, default: "`false`",
      "With `true`, these jobs also have a histogram of the duration of their runs. Every job of the "
        + "file is counted, which takes about 100 bytes each."),
  ]

  package static let job = KeyRows(
    triggers + families + actions + surroundings + policies + conditions + hooks + administration)

  /// The mappings inside a job.
  package static let parts: [Part] = [
    Part(
      "\(Key.scheduler).\(Key.history)", "Under `\(Key.history)` of `\(Key.scheduler)`", history),
    Part(
      "\(Key.scheduler).\(Key.metrics)", "Under `\(Key.metrics)` of `\(Key.scheduler)`", metrics),
    Part(
      "\(Key.scheduler).\(Key.concurrency)",
      "In a group under `\(Key.concurrency)` of `\(Key.scheduler)`", group),
    Part("\(Key.scheduler).\(Key.http)", "Under `\(Key.http)` of `\(Key.scheduler)`", http),
    Part(
      "\(Key.scheduler).\(Key.http).\(Key.proxy)", "Under `\(Key.proxy)` of `\(Key.http)`", proxy),
    Part(
      "\(Key.scheduler).\(Key.cluster)", "Under `\(Key.cluster)` of `\(Key.scheduler)`", cluster),
    Part(
      "\(Key.scheduler).\(Key.cluster).\(Key.password)",
      "Under `\(Key.password)` of `\(Key.cluster)`", password),
    Part(
      "\(Key.scheduler).\(Key.containers)", "Under `\(Key.containers)` of `\(Key.scheduler)`",
      containers),
    Part(Key.calendars, "In a calendar under `\(Key.calendars)`", calendar),
    Part(.on, "Under", on), Part(.after, "In a trigger of", after),
    Part(
      "\(JobKey.after).\(Key.all)", "In a job under `\(Key.all)` of `\(JobKey.after)`", afterAll),
    Part(.watch, "In a trigger of", watch),
    Part(.nth, "Under", nth), Part(.workingDay, "Under", workingDay),
    Part(.spread, "Under", spread), Part(.dst, "Under", dst),
    Part(.missed, "Under", missed), Part(.onlyIf, "Under", onlyIf),
    Part(.steps, "In a step of", step), Part(.params, "In a parameter under", param),
    Part("hook", "In an action of a hook", hookAction),
    Part("hook.\(Key.add)", "In an action under `\(Key.add)` of a hook", addedAction),
    Part(.secrets, "In a secret of", secret), Part(.limits, "Under", limits),
    Part(.kill, "Under", kill), Part(.retry, "Under", retry), Part(.output, "Under", output),
    Part(
      "\(JobKey.output).\(Key.file)", "Under `\(Key.file)` of `\(JobKey.output)`", outputFile),
    Part(.terminal, "Under", terminal), Part(.success, "Under", success),
    Part(.failsWhen, "Under", failsWhen),
  ]

  private static let administration: [KeyEntry] = [
    KeyEntry(
      .enabled, .boolean, default: "`true`", reload: .rearms,
      "With `false`, the job does not start; its slots become `skipped(suspended)`.",
      .value(\.isEnabled) { $0.boolean }),
    KeyEntry(
      .onRemoved, .choice(Removal.allCases.map(\.rawValue)), default: "`drain`",
      "What happens to an active run when a reload removes the job: `drain` lets its attempt finish, "
        + "`kill` stops it.",
      .value(\.policies.removal) { $0.choice() }),
    KeyEntry(
      .displayName, .text(allowsEmpty: false), default: "the name",
      "What people call the job, in any letters: the page, `takt status JOB`, mails and chats show it. "
        + "Commands, the API and the ledger go by the name."),
    KeyEntry(
      .tags, .oneOrMore(.name), "Words to find the job by. The rules of job names apply.",
      .value(\.policies.tags) { Set($0.texts).sorted() }),
    KeyEntry(
      .description, .text(allowsEmpty: true), "A description for people; takt only displays it."),
  ]
}

extension KeyTable {
  /// The reference of all keys as Markdown, between the markers in `docs/jobs-file.md`.
  package static var reference: String {
    section("At the top of a file", root, hasReload: false)
      + section("Under `\(Key.scheduler)`", scheduler)
      + section("In a job", job, hasDefaults: true)
      + parts.map { section($0.title, $0.entries) }.joined()
  }

  private static func section(
    _ title: String, _ entries: KeyRows, hasReload: Bool = true, hasDefaults: Bool = false
  ) -> String {
    var columns = ["key", "value"]
    if hasReload { columns += ["default", "a reload"] }
    if hasDefaults { columns.append("in `defaults`") }
    columns.append("meaning")
    var text = "\n### \(title)\n\n" + row(columns) + row(columns.map { _ in "---" })
    for entry in entries {
      var cells = ["`\(entry.name)`", entry.type.reference]
      if hasReload { cells += [entry.defaultText ?? "", entry.reload?.rawValue ?? ""] }
      if hasDefaults { cells.append(entry.isAllowedInDefaults ? "yes" : "no") }
      cells.append(entry.summary)
      text += row(cells)
    }
    return text
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |\n"
  }
}
