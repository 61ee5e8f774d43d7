import TaktCore
import TaktTime

/// Turns a timer and the services that it starts into jobs.
struct TimerImport {
  let context: ImportContext
  let store: UnitStore

  var report: ImportReport { context.report }

  /// - Returns: the number of jobs.
  func run(_ timer: Unit) -> Int {
    let specifiers = Specifiers(unit: timer, manager: store.manager)
    let target = timer.last("Timer", "Unit").map { specifiers.expand($0.value).text }
    let started = target ?? timer.stem + ".service"
    let services = services(started, timer)
    guard !services.isEmpty else {
      for entry in timer.entries { report.lose(entry, "the timer is left out") }
      return 0
    }
    var count = services.count
    for service in services {
      let like = services.count == 1 ? timer.stem : "\(timer.stem)-\(service.stem)"
      var draft = JobDraft(
        name: context.newName(like: like),
        comments: comments(of: timer) + service.files)
      setTimes(of: timer, in: &draft)
      guard [JobKey.calendar, .every, .on].contains(where: { draft[$0] != nil }) else {
        for entry in timer.entries + service.entries {
          report.lose(entry, "the timer has no time that takt reads, and is left out")
        }
        count -= 1
        continue
      }
      settleUnit(of: timer, in: draft.name)
      ServiceImport(context: context, unit: timer, manager: store.manager)
        .setConditions(in: &draft, isTimer: true)
      ServiceImport(context: context, unit: service, manager: store.manager).add(to: &draft)
      fit(&draft, timer)
      context.add(draft)
      store.services.append((service, draft.name))
    }
    settleRest(of: timer)
    return count
  }

  private func comments(of timer: Unit) -> [String] {
    let documentation = timer.list("Unit", "Documentation").map { "See \($0.value)" }
    return timer.files + documentation
  }

  /// The unit itself if it is a service, or the services that a target pulls in.
  private func services(_ name: String, _ timer: Unit) -> [Unit] {
    let entry = timer.last("Timer", "Unit")
    let token =
      entry?.tokens[0] ?? timer.entries.first?.tokens[0]
      ?? SourceToken("[Timer]", at: timer.place)
    switch store.find(name) {
    case .masked:
      report.lose(token, "\(name) is masked, so that the timer does nothing")
      return []
    case .missing:
      report.lose(token, "there is no unit \(name)")
      return []
    case .unit(let unit):
      if name.hasSuffix(".service") {
        if let entry { report.keep(entry, as: "the job does what \(name) does") }
        return [unit]
      }
      guard name.hasSuffix(".target") else {
        report.lose(token, "takt starts no unit of the kind of \(name)")
        for entry in unit.entries { report.lose(entry, "the timer is left out") }
        return []
      }
      let services = store.wants(of: unit).compactMap { wanted -> Unit? in
        guard wanted.hasSuffix(".service"), case .unit(let service) = store.find(wanted) else {
          return nil
        }
        return service
      }
      if services.isEmpty {
        report.lose(token, "no service is wanted by \(name)")
      } else if let entry {
        report.differ(
          entry,
          "a job for each service that \(name) wants: \(services.map(\.name).joined(separator: ", "))"
        )
      }
      for entry in unit.entries {
        report.keep(entry, as: "the target itself does nothing")
      }
      return services
    }
  }

  private func setTimes(of timer: Unit, in draft: inout JobDraft) {
    let specifiers = Specifiers(unit: timer, manager: store.manager)
    setCalendar(of: timer, specifiers, in: &draft)
    setMonotonic(of: timer, in: &draft)
    setAccuracy(of: timer, in: &draft)
    setDelay(of: timer, in: &draft)
    let isPersistent = timer.flag("Timer", "Persistent") ?? false
    let hasCalendar = draft[.calendar] != nil
    draft[.missed] = .mapping(["policy": .word(isPersistent && hasCalendar ? "last" : "skip")])
    if let entry = timer.last("Timer", "Persistent") {
      report.keep(
        entry, as: hasCalendar ? "missed.policy" : "no effect without OnCalendar", in: draft.name)
    }
    noteTriggers(of: timer, draft)
    // A timer waits for the end of its service, and then starts it at once if it is due again.
    draft[.overlap] = .word(timer.flag("Timer", "DeferReactivation") == true ? "skip" : "queue")
    if let entry = timer.last("Timer", "DeferReactivation") {
      report.keep(entry, as: "overlap", in: draft.name)
    }
    if let entry = timer.last("Timer", "RemainAfterElapse") {
      report.keep(entry, as: "no effect on a timer that elapses again", in: draft.name)
    }
    for key in ["WakeSystem", "OnClockChange", "OnTimezoneChange"] {
      guard let entry = timer.last("Timer", key) else { continue }
      if Unit.boolean(entry.value) == false {
        report.keep(entry, as: "this is so in any case", in: draft.name)
      } else {
        report.lose(
          entry,
          key == "WakeSystem"
            ? "takt does not wake the machine" : "takt has no trigger for a change of the clock",
          in: draft.name)
      }
    }
  }

