import TaktCore
import TaktTime

/// Applies keys that a job and `defaults` have in common, by their rows in the key table.
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
    // First, because a null in `env` may remove a variable from them.
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

  /// Resets every key of a mapping to its value without `defaults`.
  private func reset(_ row: KeyEntry, _ field: KeyFields.Field, from settled: inout JobDefaults) {
    guard case .object(let inner) = row.type else { return }
    var none = field
    none.value = .null
    for key in inner { apply(none, key, to: &settled) }
  }

  func path(_ text: String) -> String { FilePath.absolute(FilePath.join(folder, text)) }
}

extension Reporter {
  /// A program and its arguments; nil if the program's name is empty, which is reported.
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
    // The offset counts bytes, a person counts characters.
    let before = String(decoding: text.utf8.prefix(offset), as: UTF8.self).count
    report(
      .badSchedule, at: mark,
      "\(sentence.withoutInvisible), at character \(before + 1) of '\(text.shortened)'",
      hint: text.invisibleHint ?? hint, owner: owner)
  }
}

/// Shared input for all jobs of one file.
final class FileContext {
  let reporter: Reporter
  let sources: LoadSources
  /// The values without `defaults`, to which `null` resets.
  let builtIn: JobDefaults
  /// Absolute, the base of relative paths.
  let folder: String
  /// The concurrency groups of the main file.
  let groups: [String]
  /// The calendars of the main file.
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

/// The values of a job before its own keys are applied.
struct JobDefaults {
  /// The same objects as in `defaults`, unless a key of the job's own changes them.
  private(set) var sharedExecution: Shared<Execution>
  private(set) var sharedPolicies = Shared(JobPolicies())
  /// The variables of `env_file`, which `env` overrides.
  var fileVariables: [String: String] = [:]
  /// The files with these variables, and their owners.
  var environmentFiles: [(path: String, owner: UInt32)] = []
  var leeway = Leeway.none
  var spread: SpreadRule?
  var jitter = Duration.zero
  /// Excluded times; those without a zone are read in the job's.
  var exceptions: [(expression: CalendarExpression, isWholeDays: Bool, zone: Zone?)] = []
  /// Nil for none.
  var calendars: Shared<CalendarChoice>?
  /// The only times of late runs; nil for any.
  var lateTimes: Shared<CalendarChoice>?
  var isEnabled = true
  /// Nil for the scheduler's.
  var zone: Zone?
  /// Nil for the default of each kind of expression.
  var dstGap: DSTPolicy.Gap?
  var dstOverlap: DSTPolicy.Overlap?
  var days = CronDayRule.cron

  struct SpreadRule {
    var over: Duration
    var isByHost: Bool
  }

  /// The values without `defaults`, for jobs of a file in the absolute folder `folder`.
  init(folder: String) {
    sharedExecution = Shared(Execution(directory: folder))
  }

  /// Its environment is only that of `env`.
  var execution: Execution {
    _read { yield sharedExecution.value }
    set { sharedExecution = Shared(newValue) }
  }

  var policies: JobPolicies {
    _read { yield sharedPolicies.value }
    set { sharedPolicies = Shared(newValue) }
  }
}
