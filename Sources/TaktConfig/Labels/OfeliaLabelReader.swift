import TaktCore
import TaktTime

/// Reads Ofelia's labels for jobs, `ofelia.job-exec.NAME.schedule` and others, of containers with
/// `ofelia.enabled=true`.
struct OfeliaLabelReader {
  struct Flaw {
    var code: Diagnostic.Code
    var label: String
    var message: String
    var hint: String?
    /// True if its job is left out.
    var isOfJob = true
  }

  private(set) var jobs: [LabelJob] = []
  private(set) var flaws: [Flaw] = []
  private var wrong: Set<String> = []
  private var defaultUser = Ofelia.defaultUser

  private static let exec = "job-exec"

  init(_ labels: [(label: String, value: String)]) {
    for (label, value) in labels where label == "ofelia.default-user" { defaultUser = value }
    var refused: Set<String> = []
    for (label, value) in labels {
      // As in Ofelia: a name has no dot.
      let parts = label.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      if label == "ofelia.enabled" || label == "ofelia.default-user" { continue }
      if parts.count < 4 {
        add(
          .unknownKey, label, "takt does not read this label of Ofelia",
          hint: "alarms are 'on_failure' in the jobs file; output is in the ledger", isOfJob: false)
      } else if parts[1] != Self.exec {
        // Reported once per job.
        guard refused.insert("\(parts[1]).\(parts[2])").inserted else { continue }
        add(
          .notPermitted, label, Self.sentence(refusing: parts[1]),
          hint: "declare the job in the jobs file; 'takt import' reads it from the Compose file")
      } else {
        read(label, parts[2], parts[3...].joined(separator: ".").lowercased(), value)
      }
    }
    jobs.removeAll { wrong.contains($0.name) }
    for place in jobs.indices { finish(&jobs[place]) }
  }

  private static func sentence(refusing kind: String) -> String {
    switch kind {
    case "job-local": "a label cannot run a command outside its container"
    case "job-run", "job-service-run": "a label cannot start a container"
    case "job-compose": "a label cannot run Compose"
    default: "unknown kind of job '\(kind.shortened)'"
    }
  }

  private mutating func add(
    _ code: Diagnostic.Code, _ label: String, _ message: String, hint: String? = nil,
    isOfJob: Bool = true
  ) {
    flaws.append(
      Flaw(code: code, label: label, message: message, hint: hint, isOfJob: isOfJob))
  }

  private mutating func read(_ label: String, _ name: String, _ key: String, _ value: String) {
    guard JobName(name) != nil, name.utf8.count <= LabelReader.nameBytesMax else {
      return add(.badName, label, "'\(name.shortened)' is not a valid name of a job")
    }
    // The labels of a job are consecutive.
    var job = jobs.last?.name == name ? jobs.removeLast() : LabelJob(name: name)
    if let (code, message) = set(key, value, of: &job, label) {
      wrong.insert(name)
      add(code, label, message)
    }
    jobs.append(job)
  }

  private typealias Refusal = (code: Diagnostic.Code, message: String)

  /// Returns the reason if a key cannot be set.
  private func set(
    _ key: String, _ value: String, of job: inout LabelJob, _ label: String
  ) -> Refusal? {
    if let flaw = LabelReader.flaw(in: value, allowsLines: key == "command") {
      return (.badValue, flaw)
    }
    switch key {
    case "schedule": return setTimes(value, of: &job, label)
    case "command":
      guard let words = SplitWords.ofelia(value) else {
        return (.badValue, "takt does not split this command as Ofelia does")
      }
      _ = job.setParameter([LabelJob.command], .list(words), by: label)
    case "user": _ = job.setParameter(["user"], .text(value), by: label)
    case "no-overlap":
      guard let isAlone = Self.truth(value) else { return Self.notBoolean(key, value) }
      _ = job.set(["overlap"], .text(isAlone ? "skip" : "allow"), by: label)
    case "environment", "env": return setVariables(value, of: &job, label)
    case "tty":
      guard let hasTerminal = Self.truth(value) else { return Self.notBoolean(key, value) }
      if hasTerminal { return (.notPermitted, "takt has no terminal for a job") }
    case "container": return (.notPermitted, "a job of a label runs in its own container")
    default: return (.unknownKey, "takt has nothing for '\(key.shortened)'")
    }
    return nil
  }

  /// The words that Go accepts for true and false.
  private static func truth(_ text: String) -> Bool? {
    switch text {
    case "1", "t", "T", "TRUE", "true", "True": true
    case "0", "f", "F", "FALSE", "false", "False", "": false
    default: nil
    }
  }

  private static func notBoolean(_ key: String, _ value: String) -> Refusal {
    (.badValue, "'\(key)' must be true or false, not '\(value.shortened)'")
  }

  private func setTimes(_ text: String, of job: inout LabelJob, _ label: String) -> Refusal? {
    guard let schedule = Ofelia.schedule(text) else {
      return (.badSchedule, "takt does not read the times '\(text.shortened)'")
    }
    switch schedule.times {
    case .every(let every):
      _ = job.set([LabelKey.every], .text(DurationText.format(every)), by: label)
    case .cron(let text, let days, _):
      _ = job.set([LabelKey.cron], .text(text), by: label)
      if let days { _ = job.set([LabelKey.days], .text(days.rawValue), by: label) }
    case .manual: _ = job.set([JobKey.on.name], .text(Schedule.manualWord), by: label)
    }
    if let zone = schedule.zone { _ = job.set([LabelKey.timezone], .text(zone), by: label) }
    return nil
  }

  private func setVariables(_ value: String, of job: inout LabelJob, _ label: String) -> Refusal? {
    for text in LabelReader.list(value) ?? [value] {
      let sign = text.firstIndex(of: "=") ?? text.endIndex
      let name = String(text[..<sign])
      guard sign < text.endIndex else {
        return (.badValue, "the variable '\(text.shortened)' has no value; write NAME=VALUE")
      }
      guard name.isVariableName, !name.hasPrefix("TAKT_") else {
        return (.badValue, "'\(name.shortened)' is not a name for a variable of a job")
      }
      _ = job.setParameter(
        [LabelJob.environment, name], .text(String(text[text.index(after: sign)...])), by: label)
    }
    return nil
  }

  /// Sets Ofelia's defaults.
  private func finish(_ job: inout LabelJob) {
    let label = "ofelia.\(Self.exec).\(job.name)"
    if !defaultUser.isEmpty {
      _ = job.setParameter([LabelKey.user], .text(defaultUser), by: label)
    }
    _ = job.set(["overlap"], .text("allow"), by: label)
    if !job.has(JobKey.on.name) { _ = job.set(["missed", "policy"], .text("skip"), by: label) }
  }
}
