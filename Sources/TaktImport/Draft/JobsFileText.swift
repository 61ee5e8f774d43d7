import TaktCore

struct JobsFileText {
  var header: [String]
  var jobs: [JobDraft]
  /// Groups of jobs of which so many run at once.
  var groups: [DraftEntry]

  /// Keys that stand in `defaults` if all jobs agree.
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
    if jobs.contains(where: { $0.ordered.contains { $0.value == MailHooks.value } }) {
      writer.blankLine()
      writer.comment("Mails what a run printed, as cron does.")
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
    let common = Set(defaults.map(\.key))
    for (number, job) in jobs.enumerated() {
      if number > 0 { writer.blankLine() }
      for line in job.comments { writer.comment(line, indent: 2) }
      writer.open(job.name, indent: 2)
      for entry in job.ordered where !common.contains(entry.key) {
        writer.entry(Self.short(entry), indent: 4)
      }
    }
    return writer.text
  }

  /// The same for all mails, which stand at the head of the file.
  private static func short(_ entry: DraftEntry) -> DraftEntry {
    entry.value == MailHooks.value ? DraftEntry(key: entry.key, value: .word("*mail")) : entry
  }

  private var defaults: [DraftEntry] {
    guard jobs.count > 1 else { return [] }
    return Self.shared.compactMap { key in
      guard let value = jobs[0][key], jobs.allSatisfy({ $0[key] == value }) else { return nil }
      // A zone of the defaults needs no times to apply to, one of a job does.
      return DraftEntry(key: key.name, value: value)
    }
  }
}
