import TaktCore

struct JobsFileText {
  var header: [String]
  var jobs: [JobDraft]
  /// Groups of jobs, each with a limit of concurrent runs.
  var groups: [DraftEntry]

  /// Keys that move to `defaults` if all jobs agree; for `env`, each variable on which they agree.
  private static let shared: [JobKey] = [
    .overlap, .missed, .kill, .inheritance, .leeway, .environment, .onSuccess, .onFailure,
    .output, .timezone, .shell,
  ]

  var text: String {
    var writer = YAMLWriter()
    for line in header { writer.comment(line) }
    if !groups.isEmpty {
      writer.blankLine()
      writer.open("scheduler")
      writer.entry(DraftEntry(key: "concurrency", value: .map(groups)), indent: 2)
    }
    if jobs.contains(where: { $0.ordered.contains { MailHooks.short($0.value) != $0.value } }) {
      writer.blankLine()
      writer.comment("Mails what a run printed to MAILTO or to the owner of the job, as cron does.")
      writer.anchor("mail", MailHooks.value)
    }
    let defaults = self.defaults
    if !defaults.isEmpty {
      writer.blankLine()
      writer.open("defaults")
      for entry in defaults { writer.entry(Self.short(entry), indent: 2) }
    }
    writer.blankLine()
    guard !jobs.isEmpty else { return writer.text + "jobs: {}\n" }
    writer.open("jobs")
    let common = Dictionary(defaults.map { ($0.key, $0.value) }) { first, _ in first }
    for (number, job) in jobs.enumerated() {
      if number > 0 { writer.blankLine() }
      for line in job.comments { writer.comment(Self.cut(line), indent: 2) }
      writer.open(job.name, indent: 2)
      for entry in job.ordered {
        if let own = Self.own(entry, common) { writer.entry(Self.short(own), indent: 4) }
      }
    }
    return writer.text
  }

  private static func short(_ entry: DraftEntry) -> DraftEntry {
    DraftEntry(key: entry.key, value: MailHooks.short(entry.value))
  }

  /// The job's own part of an entry; nil if the defaults cover all of it.
  private static func own(_ entry: DraftEntry, _ defaults: [String: DraftValue]) -> DraftEntry? {
    guard let common = defaults[entry.key] else { return entry }
    guard case .map(let variables) = entry.value, case .map(let shared) = common,
      entry.key == JobKey.environment.name
    else { return nil }
    let known = Set(shared)
    let own = variables.filter { !known.contains($0) }
    return own.isEmpty ? nil : DraftEntry(key: entry.key, value: .map(own))
  }

  /// Cuts a long line; the source has the rest.
  private static func cut(_ comment: String) -> String {
    let lengthMax = 160
    let scalars = comment.unicodeScalars
    guard scalars.count > lengthMax else { return comment }
    return String(scalars.prefix(lengthMax)) + "…"
  }

  private var sharedVariables: DraftEntry? {
    var common: [DraftEntry]?
    for job in jobs {
      guard case .map(let variables)? = job[.environment] else { return nil }
      let known = Set(variables)
      common = (common ?? variables).filter(known.contains)
    }
    return common.flatMap {
      $0.isEmpty ? nil : DraftEntry(key: JobKey.environment.name, value: .map($0))
    }
  }

  private var defaults: [DraftEntry] {
    guard jobs.count > 1 else { return [] }
    return Self.shared.compactMap { key in
      if key == .environment { return sharedVariables }
      guard let value = jobs[0][key], jobs.allSatisfy({ $0[key] == value }) else { return nil }
      // A zone in the defaults needs no times to apply to; a zone of a job does.
      return DraftEntry(key: key.name, value: value)
    }
  }
}
