import TaktCore

/// One pass over a file's root, from its first key to its last, with one job in memory at a time.
///
/// `scheduler` and `defaults` are allowed below `jobs`. Then the jobs of this pass were read
/// without them: the pass is discarded, and a second one starts with the findings of the first.
final class FilePass {
  /// Input of a file from the rest of the load.
  struct Setting {
    var source: SourceText
    var isMain: Bool
    var folder: String
    var settings: SchedulerSettings
    var sources: LoadSources
    var plugins: PluginTable
    var limits: YAMLLimits
    /// The jobs of the files before, with their places.
    var places: [String: SourceLocation]
    /// The calendars of the main file; empty while it is read.
    var calendars: [String: SharedCalendar] = [:]
  }

  /// Sections that must be known before the first job is read.
  struct Prelude {
    var scheduler: YAMLNode?
    var defaults: YAMLNode?
    var calendars: YAMLNode?
  }

  let reporter: Reporter
  private(set) var settings: SchedulerSettings
  private(set) var calendars: [String: SharedCalendar]
  private(set) var includes: [IncludeRequest] = []
  private(set) var prelude: Prelude
  /// True if this pass read jobs before sections on which they depend.
  private(set) var isPremature = false
  /// Made as soon as its prelude is known; nil without jobs and `defaults`.
  private(set) var jobs: FileJobs?

  private let setting: Setting
  private let composer: YAMLComposer
  private let keyReader: KeyReader
  private var hasReadJobs = false
  private var hasUnknownKeys = false
  /// The owner of the entries being composed, in case reading stops among them.
  private var current: (keys: KeyRows, owner: KeyOwner)?

  init(_ setting: Setting, prelude: Prelude = Prelude()) {
    self.setting = setting
    self.prelude = prelude
    settings = setting.settings
    calendars = setting.calendars
    reporter = Reporter(setting.source)
    keyReader = KeyReader(reporter: reporter)
    composer = YAMLComposer(setting.source, limits: setting.limits, reporter: reporter)
  }

  /// Reads the file; if necessary a second time, as a new pass.
  static func read(_ setting: Setting) -> FilePass {
    let pass = FilePass(setting)
    pass.run()
    guard pass.isPremature else { return pass }
    let second = FilePass(setting, prelude: pass.prelude)
    second.run()
    return second
  }

  private func run() {
    if let node = prelude.scheduler { applyScheduler(node) }
    if let node = prelude.calendars { applyCalendars(node) }
    if let node = prelude.defaults { applyDefaults(node) }
    if let flaw = setting.source.flaw { reporter.report(flaw) }
    do {
      try composer.openDocument()
      if let other = try composer.walk(visitRoot) {
        let first = reporter.line(Int(other.mark.line)) ?? ""
        let isCrontab = CrontabLine.looksLike(first)
        reporter.report(
          .wrongType, at: other.mark,
          isCrontab ? CrontabLine.message : "the file must be a mapping",
          hint: isCrontab ? CrontabLine.hint : "start it with '\(Key.jobs):'")
      } else if !hasReadJobs, includes.isEmpty, !hasUnknownKeys, !settings.readsLabels {
        reporter.report(
          .missingKey, at: .wholeFile, "the file has neither '\(Key.jobs)' nor '\(Key.include)'",
          hint: "add '\(Key.jobs):'")
      }
      try composer.closeDocument()
    } catch {
      // In one of many files, all jobs may be commented out.
      if error == .empty, !setting.isMain { return }
      if let current {
        _ = keyReader.fields(
          of: composer.unfinished, keys: current.keys, owner: current.owner)
      }
      let kind = FileKind(
        firstKey: Key.jobs, moreHint: "a jobs file has one; use 'include' for more files")
      reporter.report(error, in: kind)
    }
  }

  /// True if a section was read that depends on the settings and the calendars.
  private var isLate: Bool { hasReadJobs || prelude.defaults != nil }

  /// True in the main file; elsewhere the key is reported.
  private func isInMainFile(_ key: YAMLKey, hint: String) -> Bool {
    if !setting.isMain {
      reporter.report(
        .misplacedKey, at: key.mark, "'\(key.text)' is allowed only in the main file", hint: hint)
    }
    return setting.isMain
  }

  private func visitRoot(_ key: YAMLKey) throws(YAMLStop) {
    if key.isDuplicate, key.text != Key.jobs {
      _ = try composer.node()
      return
    }
    switch key.text {
    case Key.jobs: try visitJobs()
    case Key.scheduler:
      let node = try compose(KeyTable.scheduler, of: KeyOwner(part: .scheduler))
      guard isInMainFile(key, hint: "move it there"), prelude.scheduler == nil else { return }
      prelude.scheduler = node
      if isLate { isPremature = true } else { applyScheduler(node) }
    case Key.defaults:
      let node = try compose(KeyTable.job, of: KeyOwner(part: .defaults))
      guard prelude.defaults == nil else { return }
      prelude.defaults = node
      if hasReadJobs { isPremature = true } else { applyDefaults(node) }
    case Key.calendars:
      let node = try composer.node()
      guard isInMainFile(key, hint: "move it there; all files can use its calendars"),
        prelude.calendars == nil
      else { return }
      prelude.calendars = node
      if isLate { isPremature = true } else { applyCalendars(node) }
    case Key.include: collectIncludes(try composer.node())
    case let text where text.hasPrefix(Key.extensionPrefix): _ = try composer.node()
    default:
      let entry = YAMLEntry(key: key.text, keyMark: key.mark, value: try composer.node())
      hasUnknownKeys = true
      keyReader.reportUnknown(entry, keys: KeyTable.root, owner: KeyOwner(part: .file))
    }
  }

