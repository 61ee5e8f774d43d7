import TaktCore

/// Events of takt's own life under `on`, each with the delay of the job.
extension SpecBuilder {
  func setLifecycleEvents(
    _ items: [KeyValue.Located], of raw: RawJob, in schedule: inout Schedule
  ) {
    var events: [LifecycleEvent: Duration] = [:]
    func add(_ event: LifecycleEvent?, _ delay: Duration, at mark: YAMLMark) {
      guard let event else { return }
      if let other = events[event], other != delay {
        reporter.report(
          .conflictingKeys, at: mark, "'\(event.rawValue)' is given with two delays",
          hint: "remove one of them", owner: KeyOwner(raw.owner, .on))
      }
      events[event] = delay
    }
    if let manual = items.first(where: { $0.value.text == Schedule.manualWord }) {
      return checkManual(manual.mark, hasOthers: items.count > 1, of: raw)
    }
    for item in items {
      if let fields = item.value.object {
        for field in fields.fields {
          add(
            LifecycleEvent(rawValue: field.name), field.value?.duration ?? .zero,
            at: field.keyMark)
        }
        if fields.fields.isEmpty, !fields.hasUnknownKeys {
          reporter.report(
            .missingKey, at: item.mark, "a mapping of '\(JobKey.on)' is empty",
            hint: "write \(JobKey.on): {boot: 5m}", owner: raw.owner)
        }
      } else {
        add(item.value.text.flatMap(LifecycleEvent.init), .zero, at: item.mark)
      }
    }
    schedule.on = Set(events.keys)
    if events.contains(where: { $0.value > .zero }) { schedule.delays = events }
  }

  /// A manual job has no trigger, and no bounds or moves of slots.
  private func checkManual(_ mark: YAMLMark, hasOthers: Bool, of raw: RawJob) {
    let word = "'\(JobKey.on): \(Schedule.manualWord)'"
    if hasOthers || Self.triggers.contains(where: { $0 !== JobKey.on && raw.fields.has($0) }) {
      reporter.report(
        .conflictingKeys, at: mark, "\(word) cannot be combined with a trigger",
        hint: "remove one of them; a job with triggers runs by hand, too", owner: raw.owner)
      return
    }
    for key in Self.slotKeys where raw.fields[key]?.value?.isNull == false {
      reporter.report(
        .conflictingKeys, severity: .warning, at: raw.fields[key]?.keyMark ?? mark,
        "'\(key)' has no effect with \(word), because the job has no slots", hint: "remove it",
        owner: raw.owner)
    }
  }

  /// Keys of a job that only affect its slots.
  private static let slotKeys: [JobKey] = [
    .notBefore, .until, .limit, .except, .onlyOn, .onExcluded, .spread, .jitter, .leeway, .missed,
    .lateTolerance,
  ]
}
