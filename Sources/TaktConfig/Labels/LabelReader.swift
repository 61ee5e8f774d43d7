import TaktCore

/// Reads the jobs that the labels of one container declare. Mistakes are reported with their
/// labels, and their jobs are left out.
///
/// No label is trusted: anyone who builds an image or starts a container can write it.
struct LabelReader {
  /// The most jobs of one container; further ones are left out.
  static let jobsMax = 32
  /// The most diagnostics of a container.
  static let flawsMax = 20
  static let nameBytesMax = 63
  private static let valueBytesMax = 65_536
  static let prefix = "takt.jobs."
  /// Of a flaw that costs a job.
  static let ending = "; the job is left out"

  let container: LabelledContainer
  private(set) var jobs: [LabelJob] = []
  private(set) var flaws: [Diagnostic] = []

  init(_ container: LabelledContainer) {
    self.container = container
    let own = labels(with: "takt.")
    for (label, value) in own { read(label, value) }
    if container.labels["ofelia.enabled"] == "true" {
      let declared = jobs
      let ofelia = OfeliaLabelReader(labels(with: "ofelia."))
      flaws += ofelia.flaws.map {
        diagnostic(
          $0.code, $0.label, $0.isOfJob ? $0.message + Self.ending : $0.message, hint: $0.hint)
      }
      jobs += ofelia.jobs.filter { job in
        guard let other = declared.first(where: { $0.name == job.name }) else { return true }
        flaws.append(
          diagnostic(
            .duplicateJob, "ofelia.job-exec.\(job.name)",
            "a label '\(Self.prefix)\(other.name)…' declares a job of this name, too; that one counts"
          ))
        return false
      }
    }
    leaveOut()
    for job in jobs where !job.hasCommand {
      flaws.append(
        diagnostic(
          .missingKey, Self.prefix + job.name, "no command\(Self.ending)",
          hint: "add the label '\(Self.prefix)\(job.name).\(LabelKey.run)'"))
    }
    jobs.removeAll { !$0.hasCommand }
  }

