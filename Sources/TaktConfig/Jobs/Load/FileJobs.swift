import TaktCore

/// The jobs of one file in order, including those of `for_each`, with unique names.
final class FileJobs {
  private(set) var specs: [JobSpec] = []
  private(set) var names: [(name: String, mark: YAMLMark)] = []
  /// The jobs made from lines of files.
  private(set) var listedJobs: Set<JobName> = []
  private(set) var families: [(name: JobName, mark: YAMLMark)] = []
  let maker: JobMaker

  private let setting: FilePass.Setting
  private let defaultsNode: YAMLNode?
  /// True if a text may refer to a value of `for_each`.
  private let mayReferToEach: Bool
  /// Detects duplicate names of `for_each`; nil until there is a `for_each`.
  private var takenNames: TakenNames?

  private var reporter: Reporter { maker.builder.reporter }

  init(
    _ setting: FilePass.Setting, _ maker: JobMaker, defaultsNode: YAMLNode?, mayReferToEach: Bool
  ) {
    self.setting = setting
    self.maker = maker
    self.defaultsNode = defaultsNode
    self.mayReferToEach = mayReferToEach
  }

  /// Adds the job of a key under `jobs`.
  func add(_ key: YAMLKey, _ node: YAMLNode) {
    let owner = KeyOwner(part: .job(key.text))
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
    setting.warnOfCutTexts(in: entries, owner: owner, reporter)
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
    let made = maker.job(key, own)
    if key.isDuplicate { return }
    add(made, key)
  }

  /// Adds a job unless its name is taken; `words` are the values of a job of `for_each`.
  private func add(_ made: JobMaker.Made, _ key: YAMLKey, words: String? = nil) {
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
    // After an error they are not used.
    guard let spec = made.spec, reporter.errorCount == 0 else { return }
    specs.append(spec)
    if let digest = made.digest { maker.remember(spec, digest) }
  }

  /// Makes the jobs of a definition with `for_each`.
  private func expand(_ key: YAMLKey, _ entries: [YAMLEntry]) {
    let owner = KeyOwner(part: .job(key.text))
    guard let family = JobName(key.text) else {
      reporter.report(
        .badName, at: key.mark, "'\(key.text.shortened)' is not a valid job name",
        hint: KeyReader.nameHint)
      return
    }
    guard let node = entries.first(where: \.isForEach)?.value,
      let values = values(of: node, family, entries, owner: owner),
      let template = EachTemplate(
        key, entries, values: values, budget: setting.sources.eachBudget,
        defaultShell: defaultsNode?[JobKey.shell.name], reporter: reporter, owner: owner)
    else { return }
    families.append((family, key.mark))
    if takenNames == nil { takenNames = TakenNames(names) }
    var count = 0
    template.members { member in
      count += 1
      let own = YAMLKey(text: member.name, mark: member.nameMark, isDuplicate: key.isDuplicate)
      let made = maker.job(own, member.entries, family: family)
      if reporter.concealment != nil, let spec = made.spec { listedJobs.insert(spec.name) }
      if !key.isDuplicate { add(made, own, words: member.words) }
    }
    if count == 0, reporter.errorCount == 0 {
      reporter.report(
        .suspicious, severity: .warning, at: node.mark, "'\(JobKey.forEach)' makes no jobs",
        owner: owner)
    }
  }

  /// The values of a `for_each`; nil if they are wrong or not allowed, which is reported.
  private func values(
    of node: YAMLNode, _ family: JobName, _ entries: [YAMLEntry], owner: KeyOwner
  ) -> EachValues? {
    let files = setting.sources.lineFiles
    let useCount = files.useCount
    let reader = EachReader(
      reporter: reporter, files: files, folder: setting.folder, owner: owner)
    guard let values = reader.values(of: node) else { return nil }
    if files.useCount == useCount { return values }
    // Keys of `defaults` use the values, too.
    var all = entries
    if case .mapping(let defaults) = defaultsNode?.content { all += defaults }
    var words = JobWords()
    let digest = words.digest(of: family.text, all, family: family)
    if files.mayUseLines(family: digest.number) { return values }
    reporter.report(
      .notPermitted, at: node.mark,
      "'\(family.text.shortened)' has values from a file, and differs from the running jobs file",
      hint: "a text that is sent over TCP cannot change such a job; use the Unix socket",
      owner: owner)
    return nil
  }
}

extension FilePass.Setting {
  /// Harmless mistakes are reported only in a thorough load.
  func warnOfCutTexts(in entries: [YAMLEntry], owner: KeyOwner, _ reporter: Reporter) {
    if sources.machineFiles != nil { reporter.warnOfCutTexts(in: entries, owner: owner) }
  }
}

extension YAMLEntry {
  /// The length is compared first: few keys of a job have this one's.
  fileprivate var isForEach: Bool {
    key.utf8.count == JobKey.forEach.name.utf8.count && key == JobKey.forEach.name
  }
}
