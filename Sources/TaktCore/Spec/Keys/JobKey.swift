import TaktTime

/// A key of a job in the jobs file, with its form in plans, logs and the API. Each is next to the
/// field that holds its value. There is one object for each key.
package final class JobKey: Equatable, Sendable, CustomStringConvertible {
  /// A key in which two specs of a job differ.
  package struct Difference: Hashable, Sendable {
    package var key: String
    /// The old value; nil for one that no log shows, and for a missing key.
    package var from: String?
    package var to: String?
  }

  package let name: String
  /// The value of a spec; nil if it is never shown.
  private let text: (@Sendable (JobSpec) -> String?)?
  /// The values of a spec under a key that logs do not show.
  private let hidden: (@Sendable (JobSpec) -> [HiddenValue])?
  private let differs: @Sendable (JobSpec, JobSpec) -> Bool

  /// A key whose value is shown to everybody.
  init(_ name: String, _ text: @escaping @Sendable (JobSpec) -> String?) {
    self.name = name
    self.text = text
    hidden = nil
    differs = { text($0) != text($1) }
  }

  /// A key whose value no log shows: commands, environment, secrets, standard input, parameters.
  init(
    _ name: String, hidden values: @escaping @Sendable (JobSpec) -> [HiddenValue],
    differs: @escaping @Sendable (JobSpec, JobSpec) -> Bool
  ) {
    self.name = name
    self.differs = differs
    hidden = values
    text = nil
  }

  /// A key whose value is part of what another shows, such as that of `days` under `cron`.
  init(partOfAnother name: String) {
    self.name = name
    text = nil
    hidden = nil
    differs = { _, _ in false }
  }

  package var description: String { name }

  package static func == (left: JobKey, right: JobKey) -> Bool { left === right }

  /// Keys whose values are in one part of a spec.
  private struct Section: Sendable {
    var keys: [JobKey]
    /// True if the part is the same in both, so that none of the keys can differ.
    var isSame: @Sendable (JobSpec, JobSpec) -> Bool
  }

  /// In the order in which they are shown.
  private static let sections = [
    Section(keys: Timing.keys) { $0.timing == $1.timing },
    Section(keys: [.overlap, .concurrency]) { $0.sharedPolicies == $1.sharedPolicies },
    Section(keys: Action.keys) { $0.action == $1.action },
    Section(keys: Execution.keys) { $0.sharedExecution == $1.sharedExecution },
    Section(keys: JobPolicies.keys) { $0.sharedPolicies == $1.sharedPolicies },
    Section(keys: [.description]) { $0.summary == $1.summary },
  ]

  private static let all = sections.flatMap(\.keys)

  /// The values of a job that may be shown.
  package static func facts(of spec: JobSpec) -> [(key: String, text: String)] {
    all.compactMap { key in key.text?(spec).map { (key.name, $0) } }
  }

  /// A job's hooks, variables, secrets and standard input, for readers of the jobs file: each value
  /// with its place, and with secrets masked. Its command is not included.
  package static func surroundings(of spec: JobSpec) -> [HiddenValue] {
    let keys: [JobKey] =
      [.params, .shell, .environment, .secrets, .stdin, .ping, .onlyIf]
      + HookKind.allCases.map(\.key)
    let standard = [HiddenValue("shell", words: Execution.standardShell)]
    return keys.flatMap { $0.hidden?(spec) ?? [] }.filter { !standard.contains($0) }
  }

  /// The values of a job whose entry has only its action, in a jobs file at a path.
  package static func standardFacts(inFolderOf file: String) -> [String: String] {
    // The name is a valid one.
    guard let name = JobName("standard") else { return [:] }
    let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? ""
    let spec = JobSpec(
      name: name, timing: Timing(schedule: Schedule()), action: .shell(""),
      execution: Execution(directory: folder.isEmpty ? "/" : folder))
    var facts: [String: String] = [:]
    for fact in Self.facts(of: spec) { facts[fact.key] = fact.text }
    facts[JobKey.phase.name] = Every.Phase.keep.rawValue
    facts[JobKey.on.name] = nil
    return facts
  }

  /// The differences of two specs of a job: first those that may be shown, then the others.
  static func differences(from old: JobSpec, to new: JobSpec) -> [Difference] {
    let keys = sections.flatMap { section in
      section.isSame(old, new) ? [] : section.keys.filter { $0.differs(old, new) }
    }
    let differences = (keys.filter { $0.text != nil } + keys.filter { $0.text == nil }).map {
      Difference(key: $0.name, from: $0.text?(old), to: $0.text?(new))
    }
    guard let zone = zoneChanged(from: old, to: new) else { return differences }
    return [
      Difference(key: timezone.name, from: zone, to: "\(zone), which the system has changed")
    ] + differences
  }

  /// The name of a zone that is another one, where nothing else says why the schedule has changed.
  private static func zoneChanged(from old: JobSpec, to new: JobSpec) -> String? {
    // Zones first: hardly any plan has another one.
    guard let zone = old.timing.schedule.firstZone(otherThanIn: new.timing.schedule),
      !Timing.keys.contains(where: { $0.differs(old, new) })
    else { return nil }
    return zone.name
  }

  /// The differences of two specs under a key, for readers of the jobs file: with secrets masked.
  /// Nothing for a key whose difference has its texts.
  package static func hiddenChanges(
    of name: String, from old: JobSpec, to new: JobSpec
  ) -> [HiddenValue.Change] {
    guard let hidden = all.first(where: { $0.name == name })?.hidden else { return [] }
    return HiddenValue.changes(from: hidden(old), to: hidden(new))
  }

  /// Several words of one value; nil for none.
  static func list(_ texts: [String?]) -> String? {
    let texts = texts.compactMap(\.self)
    return texts.isEmpty ? nil : texts.joined(separator: ", ")
  }
}
