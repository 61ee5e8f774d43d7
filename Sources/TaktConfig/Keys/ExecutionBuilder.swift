import TaktCore
import TaktTime

/// Applies the keys that may stand in a job and in `defaults` alike, as their rows in the key table
/// say.
struct ExecutionBuilder {
  let file: FileContext
  let owner: KeyOwner
  /// The names of the job's secrets; nil in `defaults`, where they are not known yet.
  let secretNames: [String]?

  var reporter: Reporter { file.reporter }
  var sources: LoadSources { file.sources }
  var builtIn: JobDefaults { file.builtIn }
  var groups: [String] { file.groups }
  var folder: String { file.folder }

  func apply(_ fields: KeyFields, to settled: inout JobDefaults) {
    // First, because a null in `env` may take away what it gives.
    if let files = fields[.environmentFile] { apply(files, files.entry, to: &settled) }
    for field in fields.fields
    where field.entry.use != nil && field.entry.key !== JobKey.environmentFile {
      apply(field, field.entry, to: &settled)
    }
  }

  private func apply(_ field: KeyFields.Field, _ row: KeyEntry, to settled: inout JobDefaults) {
    guard let value = field.value, let use = row.use else { return }
    switch use {
    case .set(let set): set(field, value, self, &settled)
    case .merge:
      if value.isNull { reset(row, field, from: &settled) }
      applyInner(value, to: &settled)
    case .replace:
      reset(row, field, from: &settled)
      applyInner(value, to: &settled)
    }
  }

  private func applyInner(_ value: KeyValue, to settled: inout JobDefaults) {
    guard let inner = value.object else { return }
    for field in inner.fields { apply(field, field.entry, to: &settled) }
  }

  /// Puts every key of a mapping back to what holds without any `defaults`.
  private func reset(_ row: KeyEntry, _ field: KeyFields.Field, from settled: inout JobDefaults) {
    guard case .object(let inner) = row.type else { return }
    var none = field
    none.value = .null
    for key in inner { apply(none, key, to: &settled) }
  }

  func path(_ text: String) -> String { FilePath.absolute(FilePath.join(folder, text)) }
}

extension Reporter {
  /// A program and its arguments; nil when the program's name is empty, which is then reported.
  func arguments(_ items: [KeyValue.Located], of key: String) -> [String]? {
    let texts = items.compactMap(\.value.text)
    if let program = texts.first, !program.isEmpty { return texts }
    report(
      .badValue, at: items.first?.mark ?? .wholeFile, "the first item of '\(key)' is empty",
      hint: "name a program")
    return nil
  }

  func report(
    _ sentence: String, _ hint: String?, in text: String, at offset: Int, _ mark: YAMLMark,
    owner: KeyOwner
  ) {
    // Bytes before it, as a person counts characters.
    let before = String(decoding: text.utf8.prefix(offset), as: UTF8.self).count
    report(
      .badSchedule, at: mark,
      "\(sentence.withoutInvisible), at character \(before + 1) of '\(text.shortened)'",
      hint: text.invisibleHint ?? hint, owner: owner)
  }
}

/// What all jobs of one file are read with.
final class FileContext {
  let reporter: Reporter
  let sources: LoadSources
  /// What holds without any `defaults`: what `null` goes back to.
  let builtIn: JobDefaults
  /// The absolute folder of the file, which paths are seen from.
  let folder: String
  /// The names of the concurrency groups that the main file declares.
  let groups: [String]
  /// Those that the main file declares.
  let calendars: [String: SharedCalendar]

  init(
    reporter: Reporter, sources: LoadSources, folder: String, groups: [String],
    calendars: [String: SharedCalendar]
  ) {
    self.calendars = calendars
    self.reporter = reporter
    self.sources = sources
    builtIn = JobDefaults(folder: folder)
    self.folder = folder
    self.groups = groups
  }
}

/// What a job begins with, before its own keys are read.
struct JobDefaults {
  /// As long as no key of the job's own changes them these are those of `defaults`.
  private(set) var sharedExecution: Shared<Execution>
  private(set) var sharedPolicies = Shared(JobPolicies())
  /// The variables of `env_file`, over which stands `env`.
  var fileVariables: [String: String] = [:]
  /// The files that these come from, with the users who own them.
  var environmentFiles: [(path: String, owner: UInt32)] = []
  var leeway = Leeway.none
  var spread: SpreadRule?
  var jitter = Duration.zero
  /// Times that are left out; without a zone of their own they are read in the job's.
  var exceptions: [(expression: CalendarExpression, isWholeDays: Bool, zone: Zone?)] = []
  /// What is made of calendars; nil for nothing.
  var calendars: Shared<CalendarChoice>?
  /// The only times of late runs; nil for any.
  var lateTimes: Shared<CalendarChoice>?
  var isEnabled = true
  /// Nil for that of the scheduler.
  var zone: Zone?
  /// Nil for each kind of expression's own way.
  var dstGap: DSTPolicy.Gap?
  var dstOverlap: DSTPolicy.Overlap?
  var days = CronDayRule.cron

  /// How far jobs are put off.
  struct SpreadRule {
    var over: Duration
    var isByHost: Bool
  }

  /// What holds without any `defaults`, for jobs of a file in the absolute folder `folder`.
  init(folder: String) {
    sharedExecution = Shared(Execution(directory: folder))
  }

  /// Its environment is that of `env` alone.
  var execution: Execution {
    _read { yield sharedExecution.value }
    set { sharedExecution = Shared(newValue) }
  }

  var policies: JobPolicies {
    _read { yield sharedPolicies.value }
    set { sharedPolicies = Shared(newValue) }
  }
}
