import TaktCore
import TaktTime

/// Every key of the jobs file. The parser's checks, the reference in `docs/jobs-file.md` and the
/// JSON Schema are made of this table, so that they cannot differ.
package enum KeyTable {
  /// The keys of a mapping that stands inside a job.
  package struct Part: Hashable, Sendable {
    /// Where it stands: `output.file`.
    package var path: String
    /// Where it stands, for people: "Under `file` of `output`".
    package var title: String
    /// Its keys.
    package var entries: [KeyEntry]
  }

  /// The keys at the top of a file.
  package static let root: [KeyEntry] = [
    KeyEntry(
      Key.scheduler, .object(scheduler), reload: nil,
      "What holds for takt itself; only in the main file."),
    KeyEntry(
      Key.defaults, .object(job.filter(\.mayStandInDefaults)), reload: nil,
      "What holds for every job of this file that does not say otherwise."),
    KeyEntry(
      Key.include, .oneOrMore(.path), reload: nil,
      "Further files, by path or by a pattern with `*`, `?` or `[…]`."),
    KeyEntry(
      Key.jobs, .map(.job, .object(job)), reload: nil, "The jobs, each under its name."),
    KeyEntry(
      Key.extensionPrefix + "…", .anything, reload: nil,
      "Not read; a place for anchors and for other programs."),
  ]

  /// The keys under `scheduler`.
  package static let scheduler: [KeyEntry] = [
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
    KeyEntry(
      Key.history, .object(history), reload: .restarts, "How long the ledger keeps what."),
    KeyEntry(
      Key.http, .object(http), reload: .restarts,
      "Where takt answers HTTP over TCP, with its web page; without it only on the Unix socket in "
        + "the state folder."),
  ]

  /// The keys under `http` of `scheduler`.
  package static let http: [KeyEntry] = [
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

  /// The keys under `history` of `scheduler`.
  package static let history: [KeyEntry] = [
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

  /// The keys of a job.
  package static let job: [KeyEntry] =
    triggers + actions + surroundings + policies + hooks + administration

  /// The mappings inside a job.
  package static let parts: [Part] = [
    Part(
      path: "\(Key.scheduler).\(Key.history)",
      title: "Under `\(Key.history)` of `\(Key.scheduler)`", entries: history),
    Part(
      path: "\(Key.scheduler).\(Key.http)",
      title: "Under `\(Key.http)` of `\(Key.scheduler)`", entries: http),
    Part(path: Key.after, title: "In a trigger of `\(Key.after)`", entries: after),
    Part(path: Key.watch, title: "In a trigger of `\(Key.watch)`", entries: watch),
    Part(path: Key.spread, title: "Under `\(Key.spread)`", entries: spread),
    Part(path: Key.dst, title: "Under `\(Key.dst)`", entries: dst),
    Part(path: Key.missed, title: "Under `\(Key.missed)`", entries: missed),
    Part(path: Key.steps, title: "In a step of `\(Key.steps)`", entries: step),
    Part(path: "hook", title: "In an action of a hook", entries: hookAction),
    Part(path: Key.secrets, title: "In a secret of `\(Key.secrets)`", entries: secret),
    Part(path: Key.limits, title: "Under `\(Key.limits)`", entries: limits),
    Part(path: Key.kill, title: "Under `\(Key.kill)`", entries: kill),
    Part(path: Key.retry, title: "Under `\(Key.retry)`", entries: retry),
    Part(path: Key.output, title: "Under `\(Key.output)`", entries: output),
    Part(
      path: "\(Key.output).\(Key.file)", title: "Under `\(Key.file)` of `\(Key.output)`",
      entries: outputFile),
    Part(path: Key.success, title: "Under `\(Key.success)`", entries: success),
    Part(path: Key.failsWhen, title: "Under `\(Key.failsWhen)`", entries: failsWhen),
  ]

  private static let triggers: [KeyEntry] = [
    KeyEntry(
      Key.every, .duration(least: .milliseconds(1)), reload: .rearms,
      "Due again and again at this interval, counted from when the job was first loaded."),
    KeyEntry(
      Key.first, .oneOf([.choice(["now"]), .duration(least: .zero)]), default: "the interval",
      reload: .rearms, "How long after the first load the first slot of `every` stands."),
    KeyEntry(
      Key.from, .choice(["start", "end"]), default: "`start`", reload: .rearms,
      "What `every` counts from: `start` is a fixed rate, `end` a fixed delay after a run's end."),
    KeyEntry(
      Key.align, .choice(["epoch"]), reload: .rearms,
      "Puts the slots of `every` on the clock: `15m` comes at :00, :15, :30, :45 in UTC."),
    KeyEntry(
      Key.phase, .choice(Every.Phase.allCases.map(\.rawValue)), default: "`keep`",
      reload: .rearms,
      "What becomes of the anchor when a reload changes the interval of `every`: it stays, or the "
        + "moment of the reload takes its place."),
    KeyEntry(
      Key.cron, .oneOrMore(.text(allowsEmpty: false)), reload: .rearms,
      "Due at the times of a cron expression: 5 fields, 6 with seconds before them, 7 with a year "
        + "after them, or a name such as `@daily`."),
    KeyEntry(
      Key.days, .choice(CronDayRule.allCases.map(\.rawValue)), default: "`any`",
      reload: .rearms, mayStandInDefaults: true,
      "What two day fields of `cron` mean together: one of them fits, as in classic cron, or both."),
    KeyEntry(
      Key.calendar, .oneOrMore(.text(allowsEmpty: false)), reload: .rearms,
      "Due at the times of an expression in systemd's OnCalendar grammar: `Mon..Fri 09:00`."),
    KeyEntry(
      Key.timezone, .zone, default: "that of `scheduler`", reload: .rearms,
      mayStandInDefaults: true,
      "Where the times of `cron`, `calendar` and `at`, and those of `not_before`, `until` and "
        + "`except`, are read."),
    KeyEntry(
      Key.dst, .object(dst), reload: .rearms, mayStandInDefaults: true,
      "What becomes of times of `cron` and `calendar` that a clock change skips or repeats."),
    KeyEntry(
      Key.at, .oneOrMore(.instant), reload: .rearms,
      "Due once, at `2026-12-24T18:00`, with seconds or an offset (`Z`, `+01:00`) if wanted."),
    KeyEntry(
      Key.on, .oneOrMore(.choice(Occasion.allCases.map(\.rawValue))), reload: .rearms,
      "Due when takt has started, when it has for the first time since the machine has (`boot`), or "
        + "when a reload has added or changed the job."),
    KeyEntry(
      Key.after, .oneOrMore(.object(after)), reload: .rearms,
      "Due when a run of another job has come to its last end; of several, each time one has."),
    KeyEntry(
      Key.watch, .oneOrMore(.object(watch)), reload: .rearms,
      "Due when a file is made, written or moved into place, or any file in a folder."),
    KeyEntry(
      Key.notBefore, .instant, reload: .rearms, "No slot stands before this instant."),
    KeyEntry(
      Key.until, .instant, reload: .rearms, "No slot stands after this instant."),
    KeyEntry(
      Key.limit, .integer(1...1_000_000_000), reload: .rearms,
      "How many slots run, counted from the first load on; those after are `skipped(limit)`."),
    KeyEntry(
      Key.except, .oneOrMore(.text(allowsEmpty: false)), reload: .rearms,
      mayStandInDefaults: true,
      "Times that are left out, in the grammar of `calendar`: whole days (`Sat,Sun`, `*-12-25`), or "
        + "the seconds of a time of day (`Mon 12..13:*:*`). Their slots are `skipped(excluded)`."),
    KeyEntry(
      Key.spread, .oneOf([.object(spread), .duration(least: .zero)]), default: "0s",
      reload: .rearms, mayStandInDefaults: true,
      "The job's slots that a clock names are put off by up to so much, always alike, so that jobs of "
        + "one time do not all start at once."),
    KeyEntry(
      Key.jitter, .duration(least: .zero), default: "0s", reload: .rearms,
      mayStandInDefaults: true,
      "Each slot that a clock names is put off by up to so much, by a number that job and slot "
        + "determine."),
    KeyEntry(
      Key.leeway, .oneOf([.percent, .duration(least: .zero)]), default: "0s", reload: .rearms,
      mayStandInDefaults: true,
      "How late a slot may start, so that one wake serves many jobs; percent is of the interval."),
  ]

  /// The keys of a trigger of `after`.
  package static let after: [KeyEntry] = [
    KeyEntry(Key.job, .name, reload: .rearms, "Whose run."),
    KeyEntry(
      Key.on, .choice(Following.Condition.allCases.map(\.rawValue)), default: "`success`",
      reload: .rearms,
      "Which ends count: `failure` is a run that failed or timed out, `any` takes those that were "
        + "cancelled or interrupted, too."),
  ]

  /// The keys of a trigger of `watch`.
  package static let watch: [KeyEntry] = [
    KeyEntry(Key.path, .path, reload: .rearms, "The file or the folder; it need not be there yet."),
    KeyEntry(
      Key.debounce, .duration(least: .zero),
      default: DurationText.format(PathWatch.defaultDebounce), reload: .rearms,
      "How long nothing more must change; after ten times as long the job is due in any case."),
  ]

  /// The keys under `spread`.
  package static let spread: [KeyEntry] = [
    KeyEntry(
      Key.over, .duration(least: .zero), reload: .rearms, mayStandInDefaults: true,
      mayBeNull: false, "Up to how much."),
    KeyEntry(
      Key.by, .choice(["job", "host"]), default: "`job`", reload: .rearms,
      mayStandInDefaults: true, mayBeNull: false,
      "What determines by how much: the job's name, or that and the host's."),
  ]

  /// The keys under `dst`.
  package static let dst: [KeyEntry] = [
    KeyEntry(
      Key.gap, .choice(DSTPolicy.Gap.allCases.map(\.rawValue)),
      default: "`run_after` for `cron`, `skip` for `calendar`", reload: .rearms,
      mayStandInDefaults: true,
      "A time over which the clock is put forward: right after the gap, or not at all."),
    KeyEntry(
      Key.overlap, .choice(DSTPolicy.Overlap.allCases.map(\.rawValue)), default: "`first`",
      reload: .rearms, mayStandInDefaults: true,
      "A time that comes twice; what recurs within the hour goes on through both in any case."),
  ]

  private static let administration: [KeyEntry] = [
    KeyEntry(
      Key.enabled, .boolean, default: "`true`", reload: .rearms, mayStandInDefaults: true,
      "With `false` nothing is armed; slots that pass are recorded as `skipped(suspended)`."),
    KeyEntry(
      Key.onRemoved, .choice(Removal.allCases.map(\.rawValue)), default: "`drain`",
      reload: .updates, mayStandInDefaults: true,
      "What becomes of a run in progress when a reload removes the job: `drain` lets its attempt "
        + "end, `kill` stops it."),
    KeyEntry(
      Key.tags, .oneOrMore(.name), reload: .updates, mayStandInDefaults: true,
      "Words to find the job by; names as jobs have them."),
    KeyEntry(
      Key.description, .text(allowsEmpty: true), reload: .updates, "A sentence for people."),
  ]
}
