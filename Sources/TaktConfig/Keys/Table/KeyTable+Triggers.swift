import TaktCore
import TaktTime

extension KeyTable {
  static let triggers: [KeyEntry] = [
    KeyEntry(
      .every, .duration(least: .milliseconds(1)), reload: .rearms,
      "Due at this interval, counted from the time when the job was first loaded. In a cluster, counted "
        + "from the epoch, as with `align`, unless `machines` is `each`."),
    KeyEntry(
      .first, .oneOf([.choice(["now"]), .duration(least: .zero)]), default: "the interval",
      reload: .rearms, "The time from the first load to the first slot of `every`."),
    KeyEntry(
      .from, .choice(["start", "end"]), default: "`start`", reload: .rearms,
      "What `every` counts from: `start` is a fixed rate, `end` a fixed delay after the end of a run."
    ),
    KeyEntry(
      .align, .choice(["epoch", "local"]), reload: .rearms,
      "Aligns the slots of `every` with the clock: `epoch` in UTC, `local` in the job's time zone. `1d` is "
        + "due at midnight, `15m` at :00, :15, :30, :45."),
    KeyEntry(
      .anchor, .text(allowsEmpty: false), reload: .rearms,
      "What `every` counts from: a time of day, `08:00`, each day again, in the job's time zone; or one "
        + "instant, `2026-01-05T08:00`."),
    KeyEntry(
      .phase, .choice(Every.Phase.allCases.map(\.rawValue)), default: "`keep`", reload: .rearms,
      "What a reload that changes the interval of `every` counts from: still the first load (`keep`), "
        + "or the reload (`restart`)."),
    KeyEntry(
      .cron, .oneOrMore(.text(allowsEmpty: false)), reload: .rearms,
      "Due at the times of a cron expression: 5 fields, 6 with seconds in front, 7 with a year at the "
        + "end, or a name such as `@daily`."),
    KeyEntry(
      .days, .choice(CronDayRule.allCases.map(\.rawValue)), default: "`cron`", reload: .rearms,
      "Which days match when both day fields of `cron` are restricted: those that match `any` or `all` "
        + "of the two, or as in `cron` itself: all if one of the fields starts with `*`, otherwise any.",
      .value(\.days) { $0.choice() }),
    KeyEntry(
      .calendar, .oneOrMore(.text(allowsEmpty: false)), reload: .rearms,
      "Due at the times of an expression in systemd's OnCalendar grammar: `Mon..Fri 09:00`."),
    KeyEntry(
      .rrule, .oneOrMore(.text(allowsEmpty: false)), reload: .rearms,
      "Due at the times of a recurrence of RFC 5545: `DTSTART:20260105T090000 RRULE:FREQ=WEEKLY;INTERVAL=2`, "
        + "optionally with `RDATE` and `EXDATE`."),
    KeyEntry(
      .nth, .object(nth), reload: .rearms,
      "Keeps the times of `cron` and `calendar` only in every n-th day, week or month by the calendar."
    ),
    KeyEntry(
      .workingDay,
      .oneOf([
        .object(workingDay), .choice(["first", "last"]),
        .integer(-DayFilter.workingDaysMax...DayFilter.workingDaysMax),
      ]), reload: .rearms,
      "Keeps the times of `cron` and `calendar` only on this working day (Monday to Friday) of each month: "
        + "`first`, `last`, the third (`3`) or the second-to-last (`-2`); with holidays of calendars, "
        + "`{day: last, except: holidays}`."),
    KeyEntry(
      .timezone, .zone, default: "that of `scheduler`", reload: .rearms,
      "The time zone of `cron`, `calendar`, `rrule`, `align: local`, `anchor`, `at`, `not_before`, `until`, `except` and `only_on`.",
      .set { field, value, builder, settled in
        settled.zone = value.text.flatMap {
          builder.sources.zones.zone(named: $0, at: field.mark, builder.reporter)
        }
      }),
    KeyEntry(
      .dst, .object(dst), reload: .rearms,
      "What happens to times of `cron`, `calendar`, `rrule` and a local `every` that a clock change skips or repeats.",
      .merge),
    KeyEntry(
      .at, .oneOrMore(.instant), reload: .rearms,
      "Due once, at `2026-12-24T18:00`. Seconds and an offset (`Z`, `+01:00`) are optional."),
    KeyEntry(
      .on,
      .oneOrMore(
        .oneOf([
          .object(on), .choice(LifecycleEvent.allCases.map(\.rawValue) + [Schedule.manualWord]),
        ])),
      reload: .rearms,
      "Due when takt has started (`start`), when it has started for the first time since the machine "
        + "booted (`boot`), or when a reload has added or changed the job (`reload`); some time after it with `{boot: 5m}`. "
        + "`manual` alone: never due, the job only runs by hand."
    ),
    KeyEntry(
      .after, .oneOrMore(.object(after)), reload: .rearms,
      "Due when a run of another job has ended. With several jobs: each time one of them has, or with "
        + "`all` when each of them has."),
    KeyEntry(
      .watch, .oneOrMore(.object(watch)), reload: .rearms,
      "Due when the file is created, written or moved into place; for a folder, any file in it, or those "
        + "of a `pattern`."),
    KeyEntry(.notBefore, .instant, reload: .rearms, "There is no slot before this instant."),
    KeyEntry(.until, .instant, reload: .rearms, "There is no slot after this instant."),
    KeyEntry(
      .limit, .integer(1...1_000_000_000), reload: .rearms,
      "The maximum number of slots that run, counted from the first load. Later slots become `skipped(limit)`."
    ),
    KeyEntry(
      .except, .oneOrMore(.text(allowsEmpty: false)), reload: .rearms,
      "Excluded times: the names of calendars, or in the grammar of `calendar` whole days (`Sat,Sun`, "
        + "`*-12-25`) or the seconds of a time of day (`Mon 12..13:*:*`). Their slots become "
        + "`skipped(excluded)`.",
      .set { _, value, builder, settled in builder.setExceptions(value, &settled) }),
    KeyEntry(
      .onlyOn, .oneOrMore(.text(allowsEmpty: false)), reload: .rearms,
      "The only times that are not excluded, written as for `except`. All others become "
        + "`skipped(excluded)`.",
      .set { _, value, builder, settled in builder.setOnlyOn(value, &settled) }),
    KeyEntry(
      .onExcluded, .choice(["skip", "next", "previous"]), default: "`skip`", reload: .rearms,
      "What becomes of a time of `cron`, `calendar`, `rrule` or a local `every` on an excluded day: it "
        + "is skipped, or it moves to the same time of the `next` or `previous` day that is not excluded.",
      .set { _, value, _, settled in
        settled.choose { $0.direction = value.text.flatMap(DayMove.Direction.init) }
      }),
    KeyEntry(
      .spread, .oneOf([.object(spread), .duration(least: .zero)]), default: "0s", reload: .rearms,
      "Delays each slot of a time trigger by a fixed offset of up to this long, derived from the job's "
        + "name, so that jobs do not all start at once.",
      .set { field, value, builder, settled in
        settled.spread = builder.spread(value, at: field.mark)
      }),
    KeyEntry(
      .jitter, .duration(least: .zero), default: "0s", reload: .rearms,
      "Delays each slot of a time trigger by a random but repeatable offset of up to this long.",
      .value(\.jitter) { $0.duration }),
    KeyEntry(
      .leeway, .oneOf([.percent, .duration(least: .zero)]), default: "0s", reload: .rearms,
      "How late a slot may start, so that one wake-up can start several jobs. A percentage is of the interval.",
      .set { _, value, builder, settled in
        settled.leeway = value.leeway ?? builder.builtIn.leeway
      }),
  ]