  /// Notes starts by takt that systemd would not make.
  private func noteTriggers(of timer: Unit, _ draft: JobDraft) {
    if draft[.every] != nil, draft[.calendar] == nil,
      ["OnBootSec", "OnStartupSec", "OnActiveSec"].allSatisfy({ timer.list("Timer", $0).isEmpty })
    {
      report.note(
        "systemd starts this timer only after something else has started its service; takt needs "
          + "nothing else", at: timer.place)
    }
    guard timer.flag("Timer", "DeferReactivation") != true, Self.isFrequent(draft) else { return }
    report.note(
      "when it is due several times while the service runs, systemd starts it once afterwards; takt "
        + "queues each of them; with 'overlap: skip' it starts none", at: timer.place)
  }

  /// True if it is due more than once within an hour.
  private static func isFrequent(_ draft: JobDraft) -> Bool {
    if case .word(let text)? = draft[.every], draft[.from] == nil,
      let interval = try? DurationText.parse(text), interval < .seconds(3600)
    {
      return true
    }
    return draft.times.contains {
      guard case .calendar(let text) = $0, let expression = try? CalendarExpression(text),
        let first = expression.next(after: WallInstant(milliseconds: 0), in: .utc),
        let second = expression.next(after: first, in: .utc)
      else { return false }
      return second.milliseconds - first.milliseconds < 3_600_000
    }
  }

  private func setCalendar(of timer: Unit, _ specifiers: Specifiers, in draft: inout JobDraft) {
    var expressions: [String] = []
    for entry in timer.list("Timer", "OnCalendar") {
      let text = specifiers.expand(entry.value).text
      do throws(CalendarProblem) {
        let expression = try CalendarExpression(text)
        if let zone = expression.zoneName, zone != "UTC", !context.options.isZone(zone) {
          report.lose(entry, "there is no time zone '\(zone)'", in: draft.name)
          continue
        }
        guard expression.next(after: WallInstant(milliseconds: 0), in: .utc) != nil else {
          report.lose(entry, "this time never comes", in: draft.name)
          continue
        }
        expressions.append(text)
        report.keep(entry, as: "calendar", in: draft.name, values: [text])
      } catch {
        report.lose(entry, "takt does not read this time: \(error.sentence)", in: draft.name)
      }
    }
    guard !expressions.isEmpty else { return }
    draft.times = expressions.map(SourceTime.calendar)
    draft[.calendar] =
      expressions.count == 1 ? .text(expressions[0]) : .list(expressions.map(DraftValue.text))
  }

  private func setMonotonic(of timer: Unit, in draft: inout JobDraft) {
    let intervals =
      timer.list("Timer", "OnUnitActiveSec").map { ($0, false) }
      + timer.list("Timer", "OnUnitInactiveSec").map { ($0, true) }
    for (entry, isFromEnd) in intervals {
      guard case .duration(let interval)? = UnitValue.span(entry.value), interval > .zero else {
        report.lose(entry, "this is no length of time", in: draft.name)
        continue
      }
      guard draft[.every] == nil else {
        report.lose(entry, "takt has one interval for each job", in: draft.name)
        continue
      }
      draft[.every] = .word(DurationText.format(interval))
      if isFromEnd { draft[.from] = .word("end") }
      report.differ(
        entry,
        isFromEnd
          ? "counted from the first load of the job until it has run"
          : "counted from the first load of the job, and not from each start: it does not drift",
        in: draft.name)
    }
    setEvents(of: timer, in: &draft)
  }

  private static let eventDelayMax = Duration.seconds(366 * 86_400)

  /// Sets delays after the boot and after the start.
  private func setEvents(of timer: Unit, in draft: inout JobDraft) {
    var events: [DraftEntry] = []
    for (key, event) in [("OnBootSec", "boot"), ("OnStartupSec", "boot"), ("OnActiveSec", "start")]
    {
      for entry in timer.list("Timer", key) {
        guard case .duration(let delay)? = UnitValue.span(entry.value) else {
          report.lose(entry, "this is no length of time", in: draft.name)
          continue
        }
        guard !events.contains(where: { $0.key == event }) else {
          report.lose(entry, "takt has one delay after each event", in: draft.name)
          continue
        }
        guard delay <= Self.eventDelayMax else {
          report.lose(entry, "takt waits 366 days at most after an event", in: draft.name)
          continue
        }
        let text = DurationText.format(delay)
        events.append(DraftEntry(key: event, value: .word(text)))
        if key == "OnStartupSec", store.manager.user != nil {
          report.differ(entry, "after the boot, and not after the user's login", in: draft.name)
        } else {
          report.keep(entry, as: "on.\(event)", in: draft.name, values: [text])
        }
      }
    }
    if !events.isEmpty { draft[.on] = .map(events) }
  }

  private func settleUnit(of timer: Unit, in job: String) {
    for entry in timer.list("Unit", "Documentation") { report.keep(entry, as: "comment", in: job) }
    for entry in timer.list("Unit", "Description") {
      report.keep(entry, as: "the description of the service counts", in: job)
    }
    for entry in timer.entries where entry.section == "Install" {
      switch entry.key {
      case "WantedBy" where entry.value == "timers.target":
        report.keep(entry, as: "a job of the file is enabled", in: job)
      case "WantedBy", "RequiredBy":
        report.lose(
          entry, "the timer starts and stops with \(entry.value); the job does not", in: job)
      default: report.lose(entry, "takt enables no units", in: job)
      }
    }
  }

  /// Reports entries that were overridden, or that no reader handled.
  private func settleRest(of timer: Unit) {
    ServiceImport.settleRest(of: timer, report)
  }
}
