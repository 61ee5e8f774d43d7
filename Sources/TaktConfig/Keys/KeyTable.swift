import TaktCore
import TaktTime

/// Every key of the jobs file. The parser's checks, what a job takes over, the reference in
/// `docs/jobs-file.md` and the JSON Schema are made of this table, so that they cannot differ.
package enum KeyTable {
  package struct Part: Hashable, Sendable {
    /// Where it stands: `output.file`.
    package var path: String
    /// Where it stands, for people: "Under `file` of `output`".
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
      "What holds for takt itself; only in the main file."),
    KeyEntry(
      Key.defaults, .object(KeyRows(job.filter(\.mayStandInDefaults))), reload: nil,
      "What holds for every job of this file that does not say otherwise."),
    KeyEntry(
      Key.include, .oneOrMore(.path), reload: nil,
      "Further files, by path or by a pattern with `*`, `?` or `[…]`."),
    KeyEntry(Key.jobs, .map(.job, .object(job)), reload: nil, "The jobs, each under its name."),
    KeyEntry(
      Key.extensionPrefix + "…", .anything, reload: nil,
      "Not read; a place for anchors and for other programs."),
  ]

  package static let scheduler: KeyRows = [
    KeyEntry(
      Key.timezone, .zone, default: "`local`", reload: .rearms,
      "Where times without an offset are read; `local` is the machine's own zone."),
    KeyEntry(
      Key.maxRunning, .integer(1...10_000), default: "16", reload: .updates,
      "How many runs may be in progress at once."),
    KeyEntry(
      Key.concurrency, .map(.group, .integer(1...10_000)), reload: .updates,
      "Groups of jobs, and how many runs of each group may be in progress at once."),
    KeyEntry(
      Key.plugins, .oneOrMore(.path), default: "`plugins`", reload: .updates,
      "Folders in which plugins are looked for, the first that has one of the name counts."),
    KeyEntry(
      Key.shutdownGrace, .duration(least: .zero), default: "30s", reload: .updates,
      "How long a stop waits for runs in progress before it stops them."),
    KeyEntry(
      Key.state, .path, default: "`.takt`", reload: .restarts,
      "The folder of the ledger and of the lock; with `none` anchors and books last as long as the "
        + "process."),
    KeyEntry(Key.history, .object(history), reload: .restarts, "How long the ledger keeps what."),
    KeyEntry(
      Key.http, .object(http), reload: .restarts,
      "Where takt answers HTTP over TCP, with its web page; without it only on the Unix socket in "
        + "the state folder."),
  ]

  package static let http: KeyRows = [
    KeyEntry(
      Key.listen, .text(allowsEmpty: false), reload: .restarts,
      "Required. A port, or an address and a port: `8080`, `127.0.0.1:8080`, `[::1]:8080`. Without an "
        + "address only this machine reaches it; port 0 is any that is free."),
    KeyEntry(
      Key.tokenFile, .path, default: "`token` in the state folder", reload: .restarts,
      "The file with the token that each request must bear; made at the first start, for its owner "
        + "alone."),
    KeyEntry(
      Key.names, .oneOrMore(.text(allowsEmpty: false)), reload: .restarts,
      "Names under which others reach it, such as that of a proxy before it; requests for another "
        + "name are refused."),
  ]

  package static let history: KeyRows = [
    KeyEntry(
      Key.keep, .duration(least: .seconds(60)), default: "30d", reload: .restarts,
      "How long verdicts and runs are kept."),
    KeyEntry(
      Key.maxRuns, .integer(100...1_000_000_000), default: "100000", reload: .restarts,
      "How many runs are kept, the newest ones."),
    KeyEntry(
      Key.output, .duration(least: .zero), default: "7d", reload: .restarts,
      "How long what runs have printed is kept."),
    KeyEntry(
      Key.maxSize, .size((1 << 20)...SizeText.maximumBytes), default: "1GB", reload: .restarts,
      "How large the ledger may be; beyond that its oldest entries go sooner."),
  ]

  package static let job = KeyRows(
    triggers + actions + surroundings + policies + hooks + administration)

  /// The mappings inside a job.
  package static let parts: [Part] = [
    Part(
      "\(Key.scheduler).\(Key.history)", "Under `\(Key.history)` of `\(Key.scheduler)`", history),
    Part("\(Key.scheduler).\(Key.http)", "Under `\(Key.http)` of `\(Key.scheduler)`", http),
    Part(.after, "In a trigger of", after), Part(.watch, "In a trigger of", watch),
    Part(.spread, "Under", spread), Part(.dst, "Under", dst), Part(.missed, "Under", missed),
    Part(.steps, "In a step of", step), Part("hook", "In an action of a hook", hookAction),
    Part(.secrets, "In a secret of", secret), Part(.limits, "Under", limits),
    Part(.kill, "Under", kill), Part(.retry, "Under", retry), Part(.output, "Under", output),
    Part(
      "\(JobKey.output).\(Key.file)", "Under `\(Key.file)` of `\(JobKey.output)`", outputFile),
    Part(.success, "Under", success), Part(.failsWhen, "Under", failsWhen),
  ]

  private static let administration: [KeyEntry] = [
    KeyEntry(
      .enabled, .boolean, default: "`true`", reload: .rearms,
      "With `false` nothing is armed; slots that pass are recorded as `skipped(suspended)`.",
      .value(\.isEnabled) { $0.boolean }),
    KeyEntry(
      .onRemoved, .choice(Removal.allCases.map(\.rawValue)), default: "`drain`",
      "What becomes of a run in progress when a reload removes the job: `drain` lets its attempt "
        + "end, `kill` stops it.",
      .value(\.policies.removal) { $0.choice() }),
    KeyEntry(
      .tags, .oneOrMore(.name), "Words to find the job by; names as jobs have them.",
      .value(\.policies.tags) { Set($0.texts).sorted() }),
    KeyEntry(.description, .text(allowsEmpty: true), "A sentence for people."),
  ]
}

extension KeyTable {
  /// The reference of all keys as Markdown: what stands between the markers in
  /// `docs/jobs-file.md`.
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
      if hasDefaults { cells.append(entry.mayStandInDefaults ? "yes" : "no") }
      cells.append(entry.summary)
      text += row(cells)
    }
    return text
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |\n"
  }
}
