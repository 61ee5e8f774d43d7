import TaktCore
import TaktTime

/// Triggers other than the clock, and bounds on those of the clock.
extension SpecBuilder {
  /// Triggers on the ends of other jobs. Their existence is checked when all files are read.
  func followings(of raw: RawJob) -> Set<Following> {
    var followings: Set<Following> = []
    guard let items = raw.fields[.after]?.value?.list else { return followings }
    for item in items {
      guard let fields = item.value.object else { continue }
      if checkGathering(fields, of: raw) { continue }
      guard let parent = fields[Key.job] else {
        missing(Key.job, at: item.mark, of: .after, raw)
        continue
      }
      guard let text = parent.value?.text, let name = JobName(text) else { continue }
      let condition = fields[.on]?.value?.text.flatMap(Following.Condition.init) ?? .success
      followings.insert(Following(name, on: condition))
      link(text, at: parent.mark, of: raw)
    }
    return followings
  }

  func watches(of raw: RawJob) -> Set<PathWatch> {
    var watches: Set<PathWatch> = []
    guard let items = raw.fields[.watch]?.value?.list else { return watches }
    for item in items {
      guard let fields = item.value.object else { continue }
      guard let path = fields[Key.path] else {
        missing(Key.path, at: item.mark, of: .watch, raw)
        continue
      }
      guard let text = path.value?.text else { continue }
      if IncludePattern.isPattern(text) {
        reporter.report(
          .suspicious, severity: .warning, at: path.mark,
          "'\(Key.path)' takes no patterns; takt watches a file of exactly this name",
          hint: "watch the folder, with '\(Key.pattern): \"*.csv\"'", owner: raw.owner)
      }
      watches.insert(
        PathWatch(
          path: FilePath.absolute(FilePath.join(folder, text)),
          debounce: fields[Key.debounce]?.value?.duration ?? PathWatch.defaultDebounce,
          patterns: patterns(of: fields, raw),
          isRecursive: fields[Key.recursive]?.value?.boolean ?? false))
    }
    return watches
  }

  /// The most patterns of a trigger: each event is compared with all of them.
  private static let patternsMax = 100

  /// Unique, in an order independent of the file's.
  private func patterns(of fields: KeyFields, _ raw: RawJob) -> [PathPattern] {
    guard let field = fields[Key.pattern], let items = field.value?.list else { return [] }
    var patterns: Set<PathPattern> = []
    for item in items {
      guard let text = item.value.text else { continue }
      do throws(PathPattern.Problem) {
        let pattern = try PathPattern(text)
        patterns.insert(pattern)
        warn(ofLiteral: pattern.literalPart, in: text, at: item.mark, raw)
      } catch {
        let (what, hint) = error.sentence
        reporter.report(
          .badValue, at: item.mark, "the pattern '\(text.shortened)' \(what)", hint: hint,
          owner: KeyOwner(raw.owner, .watch))
      }
    }
    if patterns.count > Self.patternsMax {
      reporter.report(
        .outOfRange, at: field.mark,
        "'\(Key.pattern)' has \(patterns.count) patterns; the most is \(Self.patternsMax)",
        owner: KeyOwner(raw.owner, .watch))
    }
    return patterns.sorted()
  }

  private func warn(ofLiteral part: String?, in text: String, at mark: YAMLMark, _ raw: RawJob) {
    guard let part else { return }
    reporter.report(
      .suspicious, severity: .warning, at: mark,
      "'\(part.shortened)' in the pattern '\(text.shortened)' stands for itself",
      hint: part == "["
        ? "close it, as in [0-9]; '[[]' is the character itself"
        : "list a pattern for each; '[{]' is the character itself", owner: raw.owner)
  }

  func missing(_ key: String, at mark: YAMLMark, of trigger: JobKey, _ raw: RawJob) {
    reporter.report(
      .missingKey, at: mark, "'\(trigger)' has no '\(key)'",
      hint: trigger == .after ? "write after: {job: NAME}" : "write watch: {path: PATH}",
      owner: raw.owner)
  }

  /// The start or the end of the instants that count.
  func bound(_ key: JobKey, of raw: RawJob, in zone: Zone) -> WallInstant? {
    raw.fields[key].flatMap { field in
      field.value.flatMap { instant(KeyValue.Located(value: $0, mark: field.mark), in: zone) }
    }
  }

  func checkBounds(_ schedule: Schedule, of raw: RawJob) {
    checkInstants(of: raw, schedule)
    guard let until = schedule.until, let field = raw.fields[.until] else { return }
    if let notBefore = schedule.notBefore, until < notBefore {
      reporter.report(
        .neverRuns, at: field.mark, "'\(JobKey.until)' is before '\(JobKey.notBefore)'",
        hint: "swap them, or remove one", owner: raw.owner)
    } else if until < sources.now {
      reporter.report(
        .neverRuns, severity: .warning, at: field.mark,
        "'\(JobKey.until)' is in the past, so there are no more slots", owner: raw.owner)
    }
  }

  /// Warns of past instants, which a daemon logs.
  func warnOfPastInstants(of raw: RawJob, _ schedule: Schedule) {
    guard sources.machineFiles != nil, let items = raw.fields[.at]?.value?.list,
      let past = schedule.at.first(where: { $0 < sources.now })
    else { return }
    let isOver = schedule.at.allSatisfy { $0 < sources.now }
    let isOnly = isOver && schedule.rules.isEmpty && schedule.every == nil
    reporter.report(
      .neverRuns, severity: .warning, at: items.first?.mark ?? raw.nameMark,
      "\(past.rfc3339(in: zone)) is in the past",
      hint: isOnly && !schedule.hasUnforeseen
        ? "the job never runs: write a later time" : "it makes no slot: remove it", owner: raw.owner
    )
  }

  private func checkInstants(of raw: RawJob, _ schedule: Schedule) {
    guard let field = raw.fields[.at],
      let outside = schedule.at.first(where: { !schedule.isWithinBounds($0) })
    else { return }
    reporter.report(
      .neverRuns, at: field.mark,
      "\(outside.rfc3339()) is not between '\(JobKey.notBefore)' and '\(JobKey.until)'",
      hint: "change it, or the bound", owner: raw.owner)
  }

  /// Only the ledger tells if this is the first start since the boot.
  func checkBoot(_ schedule: Schedule, of raw: RawJob) {
    guard schedule.on.contains(.boot), hasNoState else { return }
    reporter.report(
      .conflictingKeys, at: raw.fields[.on]?.mark ?? raw.nameMark,
      "'\(JobKey.on): boot' needs a ledger, and '\(Key.state)' is 'none'",
      hint: "set '\(Key.state)' under '\(Key.scheduler)' to a folder, or write 'start'",
      owner: raw.owner)
  }
}

extension PathPattern.Problem {
  /// The mistake, and the hint.
  fileprivate var sentence: (String, String) {
    switch self {
    case .tooLong: ("is longer than \(PathPattern.bytesMax) bytes", "write a shorter one")
    case .absolute:
      ("starts with a slash", "write it as seen from '\(Key.path)', such as **/*.csv")
    case .emptyName:
      ("has two slashes in a row, or ends with one", "write **/* for all below a folder")
    case .dots: ("has '.' or '..' for a name", "write it as seen from '\(Key.path)'")
    case .starsInName: ("has '**' within a name", "write * there, or ** alone between slashes")
    }
  }
}
