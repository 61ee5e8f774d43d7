import TaktCore
import TaktTime

extension KeyTable {
  static let triggers: [KeyEntry] = [
    KeyEntry(
      .every, .duration(least: .milliseconds(1)), reload: .rearms,
      "Due again and again at this interval, counted from when the job was first loaded."),
    KeyEntry(
      .first, .oneOf([.choice(["now"]), .duration(least: .zero)]), default: "the interval",
      reload: .rearms, "How long after the first load the first slot of `every` stands."),
    KeyEntry(
      .from, .choice(["start", "end"]), default: "`start`", reload: .rearms,
      "What `every` counts from: `start` is a fixed rate, `end` a fixed delay after a run's end."),
    KeyEntry(
      .align, .choice(["epoch"]), reload: .rearms,
      "Puts the slots of `every` on the clock: `15m` comes at :00, :15, :30, :45 in UTC."),
    KeyEntry(
      .phase, .choice(Every.Phase.allCases.map(\.rawValue)), default: "`keep`", reload: .rearms,
      "What becomes of the anchor when a reload changes the interval of `every`: it stays, or the "
        + "moment of the reload takes its place."),
    KeyEntry(
      .cron, .oneOrMore(.text(allowsEmpty: false)), reload: .rearms,
      "Due at the times of a cron expression: 5 fields, 6 with seconds before them, 7 with a year "
        + "after them, or a name such as `@daily`."),
    KeyEntry(
      .days, .choice(CronDayRule.allCases.map(\.rawValue)), default: "`any`", reload: .rearms,
      "What two day fields of `cron` mean together: one of them fits, as in classic cron, or both.",
      .value(\.days) { $0.choice() }),
    KeyEntry(
      .calendar, .oneOrMore(.text(allowsEmpty: false)), reload: .rearms,
      "Due at the times of an expression in systemd's OnCalendar grammar: `Mon..Fri 09:00`."),
    KeyEntry(
      .timezone, .zone, default: "that of `scheduler`", reload: .rearms,
      "Where the times of `cron`, `calendar` and `at`, and those of `not_before`, `until` and "
        + "`except`, are read.",
      .set { field, value, builder, settled in
        settled.zone = value.text.flatMap {
          builder.sources.zones.zone(named: $0, at: field.mark, builder.reporter)
        }
      }),
    KeyEntry(
      .dst, .object(dst), reload: .rearms,
      "What becomes of times of `cron` and `calendar` that a clock change skips or repeats.",
      .merge),
    KeyEntry(
      .at, .oneOrMore(.instant), reload: .rearms,
      "Due once, at `2026-12-24T18:00`, with seconds or an offset (`Z`, `+01:00`) if wanted."),
    KeyEntry(
      .on, .oneOrMore(.choice(Occasion.allCases.map(\.rawValue))), reload: .rearms,
      "Due when takt has started, when it has for the first time since the machine has (`boot`), or "
        + "when a reload has added or changed the job."),
    KeyEntry(
      .after, .oneOrMore(.object(after)), reload: .rearms,
      "Due when a run of another job has come to its last end; of several, each time one has."),
    KeyEntry(
      .watch, .oneOrMore(.object(watch)), reload: .rearms,
      "Due when a file is made, written or moved into place, or any file in a folder."),
    KeyEntry(.notBefore, .instant, reload: .rearms, "No slot stands before this instant."),
    KeyEntry(.until, .instant, reload: .rearms, "No slot stands after this instant."),
    KeyEntry(
      .limit, .integer(1...1_000_000_000), reload: .rearms,
      "How many slots run, counted from the first load on; those after are `skipped(limit)`."),
    KeyEntry(
      .except, .oneOrMore(.text(allowsEmpty: false)), reload: .rearms,
      "Times that are left out, in the grammar of `calendar`: whole days (`Sat,Sun`, `*-12-25`), or "
        + "the seconds of a time of day (`Mon 12..13:*:*`). Their slots are `skipped(excluded)`.",
      .set { _, value, builder, settled in settled.exceptions = builder.exceptions(value) }),
    KeyEntry(
      .spread, .oneOf([.object(spread), .duration(least: .zero)]), default: "0s", reload: .rearms,
      "The job's slots that a clock names are put off by up to so much, always alike, so that jobs of "
        + "one time do not all start at once.",
      .set { field, value, builder, settled in
        settled.spread = builder.spread(value, at: field.mark)
      }),
    KeyEntry(
      .jitter, .duration(least: .zero), default: "0s", reload: .rearms,
      "Each slot that a clock names is put off by up to so much, by a number that job and slot "
        + "determine.",
      .value(\.jitter) { $0.duration }),
    KeyEntry(
      .leeway, .oneOf([.percent, .duration(least: .zero)]), default: "0s", reload: .rearms,
      "How late a slot may start, so that one wake serves many jobs; percent is of the interval.",
      .set { _, value, builder, settled in
        settled.leeway = value.leeway ?? builder.builtIn.leeway
      }),
  ]

