import TaktCore
import TaktTime

/// Events of takt's own life under `on`, each with how long after it the job is due.
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
}