  private func compose(_ keys: KeyRows, of owner: KeyOwner) throws(YAMLStop) -> YAMLNode {
    current = (keys, owner)
    let node = try composer.node()
    current = nil
    return node
  }

  /// The entries of a root key's mapping; empty if all of them are commented out.
  private func entries(of node: YAMLNode, key: String, type: KeyType) -> [YAMLEntry] {
    switch node.content {
    case .mapping(let entries): return entries
    case .scalar(let scalar) where scalar.isBlank: return []
    case .invalid: return []
    case .scalar, .sequence:
      _ = keyReader.value(node, as: type, of: key, owner: KeyOwner(part: .file))
      return []
    }
  }

  private func applyScheduler(_ node: YAMLNode) {
    let owner = KeyOwner(part: .scheduler)
    let keys = KeyTable.scheduler
    let entries = entries(of: node, key: Key.scheduler, type: .object(keys))
    let fields = keyReader.fields(of: entries, keys: keys, owner: owner)
    SettingsBuilder(
      reporter: reporter, sources: setting.sources, plugins: setting.plugins,
      folder: setting.folder
    ).apply(fields, to: &settings)
  }

  private func applyCalendars(_ node: YAMLNode) {
    if case .scalar(let scalar) = node.content, scalar.isBlank { return }
    let errorCount = reporter.errorCount
    defer {
      if reporter.errorCount > errorCount { setting.sources.calendarFiles.noteMistake() }
    }
    let type = KeyType.map(.calendar, .object(KeyTable.calendar))
    let value = keyReader.value(node, as: type, of: Key.calendars, owner: KeyOwner(part: .file))
    let builder = CalendarsBuilder(
      reporter: reporter, sources: setting.sources, folder: setting.folder)
    calendars = builder.calendars(of: value?.map ?? [])
    if let last = setting.sources.last {
      calendars = last.unchanged(calendars, of: FilePath.absolute(setting.source.file))
    }
  }

  private func applyDefaults(_ node: YAMLNode) {
    let (keys, owner) = (KeyTable.job, KeyOwner(part: .defaults))
    let mayReferToEach = setting.source.mayReferToEach
    var entries = entries(of: node, key: Key.defaults, type: .object(keys))
    setting.warnOfCutTexts(in: entries, owner: owner, reporter)
    if mayReferToEach {
      if let stray = EachTemplate.strayReference(in: node) {
        reporter.reportStray(stray, owner: owner)
      }
      entries = EachTemplate.unescaped(entries)
    }
    // Made here, so that its mistakes are reported even without jobs.
    makeJobs(
      keyReader.fields(of: entries, keys: keys, owner: owner), mayReferToEach: mayReferToEach)
  }

  private func collectIncludes(_ node: YAMLNode) {
    let type = KeyType.oneOrMore(.path)
    let value = keyReader.value(node, as: type, of: Key.include, owner: KeyOwner(part: .file))
    for item in value?.list ?? [] {
      let (location, line) = setting.source.place(of: item.mark)
      includes.append(
        IncludeRequest(path: item.value.text ?? "", location: location, sourceLine: line))
    }
    // A file was meant to be included, so that the lack of jobs here is no mistake.
    if value == nil { hasUnknownKeys = true }
  }

  private func visitJobs() throws(YAMLStop) {
    hasReadJobs = true
    let jobs = jobs ?? makeJobs(nil, mayReferToEach: setting.source.mayReferToEach)
    let other = try composer.walk { key throws(YAMLStop) in
      jobs.add(key, try self.compose(KeyTable.job, of: KeyOwner(part: .job(key.text))))
    }
    guard let other else { return }
    _ = entries(of: other, key: Key.jobs, type: .map(.job, .object(KeyTable.job)))
  }

  @discardableResult
  private func makeJobs(_ defaults: KeyFields?, mayReferToEach: Bool) -> FileJobs {
    let builder = SpecBuilder(
      reporter: reporter, sources: setting.sources, settings: settings, folder: setting.folder,
      defaults: defaults, calendars: calendars)
    let made = FileJobs(
      setting, JobMaker(builder, setting, settings, defaultsNode: prelude.defaults),
      defaultsNode: prelude.defaults, mayReferToEach: mayReferToEach)
    jobs = made
    return made
  }
}
