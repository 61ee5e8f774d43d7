import TaktCore

/// Makes the specs of one file's jobs, except for those that equal a job of the last load or of
/// this one.
final class JobMaker {
  struct Made {
    /// Nil for a wrong job, which is reported.
    var spec: JobSpec?
    /// Identifies the job in the next load; nil for one that is always made again.
    var digest: JobDigest?
  }

  let builder: SpecBuilder
  private(set) var equalJobs = EqualJobs()

  private let keyReader: KeyReader
  private var words = JobWords()

  private var reporter: Reporter { builder.reporter }
  private var sources: LoadSources { builder.sources }

  init(
    _ builder: SpecBuilder, _ setting: FilePass.Setting, _ settings: SchedulerSettings,
    defaultsNode: YAMLNode?
  ) {
    self.builder = builder
    keyReader = KeyReader(reporter: builder.reporter)
    guard let last = sources.last else { return }
    let defaults = builder.defaults
    let context = EqualJobs.Context(
      settings: settings, defaultsNode: defaultsNode, execution: defaults.sharedExecution,
      policies: defaults.sharedPolicies, fileVariables: defaults.fileVariables,
      fileOwners: Dictionary(
        defaults.environmentFiles.map { ($0.path, $0.owner) }, uniquingKeysWith: { $1 }),
      calendars: builder.file.calendars)
    equalJobs = last.jobs(of: FilePath.absolute(setting.source.file), in: context, sources)
  }

  func remember(_ spec: JobSpec, _ digest: JobDigest) { equalJobs.remember(spec, digest) }

  /// - Parameter family: the definition with `for_each` that makes the job; nil for a job of its
  ///   own.
  func job(_ key: YAMLKey, _ entries: [YAMLEntry], family: JobName? = nil) -> Made {
    let digest =
      equalJobs.context == nil ? nil : words.digest(of: key.text, entries, family: family)
    if let digest, let spec = equalJobs.spec(of: digest) { return Made(spec: spec, digest: digest) }
    let (reportCount, useCount) = (reporter.reportCount, sources.volatileUseCount)
    let spec = spec(of: key, entries, family: family)
    let isLasting = reporter.reportCount == reportCount && sources.volatileUseCount == useCount
    return Made(spec: spec, digest: isLasting ? digest : nil)
  }

  private func spec(of key: YAMLKey, _ entries: [YAMLEntry], family: JobName?) -> JobSpec? {
    let (reportCount, useCount) = (reporter.reportCount, sources.volatileUseCount)
    // Files of this machine are checked for each job.
    let kind = sources.machineFiles == nil ? words.kind(of: entries, family: family) : nil
    if let kind, let first = equalJobs[kind], let name = JobName(key.text) {
      if first.isVolatile { sources.noteVolatileUse() }
      let own = fields(of: words.ownEntries, key)
      if reporter.reportCount > reportCount { return nil }
      if let run = own[.run]?.value?.text {
        builder.checkPlaceholders(in: run, at: own[.run]?.mark ?? key.mark)
        return first.spec.renamed(
          name, action: sources.pool.common(.shell(run)), summary: own[.description]?.value?.text)
      }
    }
    let spec = builder.spec(
      from: RawJob(
        name: key.text, nameMark: key.mark, fields: fields(of: entries, key), family: family))
    if let kind, let spec, reporter.reportCount == reportCount {
      equalJobs.keep(spec, isVolatile: sources.volatileUseCount > useCount, as: kind)
    }
    return spec
  }

  private func fields(of entries: [YAMLEntry], _ key: YAMLKey) -> KeyFields {
    keyReader.fields(of: entries, keys: KeyTable.job, owner: KeyOwner(part: .job(key.text)))
  }
}
