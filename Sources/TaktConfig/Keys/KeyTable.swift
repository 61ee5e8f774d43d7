import TaktCore

/// Every key of the jobs file. The parser's checks and the reference in `docs/jobs-file.md` are
/// made of this table, so that they cannot differ.
public enum KeyTable {
  /// The keys at the top of a file.
  public static let root: [KeyEntry] = [
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
  public static let scheduler: [KeyEntry] = [
    KeyEntry(
      Key.timezone, .zone, default: "`local`", reload: .rearms,
      "Where times without an offset are read; `local` is the machine's own zone."),
    KeyEntry(
      Key.maxRunning, .integer(1...10_000), default: "16", reload: .updates,
      "How many runs may be in progress at once."),
    KeyEntry(
      Key.shutdownGrace, .duration(least: .zero), default: "30s", reload: .updates,
      "How long a stop waits for runs in progress before it stops them."),
  ]

  /// The keys of a job.
  public static let job: [KeyEntry] = triggers + actions + execution

  /// The keys under `kill`.
  public static let kill: [KeyEntry] = [
    KeyEntry(
      Key.signal, .choice(StopSignal.allCases.map(\.rawValue)), default: "`TERM`",
      reload: .updates, mayStandInDefaults: true, "What the run's process group is sent first."),
    KeyEntry(
      Key.grace, .duration(least: .zero), default: "10s", reload: .updates,
      mayStandInDefaults: true, "How long the group then has before it is sent KILL."),
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
      Key.at, .oneOrMore(.instant), reload: .rearms,
      "Due once, at `2026-12-24T18:00`, with seconds or an offset (`Z`, `+01:00`) if wanted."),
    KeyEntry(
      Key.on, .oneOrMore(.choice(Occasion.allCases.map(\.rawValue))), reload: .rearms,
      "Due when takt has started, or when a reload has added or changed the job."),
    KeyEntry(
      Key.leeway, .oneOf([.percent, .duration(least: .zero)]), default: "0s", reload: .rearms,
      mayStandInDefaults: true,
      "How late a slot may start, so that one wake serves many jobs; percent is of the interval."),
  ]

  private static let actions: [KeyEntry] = [
    KeyEntry(
      Key.run, .oneOf([.list(.text(allowsEmpty: true)), .text(allowsEmpty: false)]),
      reload: .updates,
      "A command: a text goes to the shell, a list is a program and its arguments."),
    KeyEntry(
      Key.use, .action, reload: .updates, "An action that takt brings with it, instead of `run`."),
    KeyEntry(
      Key.with, .map(.parameter, .text(allowsEmpty: true)), reload: .updates,
      "The parameters of the action that `use` names."),
  ]

  private static let execution: [KeyEntry] = [
    KeyEntry(
      Key.shell, .oneOf([.list(.text(allowsEmpty: true)), .path]), default: "`/bin/sh`",
      reload: .updates, mayStandInDefaults: true,
      "What runs a `run` that is a text: a program, called with `-c`, or a list of program and "
        + "arguments."),
    KeyEntry(
      Key.environment, .map(.environment, .text(allowsEmpty: true)), reload: .updates,
      mayStandInDefaults: true, "Added to takt's own environment; values are taken as written."),
    KeyEntry(
      Key.directory, .path, default: "the folder of the file", reload: .updates,
      mayStandInDefaults: true, "The folder in which the command starts."),
    KeyEntry(
      Key.timeout, .duration(least: .milliseconds(1)), default: "none", reload: .updates,
      mayStandInDefaults: true, "How long a run may take before it is stopped."),
    KeyEntry(
      Key.kill, .object(kill), reload: .updates, mayStandInDefaults: true,
      "How a run is stopped."),
    KeyEntry(
      Key.qos, .choice(QoS.allCases.map(\.rawValue)), default: "`default`", reload: .updates,
      mayStandInDefaults: true,
      "How urgent the work is, from what somebody waits for to what nobody does."),
    KeyEntry(
      Key.overlap, .choice(Overlap.allCases.map(\.rawValue)), default: "`skip`",
      reload: .updates, mayStandInDefaults: true,
      "What happens to a slot that comes due while a run of the job is in progress."),
    KeyEntry(
      Key.enabled, .boolean, default: "`true`", reload: .rearms, mayStandInDefaults: true,
      "With `false` nothing is armed; slots that pass are recorded as `skipped(suspended)`."),
    KeyEntry(
      Key.description, .text(allowsEmpty: true), reload: .updates, "A sentence for people."),
  ]
}