  private func labels(with prefix: String) -> [(label: String, value: String)] {
    container.labels.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }
      .map { (label: $0.key, value: $0.value) }
  }

  /// Leaves out jobs with wrong labels, and those that are too many.
  private mutating func leaveOut() {
    jobs.removeAll { wrong.contains($0.name) }
    guard jobs.count > Self.jobsMax else { return }
    jobs.sort { $0.name < $1.name }
    flaws.append(
      diagnostic(
        .outOfRange, nil,
        "its labels declare \(jobs.count) jobs; those after the first \(Self.jobsMax) are left out")
    )
    jobs.removeLast(jobs.count - Self.jobsMax)
  }

  /// The names of the jobs to leave out.
  private var wrong: Set<String> = []

  // MARK: takt's own labels

  private mutating func read(_ label: String, _ value: String) {
    guard label.hasPrefix(Self.prefix) else {
      flaws.append(
        diagnostic(.unknownKey, label, "unknown label", hint: "write '\(Self.prefix)NAME.KEY'"))
      return
    }
    let parts = label.dropFirst(Self.prefix.count)
      .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard Self.isName(parts[0]) else {
      flaws.append(
        diagnostic(
          .badName, label,
          "'\(parts[0].shortened)' is not a valid name of a job in a label\(Self.ending)",
          hint: "a name has 1 to \(Self.nameBytesMax) letters, digits, '-' and '_', and no dot"))
      return
    }
    // The labels of a job are consecutive.
    var job = jobs.last?.name == parts[0] ? jobs.removeLast() : LabelJob(name: parts[0])
    if var flaw = set(parts.count == 2 ? parts[1] : "", value, of: &job, label) {
      flaw.message += Self.ending
      wrong.insert(parts[0])
      flaws.append(flaw)
    }
    jobs.append(job)
  }

  private func set(
    _ key: String, _ value: String, of job: inout LabelJob, _ label: String
  ) -> Diagnostic? {
    guard !key.isEmpty else {
      return diagnostic(
        .missingKey, label, "no key", hint: "write '\(label).\(LabelKey.run)', for example")
    }
    if let flaw = Self.flaw(in: value, allowsLines: key == LabelKey.run) {
      return diagnostic(.badValue, label, flaw)
    }
    if key.hasPrefix(LabelKey.variablePrefix) {
      let variable = String(key.dropFirst(LabelKey.variablePrefix.count))
      guard variable.isVariableName, !variable.hasPrefix("TAKT_") else {
        return diagnostic(
          .badName, label, "'\(variable.shortened)' is not a name for a variable of a job")
      }
      return job.setParameter([LabelJob.environment, variable], .text(value), by: label)
        ? nil : twice(label)
    }
    guard let form = LabelKey.form(of: key) else { return refusal(of: key, label) }
    let isSet =
      switch form {
      case .text(let path): job.set(path, .text(value), by: label)
      case .word(let path): job.set(path, Self.word(value), by: label)
      case .words(let path):
        job.set(path, .list(value.split(separator: ",").map { $0.trimmed }), by: label)
      case .command: job.setParameter([LabelJob.command], Self.command(value), by: label)
      case .parameter(let name): job.setParameter([name], .text(value), by: label)
      }
    return isSet ? nil : twice(label)
  }

  private func twice(_ label: String) -> Diagnostic {
    diagnostic(.duplicateKey, label, "another label says this, too", hint: "remove one of them")
  }

  /// The diagnostic for a key that labels do not have.
  private func refusal(of key: String, _ label: String) -> Diagnostic {
    let first = String(key.prefix { $0 != "." })
    if LabelKey.form(of: key) == nil, KeyTable.job[first] != nil {
      return diagnostic(
        .notPermitted, label, "a label cannot set '\(key.shortened)'",
        hint: "declare the job in the jobs file, with 'use: \(LabelJob.action)' and "
          + "'\(LabelJob.target): \(container.name)'")
    }
    return diagnostic(
      .unknownKey, label, "unknown key '\(key.shortened)'",
      hint: NearestName.of(key, among: LabelKey.names).map { "did you mean '\($0)'?" })
  }

  // MARK: Values

  private static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...nameBytesMax).contains(bytes.count), !text.hasPrefix("-"), !text.hasPrefix("_")
    else { return false }
    return JobName(text) != nil && !bytes.contains(UInt8(ascii: "."))
  }

  /// The reason why a text cannot be a value.
  static func flaw(in value: String, allowsLines: Bool) -> String? {
    if value.utf8.count > valueBytesMax { return "a value has at most 64 KB" }
    let isStrange = value.unicodeScalars.contains { scalar in
      switch scalar.value {
      case 0x09: false
      case 0x0a, 0x0d: !allowsLines
      case 0..<0x20, 0x7f...0x9f, 0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff: true
      default: false
      }
    }
    return isStrange ? "the value has a control character" : nil
  }

  /// Numbers and booleans as words; anything else as a text, which the loader then refuses.
  private static func word(_ value: String) -> LabelJob.Value {
    let isNumber = (1...18).contains(value.utf8.count) && value.utf8.allSatisfy(\.isDigit)
    return isNumber || value == "true" || value == "false" ? .word(value) : .text(value)
  }

  static func command(_ value: String) -> LabelJob.Value {
    if let items = list(value) { return .list(items) }
    return .list(["/bin/sh", "-c", value])
  }

  /// The texts of a list in JSON; nil for anything else.
  static func list(_ value: String) -> [String]? {
    guard value.hasPrefix("[") else { return nil }
    let file = ForeignFile(file: "", bytes: Array(value.utf8))
    guard file.problems.isEmpty, file.documents.count == 1,
      case .list(let items)? = file.documents.first?.content, !items.isEmpty
    else { return nil }
    let texts = items.compactMap { if case .scalar(let text) = $0.content { text } else { nil } }
    return texts.count == items.count ? texts : nil
  }

  // MARK: Flaws

  func diagnostic(
    _ code: Diagnostic.Code, _ label: String?, _ message: String, hint: String? = nil
  ) -> Diagnostic {
    Self.diagnostic(code, container, label, message, hint: hint)
  }

  static func diagnostic(
    _ code: Diagnostic.Code, _ container: LabelledContainer, _ label: String?, _ message: String,
    hint: String? = nil
  ) -> Diagnostic {
    let place = "container '\(container.name)'" + (label.map { ", label '\($0.shortened)'" } ?? "")
    return Diagnostic(
      severity: .warning, code, at: SourceLocation(file: place), message, hint: hint)
  }
}

extension Substring {
  fileprivate var trimmed: String {
    let rest = drop { $0 == " " }
    return String(rest.prefix(rest.count - rest.reversed().prefix { $0 == " " }.count))
  }
}