  package static let after: KeyRows = [
    KeyEntry(Key.job, .name, reload: .rearms, "The other job. Required without `all`."),
    KeyEntry(
      Key.all, .list(.oneOf([.object(afterAll), .name])), reload: .rearms,
      "Instead of `job`: several jobs, by name or as `{job: NAME, on: any}`. Due when each of them has "
        + "ended as asked since the last time."),
    KeyEntry(
      Key.within, .duration(least: .milliseconds(1)), default: "any time", reload: .rearms,
      "With `all`: how far the ends may be apart. An end that is older does not count."),
    afterOn,
  ]

  package static let afterAll: KeyRows = [
    KeyEntry(Key.job, .name, reload: .rearms, "Required. The other job."), afterOn,
  ]

  private static let afterOn = KeyEntry(
    .on, .choice(Following.Condition.allCases.map(\.rawValue)), default: "`success`",
    reload: .rearms,
    "Which outcomes count: `failure` includes timeouts, `any` also includes cancelled and "
      + "interrupted runs.")

  package static let watch: KeyRows = [
    KeyEntry(
      Key.path, .path, reload: .rearms, "Required. The file or the folder. It need not exist yet."),
    KeyEntry(
      Key.debounce, .duration(least: .zero),
      default: DurationText.format(PathWatch.defaultDebounce), reload: .rearms,
      "Waits until nothing has changed for this long, but at most ten times as long."),
    KeyEntry(
      Key.pattern, .oneOrMore(.text(allowsEmpty: false)), default: "all", reload: .rearms,
      "Of a folder, the entries that count: names such as `*.csv`, or with a slash paths below the "
        + "folder, such as `**/*.csv`, whose subfolders are then watched too."),
    KeyEntry(
      Key.recursive, .boolean, default: "`false`", reload: .rearms,
      "With `true`, all folders below the folder are watched too, and new ones as they come. Links are "
        + "not followed."),
  ]