  package static let after: KeyRows = [
    KeyEntry(Key.job, .name, reload: .rearms, "Whose run."),
    KeyEntry(
      .on, .choice(Following.Condition.allCases.map(\.rawValue)), default: "`success`",
      reload: .rearms,
      "Which ends count: `failure` is a run that failed or timed out, `any` takes those that were "
        + "cancelled or interrupted, too."),
  ]

  package static let watch: KeyRows = [
    KeyEntry(Key.path, .path, reload: .rearms, "The file or the folder; it need not be there yet."),
    KeyEntry(
      Key.debounce, .duration(least: .zero),
      default: DurationText.format(PathWatch.defaultDebounce), reload: .rearms,
      "How long nothing more must change; after ten times as long the job is due in any case."),
  ]

  package static let spread: KeyRows = [
    KeyEntry(Key.over, .duration(least: .zero), reload: .rearms, "Up to how much."),
    KeyEntry(
      Key.by, .choice(["job", "host"]), default: "`job`", reload: .rearms,
      "What determines by how much: the job's name, or that and the host's."),
  ]

  package static let dst: KeyRows = [
    KeyEntry(
      "gap", .choice(DSTPolicy.Gap.allCases.map(\.rawValue)),
      default: "`run_after` for `cron`, `skip` for `calendar`", reload: .rearms,
      "A time over which the clock is put forward: right after the gap, or not at all.",
      .value(\.dstGap) { $0.choice() }),
    KeyEntry(
      "overlap", .choice(DSTPolicy.Overlap.allCases.map(\.rawValue)), default: "`first`",
      reload: .rearms,
      "A time that comes twice; what recurs within the hour goes on through both in any case.",
      .value(\.dstOverlap) { $0.choice() }),
  ]
}

extension KeyValue {
  fileprivate var leeway: Leeway? { duration.map(Leeway.duration) ?? percent.map(Leeway.percent) }
}

extension ExecutionBuilder {
  /// How far jobs are put off; nil for `null`, and for what is wrong.
  fileprivate func spread(_ value: KeyValue, at mark: YAMLMark) -> JobDefaults.SpreadRule? {
    switch value {
    case .duration(let over): return JobDefaults.SpreadRule(over: over, isByHost: false)
    case .object(let fields):
      guard let over = fields[Key.over] else {
        reporter.report(
          .missingKey, at: mark, "'\(JobKey.spread)' does not say up to how much",
          hint: "add '\(Key.over)', such as 5m", owner: owner)
        return nil
      }
      return over.value?.duration.map {
        JobDefaults.SpreadRule(over: $0, isByHost: fields[Key.by]?.value?.text == "host")
      }
    default: return nil
    }
  }

  /// Times that are left out; what is wrong is reported.
  fileprivate func exceptions(
    _ value: KeyValue
  ) -> [(expression: CalendarExpression, isWholeDays: Bool, zone: Zone?)] {
    (value.list ?? []).compactMap { item in
      guard let text = item.value.text else { return nil }
      do throws(CalendarProblem) {
        let expression = try CalendarExpression(text)
        var zone: Zone?
        if let name = expression.zoneName {
          zone = sources.zones.zone(named: name, at: item.mark, reporter)
          if zone == nil { return nil }
        }
        return (expression, Exclusion.namesWholeDays(text, expression), zone)
      } catch {
        reporter.report(
          error.sentence, error.hint, in: text, at: error.offset, item.mark, owner: owner)
        return nil
      }
    }
  }
}
