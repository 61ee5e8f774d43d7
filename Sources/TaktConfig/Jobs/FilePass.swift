import TaktCore

/// One reading of one file from its first key to its last, one job in memory at a time.
///
/// `scheduler` and `defaults` may stand below `jobs`. Then the jobs of this pass were read without
/// them: the pass is thrown away, and a second one begins with what the first has found.
final class FilePass {
  /// What the rest of a load hands to a file.
  struct Setting {
    var source: SourceText
    var isMain: Bool
    /// The absolute folder of the file.
    var folder: String
    var settings: SchedulerSettings
    var sources: LoadSources
    var plugins: PluginTable
    var limits: YAMLLimits
    /// The jobs of the files before, with their places.
    var places: [String: SourceLocation]
    /// The calendars of the main file; empty while it is read.
    var calendars: [String: SharedCalendar] = [:]
    /// What the last load came to; nil where no load is remembered.
    var last: RememberedLoad?
  }

  /// What must be known before the first job is read.
  struct Prelude {
    var scheduler: YAMLNode?
    var defaults: YAMLNode?
    var calendars: YAMLNode?
  }

  let reporter: Reporter
  private(set) var settings: SchedulerSettings
  private(set) var calendars: [String: SharedCalendar]
  private(set) var specs: [JobSpec] = []
  private(set) var names: [(name: String, mark: YAMLMark)] = []
  private(set) var includes: [IncludeRequest] = []
  /// The jobs that lines of files have made.
  private(set) var listedJobs: Set<JobName> = []
  private(set) var prelude: Prelude
  /// Whether this pass read jobs before it met what they depend on.
  private(set) var isPremature = false
  /// What the next load is to know of this file; nil without jobs, and where none is remembered.
  private(set) var remembered: RememberedFile?

  private let setting: Setting
  private let composer: YAMLComposer
  private let keyReader: KeyReader
  private var builder: SpecBuilder?
  private var defaults: KeyFields?
  private var words = JobWords()
  private var equalJobs = EqualJobs([])
  /// What keeps jobs of `for_each` from having a name twice; nil until there is one.
  private var takenNames: TakenNames?
  /// Whether a text may refer to a value of `for_each`.
  private lazy var mayReferToEach = setting.source.mayReferToEach
  private var hasReadJobs = false
  private var hasUnknownKeys = false
  /// Whose entries are being composed, in case reading stops among them.
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