  package static let nth: KeyRows = [
    KeyEntry(
      Key.every, .integer(1...DayFilter.everyMax), reload: .rearms,
      "Required. Of so many days, weeks or months, one counts."),
    KeyEntry(
      Key.unit, .choice(DayFilter.Nth.Unit.allCases.map(\.rawValue)), default: "`weeks`",
      reload: .rearms, "What is counted. A week begins on Monday."),
    KeyEntry(
      Key.starting, .text(allowsEmpty: false), reload: .rearms,
      "Required. A date, `2026-01-05`, in the first day, week or month that counts. There is no slot "
        + "before it."),
  ]

  package static let spread: KeyRows = [
    KeyEntry(Key.over, .duration(least: .zero), reload: .rearms, "Required. The maximum delay."),
    KeyEntry(
      Key.by, .choice(["job", "host"]), default: "`job`", reload: .rearms,
      "What the delay is derived from: the job's name, or the names of the job and the host."),
  ]

  package static let dst: KeyRows = [
    KeyEntry(
      "gap", .choice(DSTPolicy.Gap.allCases.map(\.rawValue)),
      default:
        "`skip` for `calendar`, for `cron` with an hour field that starts with `*`, and for `rrule` "
        + "and `every` below a day; otherwise `run_after`", reload: .rearms,
      "A time that the clock skips in spring: due right after the change, or dropped.",
      .value(\.dstGap) { $0.choice() }),
    KeyEntry(
      "overlap", .choice(DSTPolicy.Overlap.allCases.map(\.rawValue)), default: "`first`",
      reload: .rearms,
      "A time that occurs twice in autumn. Schedules that repeat within the hour, an `every` below a "
        + "day, and an `rrule` of `HOURLY` or shorter run both times in any case.",
      .value(\.dstOverlap) { $0.choice() }),
  ]
}

extension KeyValue {
  fileprivate var leeway: Leeway? { duration.map(Leeway.duration) ?? percent.map(Leeway.percent) }
}

extension ExecutionBuilder {
  /// Nil for `null`, and for a mistake.
  fileprivate func spread(_ value: KeyValue, at mark: YAMLMark) -> JobDefaults.SpreadRule? {
    switch value {
    case .duration(let over): return JobDefaults.SpreadRule(over: over, isByHost: false)
    case .object(let fields):
      guard let over = fields[Key.over] else {
        reporter.report(
          .missingKey, at: mark, "'\(JobKey.spread)' has no '\(Key.over)'",
          hint: "write spread: {over: 5m}", owner: owner)
        return nil
      }
      return over.value?.duration.map {
        JobDefaults.SpreadRule(over: $0, isByHost: fields[Key.by]?.value?.text == "host")
      }
    default: return nil
    }
  }
}
