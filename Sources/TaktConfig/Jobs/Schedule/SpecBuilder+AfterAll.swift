import TaktCore

/// Triggers on the end of several other jobs together.
extension SpecBuilder {
  /// True if an item of `after` combines several jobs; reports keys that do not fit.
  func checkGathering(_ fields: KeyFields, of raw: RawJob) -> Bool {
    let owner = KeyOwner(raw.owner, .after)
    guard let all = fields[Key.all] else {
      if let within = fields[Key.within] {
        reporter.report(
          .missingKey, at: within.keyMark, "'\(Key.within)' needs '\(Key.all)'",
          hint: "write after: {all: [NAME, NAME], within: 6h}, or remove it", owner: owner)
      }
      return false
    }
    if let job = fields[Key.job] { reporter.reportConflict([job, all], owner: owner) }
    return true
  }

  /// The combination of several jobs; nil for none. Their existence is checked when all files are
  /// read.
  func afterAll(of raw: RawJob) -> AfterAll? {
    let items = raw.fields[.after]?.value?.list ?? []
    let gatherings = items.compactMap { item -> (fields: KeyFields, all: KeyFields.Field)? in
      item.value.object.flatMap { fields in fields[Key.all].map { (fields, $0) } }
    }
    guard let (fields, all) = gatherings.first else { return nil }
    for other in gatherings.dropFirst() {
      reporter.report(
        .conflictingKeys, at: other.all.keyMark, "a job can have one '\(Key.all)'",
        hint: "put these jobs in a job of its own, and follow that", owner: raw.owner)
    }
    let common = condition(fields[.on])
    var parents: [Following] = []
    var marks: [JobName: YAMLMark] = [:]
    for item in all.value?.list ?? [] {
      guard let (following, mark) = parent(item, common, of: raw) else { continue }
      if let first = marks.updateValue(mark, forKey: following.job) {
        reporter.report(
          .duplicateKey, at: mark,
          "'\(following.job)' is there twice; first at \(reporter.source.place(of: first).location)",
          hint: "remove one of them", owner: KeyOwner(raw.owner, .after))
      }
      link(following.job.text, at: mark, of: raw, isOfAll: true)
      parents.append(following)
    }
    guard !parents.isEmpty else { return nil }
    return AfterAll(parents, within: fields[Key.within]?.value?.duration)
  }

  private func parent(
    _ item: KeyValue.Located, _ common: Following.Condition?, of raw: RawJob
  ) -> (Following, YAMLMark)? {
    if let text = item.value.text {
      return JobName(text).map { (Following($0, on: common ?? .success), item.mark) }
    }
    guard let fields = item.value.object else { return nil }
    guard let job = fields[Key.job] else {
      missing(Key.job, at: item.mark, of: .after, raw)
      return nil
    }
    guard let name = job.value?.text.flatMap({ JobName($0) }) else { return nil }
    return (Following(name, on: condition(fields[.on]) ?? common ?? .success), job.mark)
  }

  private func condition(_ field: KeyFields.Field?) -> Following.Condition? {
    field?.value?.text.flatMap(Following.Condition.init)
  }

  /// Records the job that a trigger names, with the place.
  func link(_ parent: String, at mark: YAMLMark, of raw: RawJob, isOfAll: Bool = false) {
    let (location, line) = reporter.source.place(of: mark)
    let identity = FollowingLink.Identity(child: raw.name, parent: parent)
    let wasOfAll = sources.followings[identity]?.isOfAll ?? false
    sources.follow(
      identity,
      FollowingLink(
        child: raw.name, parent: parent, location: location, sourceLine: line,
        isOfAll: isOfAll || wasOfAll, concealment: reporter.concealment))
  }
}

extension [FollowingLink] {
  /// Jobs that wait for several others together, whose ends no single machine of a cluster sees.
  func clusterProblems(among specs: [JobSpec]) -> [Diagnostic] {
    let own = Set(specs.filter { $0.machines == .each }.map(\.name.text))
    return filter { $0.isOfAll && !(own.contains($0.child) && own.contains($0.parent)) }.map {
      link in
      let other = own.contains(link.child) ? link.parent : link.child
      return link.diagnostic(
        .conflictingKeys,
        "'\(Key.all)' of '\(JobKey.after)' needs '\(JobKey.machines): each' with "
          + "'\(Key.scheduler).\(Key.cluster)', and '\(other.shortened)' is shared",
        hint:
          "shared runs end on different machines: set '\(JobKey.machines): each' in all of these "
          + "jobs, or use one '\(JobKey.after)'")
    }
  }
}