  /// Reads the file; a second time, as a new pass, when that is needed.
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
      } else if !hasReadJobs, includes.isEmpty, !hasUnknownKeys {
        reporter.report(
          .missingKey, at: .wholeFile, "the file has neither '\(Key.jobs)' nor '\(Key.include)'",
          hint: "add '\(Key.jobs):'")
      }
      try composer.closeDocument()
    } catch {
      // One of many files may have all of its jobs commented out.
      if error == .empty, !setting.isMain { return }
      if let current {
        _ = keyReader.fields(
          of: composer.unfinished, keys: current.keys, owner: current.owner)
      }
      reporter.report(error, in: .jobs)
    }
  }

  // MARK: The root's keys

  /// Whether a key stands where it may; reports one that does not.
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
      guard isInMainFile(key, hint: "move it there") else { return }
      if prelude.scheduler == nil {
        prelude.scheduler = node
        // What `defaults` say is understood by these settings, too.
        let isLate = hasReadJobs || prelude.defaults != nil
        if isLate { isPremature = true } else { applyScheduler(node) }
      }
    case Key.defaults:
      let node = try compose(KeyTable.job, of: KeyOwner(part: .defaults))
      if prelude.defaults == nil {
        prelude.defaults = node
        if hasReadJobs { isPremature = true } else { applyDefaults(node) }
      }
    case Key.calendars:
      let node = try composer.node()
      guard isInMainFile(key, hint: "move it there; all files can use its calendars") else {
        return
      }
      if prelude.calendars == nil {
        prelude.calendars = node
        let isLate = hasReadJobs || prelude.defaults != nil
        if isLate { isPremature = true } else { applyCalendars(node) }
      }
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

  /// The entries of a root key's mapping; none when all of them are commented out.
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
    if let last = setting.last {
      calendars = last.unchanged(calendars, of: FilePath.absolute(setting.source.file))
    }
  }

  private func applyDefaults(_ node: YAMLNode) {
    let keys = KeyTable.job
    var entries = entries(of: node, key: Key.defaults, type: .object(keys))
    warnOfCutTexts(in: entries, owner: KeyOwner(part: .defaults))
    if mayReferToEach {
      if let stray = EachTemplate.strayReference(in: node) {
        reporter.reportStray(stray, owner: KeyOwner(part: .defaults))
      }
      entries = EachTemplate.unescaped(entries)
    }
    defaults = keyReader.fields(of: entries, keys: keys, owner: KeyOwner(part: .defaults))
    // Made here, so that its mistakes are said even when there are no jobs.
    builder = makeBuilder()
  }

  /// What does no harm is said in a thorough load alone.
  private func warnOfCutTexts(in entries: [YAMLEntry], owner: KeyOwner) {
    guard setting.sources.machineFiles != nil else { return }
    reporter.warnOfCutTexts(in: entries, owner: owner)
  }

  private func collectIncludes(_ node: YAMLNode) {
    let type = KeyType.oneOrMore(.path)
    let value = keyReader.value(node, as: type, of: Key.include, owner: KeyOwner(part: .file))
    for item in value?.list ?? [] {
      let (location, line) = setting.source.place(of: item.mark)
      includes.append(
        IncludeRequest(path: item.value.text ?? "", location: location, sourceLine: line))
    }
    // Something was meant to be read, so that no jobs here are no mistake.
    if value == nil { hasUnknownKeys = true }
  }

  // MARK: Jobs

  private func visitJobs() throws(YAMLStop) {
    hasReadJobs = true
    guard let other = try composer.walk(visitJob) else { return }
    _ = entries(of: other, key: Key.jobs, type: .map(.job, .object(KeyTable.job)))
  }

  private func visitJob(_ key: YAMLKey) throws(YAMLStop) {
    let owner = KeyOwner(part: .job(key.text))
    let node = try compose(KeyTable.job, of: owner)
    guard case .mapping(let entries) = node.content else {
      if node.content != .invalid {
        let isBlank = if case .scalar(let scalar) = node.content { scalar.isBlank } else { false }
        reporter.report(
          .wrongType, at: key.mark,
          "the job '\(key.text.shortened)' \(isBlank ? "has no keys" : "must be a mapping")",
          hint: "write its keys below its name, indented")
      }
      return
    }
    warnOfCutTexts(in: entries, owner: owner)
    if entries.contains(where: \.isForEach) {
      expand(key, entries)
      return
    }
    var own = entries
    if mayReferToEach {
      if let stray = entries.lazy.compactMap({ EachTemplate.strayReference(in: $0.value) }).first {
        reporter.reportStray(stray, owner: owner)
      }
      own = EachTemplate.unescaped(entries)
    }
    let (spec, digest) = remembering(key, own)
    if key.isDuplicate { return }
    add(spec, digest, key)
  }

  /// Adds a job whose name is no other's; `words` say what a job of a `for_each` is made of.
  private func add(
    _ spec: JobSpec?, _ digest: JobDigest?, _ key: YAMLKey, words: String? = nil
  ) {
    if let first = setting.places[key.text] {
      reporter.report(
        .duplicateJob, at: key.mark,
        "duplicate job '\(key.text.shortened)'\(words.map { ", made of \($0)" } ?? ""); first defined "
          + "at \(first)",
        hint: "rename one of them")
      return
    }
    if let first = takenNames?.insert(key, words: words) {
      reporter.reportDuplicate(key, words: words, first: first)
      return
    }
    names.append((key.text, key.mark))
    // After an error nothing will be made of them.
    guard let spec, reporter.errorCount == 0 else { return }
    specs.append(spec)
    if let digest { remembered?.jobs.append(RememberedFile.Job(digest: digest, spec: spec)) }
  }

  /// The job's spec, and by what it is known again; no digest for one that is made anew each time.
  ///
  /// - Parameter family: the definition with `for_each` that makes it; nil for a job of its own.
  private func remembering(
    _ key: YAMLKey, _ entries: [YAMLEntry], family: JobName? = nil
  ) -> (JobSpec?, JobDigest?) {
    guard setting.last != nil else { return (spec(of: key, entries, family: family), nil) }
    if remembered == nil { beginRemembering() }
    let digest = words.digest(of: key.text, entries, family: family)
    if let spec = equalJobs.spec(of: digest) { return (spec, digest) }
    let (reportCount, useCount) = (reporter.reportCount, setting.sources.volatileUseCount)
    let spec = spec(of: key, entries, family: family)
    let isLasting =
      reporter.reportCount == reportCount && setting.sources.volatileUseCount == useCount
    return (spec, isLasting ? digest : nil)
  }

  private func beginRemembering() {
    guard let last = setting.last else { return }
    let defaults = presentBuilder().defaults
    let context = RememberedFile.Context(
      settings: settings, defaultsNode: prelude.defaults, execution: defaults.sharedExecution,
      policies: defaults.sharedPolicies, fileVariables: defaults.fileVariables,
      fileOwners: Dictionary(
        defaults.environmentFiles.map { ($0.path, $0.owner) }, uniquingKeysWith: { $1 }),
      calendars: calendars)
    equalJobs = EqualJobs(
      last.jobs(of: FilePath.absolute(setting.source.file), in: context, setting.sources))
    remembered = RememberedFile(context: context)
  }

  /// Makes the jobs of one that has `for_each`.
  private func expand(_ key: YAMLKey, _ entries: [YAMLEntry]) {
    let owner = KeyOwner(part: .job(key.text))
    guard let family = JobName(key.text) else {
      reporter.report(
        .badName, at: key.mark, "'\(key.text.shortened)' is not a valid job name",
        hint: KeyReader.nameHint)
      return
    }
    let reader = EachReader(
      reporter: reporter, files: setting.sources.lineFiles, folder: setting.folder, owner: owner)
    let node = entries.first { $0.key == JobKey.forEach.name }?.value
    let useCount = setting.sources.lineFiles.useCount
    guard let node, let values = reader.values(of: node) else { return }
    if setting.sources.lineFiles.useCount > useCount {
      // Keys of the defaults use the values too.
      var all = entries
      if case .mapping(let defaults) = prelude.defaults?.content { all += defaults }
      let digest = words.digest(of: key.text, all, family: family)
      guard setting.sources.lineFiles.mayUseLines(family: digest.number) else {
        reporter.report(
          .notPermitted, at: node.mark,
          "'\(key.text.shortened)' has values from a file, and differs from the running jobs file",
          hint: "a text that is sent over TCP cannot change such a job; use the Unix socket",
          owner: owner)
        return
      }
    }
    guard
      let template = EachTemplate(
        key, entries, values: values, budget: setting.sources.eachBudget,
        defaultShell: prelude.defaults?[JobKey.shell.name],
        reporter: reporter, owner: owner)
    else { return }
    if takenNames == nil { takenNames = TakenNames(names) }
    var count = 0
    template.members { member in
      count += 1
      let own = YAMLKey(text: member.name, mark: member.nameMark, isDuplicate: key.isDuplicate)
      let (spec, digest) = remembering(own, member.entries, family: family)
      if reporter.concealment != nil, let spec { listedJobs.insert(spec.name) }
      if !key.isDuplicate { add(spec, digest, own, words: member.words) }
    }
    if count == 0, reporter.errorCount == 0 {
      reporter.report(
        .suspicious, severity: .warning, at: node.mark, "'\(JobKey.forEach)' makes no jobs",
        owner: owner)
    }
  }

  /// The job's spec; nil when something is wrong with it, which is then reported.
  private func spec(
    of key: YAMLKey, _ entries: [YAMLEntry], family: JobName? = nil
  ) -> JobSpec? {
    let reportCount = reporter.reportCount
    let useCount = setting.sources.volatileUseCount
    // What each job names on this machine is looked for by itself.
    let kind = setting.sources.machineFiles == nil ? words.kind(of: entries, family: family) : nil
    if let kind, let first = equalJobs[kind], let name = JobName(key.text) {
      if first.isVolatile { setting.sources.noteVolatileUse() }
      let own = fields(of: words.ownEntries, key)
      if reporter.reportCount > reportCount { return nil }
      if let run = own[.run]?.value?.text {
        if let builder { builder.checkPlaceholders(in: run, at: own[.run]?.mark ?? key.mark) }
        return first.spec.renamed(
          name, action: setting.sources.pool.common(.shell(run)),
          summary: own[.description]?.value?.text)
      }
    }
    let spec = presentBuilder().spec(
      from: RawJob(
        name: key.text, nameMark: key.mark, fields: fields(of: entries, key), family: family))
    if let kind, let spec, reporter.reportCount == reportCount {
      equalJobs.keep(spec, isVolatile: setting.sources.volatileUseCount > useCount, as: kind)
    }
    return spec
  }

  private func presentBuilder() -> SpecBuilder {
    let builder = self.builder ?? makeBuilder()
    self.builder = builder
    return builder
  }

  private func fields(of entries: [YAMLEntry], _ key: YAMLKey) -> KeyFields {
    keyReader.fields(of: entries, keys: KeyTable.job, owner: KeyOwner(part: .job(key.text)))
  }

  private func makeBuilder() -> SpecBuilder {
    SpecBuilder(
      reporter: reporter, sources: setting.sources, settings: settings, folder: setting.folder,
      defaults: defaults, calendars: calendars)
  }
}

extension YAMLEntry {
  /// The length is compared first: few keys of a job have this one's.
  fileprivate var isForEach: Bool {
    key.utf8.count == JobKey.forEach.name.utf8.count && key == JobKey.forEach.name
  }
}

extension FileKind {
  fileprivate static let jobs = FileKind(
    firstKey: Key.jobs, moreHint: "a jobs file has one; use 'include' for more files")
}
