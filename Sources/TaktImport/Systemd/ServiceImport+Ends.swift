import TaktCore
import TaktTime

/// The end of a service's run: by timeout, by force, with success, and with a retry.
extension ServiceImport {
  func setEnds(in draft: inout JobDraft) {
    setTimeout(in: &draft)
    setKill(in: &draft)
    setRetry(in: &draft)
    setSuccess(in: &draft)
  }

  private func setTimeout(in draft: inout JobDraft) {
    let keys: [(key: String, counts: Bool)] = [
      ("TimeoutSec", unit.isOneshot), ("TimeoutStartSec", unit.isOneshot),
      ("RuntimeMaxSec", !unit.isOneshot),
    ]
    for (key, counts) in keys {
      guard let entry = unit.last("Service", key) else { continue }
      guard let span = UnitValue.span(entry.value) else {
        report.lose(entry, "this is no length of time", in: draft.name)
        continue
      }
      guard counts else {
        report.keep(entry, as: "no effect on a service of this type", in: draft.name)
        continue
      }
      if case .duration(let time) = span, time > .zero {
        let text = DurationText.format(time)
        draft[.timeout] = .word(text)
        report.keep(entry, as: "timeout", in: draft.name)
      } else {
        report.keep(entry, as: "no timeout", in: draft.name)
      }
    }
  }

  private static let signals: Set<String> = ["TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "KILL"]

  private func setKill(in draft: inout JobDraft) {
    var grace = "90s"
    if let entry = unit.last("Service", "TimeoutStopSec") ?? unit.last("Service", "TimeoutSec") {
      switch UnitValue.span(entry.value) {
      case .duration(let time)? where time > .zero: grace = DurationText.format(time)
      case .infinite?, .duration?: grace = DurationText.format(StopPolicy.endlessGrace)
      case nil: report.lose(entry, "this is no length of time", in: draft.name)
      }
      if entry.key == "TimeoutStopSec", UnitValue.span(entry.value) != nil {
        report.keep(entry, as: "kill.grace", in: draft.name, values: [grace])
      }
    }
    if grace == "90s" { grace = "1m30s" }
    draft.set(.kill, "grace", .word(grace))
    if let entry = unit.last("Service", "KillSignal") {
      let name = entry.value.hasPrefix("SIG") ? String(entry.value.dropFirst(3)) : entry.value
      if Self.signals.contains(name) {
        draft.set(.kill, "signal", .word(name))
        report.keep(entry, as: "kill.signal", in: draft.name, values: [name])
      } else {
        report.lose(
          entry, "takt stops runs with one of \(Self.signals.sorted().joined(separator: ", "))",
          in: draft.name)
      }
    }
    guard let entry = unit.last("Service", "KillMode") else { return }
    switch entry.value {
    case "process", "none":
      draft.set(.kill, "leftovers", .word("leave"))
      report.differ(
        entry,
        "takt leaves what the command started alone after its end; a run that it stops is "
          + "stopped as a whole", in: draft.name)
    case "mixed":
      report.differ(entry, "the first signal goes to all processes of the run", in: draft.name)
    default: report.keep(entry, as: "kill", in: draft.name)
    }
  }

  private func setRetry(in draft: inout JobDraft) {
    guard let entry = unit.last("Service", "Restart") else { return settleRestart(in: draft) }
    let causes: [String]?
    switch entry.value {
    case "no":
      report.keep(entry, as: "no retry", in: draft.name)
      return settleRestart(in: draft)
    case "on-failure", "always": causes = nil
    case "on-abnormal": causes = ["signal", "timeout"]
    case "on-abort": causes = ["signal"]
    default:
      report.lose(entry, "takt tries again only after a failure", in: draft.name)
      return settleRestart(in: draft)
    }
    var delay = Duration.milliseconds(100)
    if let entry = unit.last("Service", "RestartSec"),
      case .duration(let given)? = UnitValue.span(entry.value)
    {
      delay = given
    }
    var attempts = 5
    for section in ["Unit", "Service"] {
      for key in ["StartLimitBurst"] {
        if let entry = unit.last(section, key), let number = Int(entry.value), number > 0 {
          attempts = min(number, 1000)
        }
      }
    }
    guard attempts > 1 else {
      report.differ(entry, "one attempt for each run: StartLimitBurst is 1", in: draft.name)
      return settleRestart(in: draft)
    }
    draft[.retry] = .map(
      [
        DraftEntry(key: "attempts", value: .word("\(attempts)")),
        DraftEntry(key: "delay", value: .word(DurationText.format(delay))),
        DraftEntry(key: "factor", value: .word("1")),
      ] + (causes.map { [DraftEntry(key: "on", value: .list($0.map(DraftValue.word)))] } ?? []))
    report.differ(
      entry,
      "up to \(attempts) attempts for each run"
        + (entry.value == "always" ? ", and none after a success" : ""), in: draft.name)
    settleRestart(in: draft)
  }

  private func settleRestart(in draft: JobDraft) {
    let isRetried = draft[.retry] != nil
    for (section, key) in [
      ("Service", "RestartSec"), ("Unit", "StartLimitBurst"), ("Service", "StartLimitBurst"),
      ("Unit", "StartLimitIntervalSec"), ("Unit", "StartLimitInterval"),
      ("Service", "StartLimitInterval"),
    ] {
      guard let entry = unit.last(section, key) else { continue }
      if !isRetried {
        report.keep(entry, as: "no effect without a retry", in: draft.name)
      } else if key.hasPrefix("StartLimitInterval") {
        report.differ(entry, "attempts are counted for each run", in: draft.name)
      } else {
        report.keep(entry, as: "retry", in: draft.name)
      }
    }
  }

  private static let statuses: [String: Int] = [
    "SUCCESS": 0, "FAILURE": 1, "INVALIDARGUMENT": 2, "NOTIMPLEMENTED": 3, "NOPERMISSION": 4,
    "NOTINSTALLED": 5, "NOTCONFIGURED": 6, "NOTRUNNING": 7, "USAGE": 64, "DATAERR": 65,
    "NOINPUT": 66, "NOUSER": 67, "NOHOST": 68, "UNAVAILABLE": 69, "SOFTWARE": 70, "OSERR": 71,
    "OSFILE": 72, "CANTCREAT": 73, "IOERR": 74, "TEMPFAIL": 75, "PROTOCOL": 76, "NOPERM": 77,
    "CONFIG": 78,
  ]

  /// The statuses that count as a success, and words for others, which takt lacks.
  var successStatuses: (numbers: [Int], others: [(entry: UnitEntry, word: String)]) {
    var numbers = [0]
    var others: [(UnitEntry, String)] = []
    for entry in unit.list("Service", "SuccessExitStatus") {
      for word in entry.value.split(separator: " ").map(String.init) {
        if let number = Int(word) ?? Self.statuses[word], (0...255).contains(number) {
          if !numbers.contains(number) { numbers.append(number) }
        } else {
          others.append((entry, word))
        }
      }
    }
    return (numbers, others)
  }

  private func setSuccess(in draft: inout JobDraft) {
    let (numbers, others) = successStatuses
    for entry in unit.list("Service", "SuccessExitStatus") {
      report.keep(entry, as: "success.exit", in: draft.name)
    }
    for (entry, word) in others {
      report.lose(entry, "takt counts no signal as a success: \(word)", in: draft.name)
    }
    guard numbers.count > 1 else { return }
    draft[.success] = .mapping(["exit": .list(numbers.map { .word("\($0)") })])
  }
}
