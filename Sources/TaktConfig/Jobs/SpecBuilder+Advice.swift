import TaktCore
import TaktTime

/// Warnings of jobs that are right in every key, and probably not what was meant.
extension SpecBuilder {
  /// No program gets as far as its first line with less.
  private static let memoryLeastBytes = 4 << 20
  private static let descriptorsLeast = 4

  func warn(of raw: RawJob, _ settled: JobDefaults, schedule: Schedule, action: Action) {
    warnOfPastInstants(of: raw, schedule)
    warnOfEmptySchedule(schedule, of: raw)
    warnOfLongRuns(settled, schedule: schedule, of: raw)
    warnOfLimits(of: raw)
    warnOfCommands(of: raw)
    if sources.machineFiles != nil { lookForFiles(of: raw, settled, action) }
  }

  // MARK: Slots

  /// Reports bounds between which there is no slot, and exclusions that leave none.
  private func warnOfEmptySchedule(_ schedule: Schedule, of raw: RawJob) {
    guard schedule.until != nil || !schedule.exclusions.isEmpty, !schedule.hasUnforeseen,
      schedule.until.map({ $0 >= sources.now }) ?? true
    else { return }
    let start = max(schedule.notBefore ?? sources.now, sources.now)
    var bare = schedule
    bare.exclusions = []
    switch FirstSlot(of: bare, from: start).result {
    case .none where schedule.until != nil:
      reporter.report(
        .neverRuns, severity: .warning, at: raw.fields[.until]?.mark ?? raw.nameMark,
        schedule.notBefore == nil
          ? "there is no slot before '\(JobKey.until)'"
          : "there is no slot between '\(JobKey.notBefore)' and '\(JobKey.until)'",
        hint: "change the bounds or the schedule; 'takt explain' lists its times", owner: raw.owner)
    case .some where !schedule.exclusions.isEmpty:
      guard case .none = FirstSlot(of: schedule, from: start).result else { return }
      reporter.report(
        .neverRuns, severity: .warning, at: raw.fields[.except]?.mark ?? raw.nameMark,
        "'\(JobKey.except)' leaves out every slot of the next \(FirstSlot.years) years",
        hint: "name fewer days, such as \(JobKey.except): Sat,Sun", owner: raw.owner)
    case .none, .some, .unknown: break
    }
  }

  // MARK: Runs that last longer than the interval

  /// Reports a timeout and retries that make a job with `overlap: skip` miss its own slots.
  private func warnOfLongRuns(_ settled: JobDefaults, schedule: Schedule, of raw: RawJob) {
    guard settled.policies.overlap == .skip else { return }
    if let field = raw.fields[.timeout], let timeout = field.value?.duration,
      let interval = interval(of: schedule, beside: timeout), timeout > interval
    {
      reporter.report(
        .suspicious, severity: .warning, at: field.mark,
        "the '\(JobKey.timeout)' of \(DurationText.format(timeout)) is longer than the interval of "
          + "\(DurationText.format(interval))",
        hint:
          "a run that takes so long makes takt skip slots: set a shorter '\(JobKey.timeout)', a "
          + "longer interval, or '\(JobKey.overlap)'",
        owner: raw.owner)
    }
    let retry = settled.execution.retry
    guard let field = raw.fields[.retry], retry.attempts > 1, retry.end == .exhausted else {
      return
    }
    let pauses = retry.pausesInAll
    guard let interval = interval(of: schedule, beside: pauses), pauses > interval else { return }
    reporter.report(
      .suspicious, severity: .warning, at: field.keyMark,
      "the pauses between \(retry.attempts) attempts add up to \(DurationText.format(pauses)), longer "
        + "than the interval of \(DurationText.format(interval))",
      hint:
        "takt skips slots meanwhile: use fewer attempts or a shorter '\(Key.delay)', or write 'until: next_slot'",
      owner: KeyOwner(raw.owner, .retry))
  }

  /// The shortest time between two slots, as far as that matters to a length.
  private func interval(of schedule: Schedule, beside length: Duration) -> Duration? {
    let every = schedule.every.flatMap { $0.origin == .end ? nil : $0.interval }
    return [every, shortestGap(of: schedule.rules, for: length)].compactMap(\.self).min()
  }

  // MARK: Limits and commands

  private func warnOfLimits(of raw: RawJob) {
    guard let limits = raw.fields[.limits]?.value?.object else { return }
    if let field = limits["memory"], let bytes = field.value?.integer, bytes < Self.memoryLeastBytes
    {
      reporter.report(
        .suspicious, severity: .warning, at: field.mark,
        "no program starts with \(SizeText.format(bytes)) of memory",
        hint:
          "write at least \(SizeText.format(Self.memoryLeastBytes)); a shell with a few commands "
          + "needs about 32MB", owner: KeyOwner(raw.owner, .limits))
    }
    if let field = limits["files"], let count = field.value?.integer, count < Self.descriptorsLeast
    {
      reporter.report(
        .suspicious, severity: .warning, at: field.mark,
        "no program starts with \(count) open file descriptor\(count == 1 ? "" : "s")",
        hint: "write at least 16", owner: KeyOwner(raw.owner, .limits))
    }
  }

  /// Reports commands that are written for something that does not read them.
  private func warnOfCommands(of raw: RawJob) {
    for command in commands(of: raw) {
      switch command.field.value {
      case .text(let text):
        checkPlaceholders(in: text, at: command.field.mark)
        checkInvisible(text, at: command.field.mark, of: raw)
      case .list(let items):
        for item in items {
          guard let text = item.value.text else { continue }
          checkPlaceholders(in: text, at: item.mark)
          checkInvisible(text, at: item.mark, of: raw)
        }
        checkWords(items, of: raw)
      default: break
      }
    }
  }

  /// What is in every name that is more than a name.
  private static let signs = Array("|><;&$ ".utf8)

  /// Whether a program's name is more than a name.
  static func isForShell(_ program: String) -> Bool {
    guard program.utf8.contains(where: { signs.contains($0) }) else { return false }
    return program.contains { "|><;&$".contains($0) }
      || program.contains(" ") && !program.hasPrefix("/") || program.contains(" -")
  }

  /// A list is run as it stands: there is no shell that a pipe could mean something to.
  private func checkWords(_ items: [KeyValue.Located], of raw: RawJob) {
    guard let first = items.first, let program = first.value.text else { return }
    var line: String { items.compactMap(\.value.text).joined(separator: " ").shortened }
    if let sign = items.first(where: { $0.value.text.map(Self.isShellWord) ?? false }) {
      reporter.report(
        .suspicious, severity: .warning, at: sign.mark,
        "a list runs without a shell: '\(sign.value.text ?? "")' is an argument",
        hint: "write the command as one text: \(JobKey.run): \"\(line)\"", owner: raw.owner)
    } else if Self.isForShell(program) {
      reporter.report(
        .suspicious, severity: .warning, at: first.mark,
        "a list runs without a shell: '\(program.shortened)' is the name of a program",
        hint: items.count == 1
          ? "write it without brackets: \(JobKey.run): \"\(line)\""
          : "make each word an item, or write the command as one text", owner: raw.owner)
    }
  }

  private static let shellWords: Set<String> = [
    "|", "||", "&&", ";", "&", ">", ">>", "<", "2>&1", "2>", "|&",
  ]

  private static func isShellWord(_ text: String) -> Bool {
    text.utf8.count <= 4 && text.utf8.contains(where: { signs.contains($0) })
      && shellWords.contains(text)
  }

  /// Placeholders are for parameters of actions; a command has variables.
  func checkPlaceholders(in text: String, at mark: YAMLMark) {
    guard text.utf8.contains(UInt8(ascii: "{")) else { return }
    for name in Placeholders.Name.allCases where Self.hasBraces(text, name.rawValue) {
      reporter.report(
        .suspicious, severity: .warning, at: mark,
        "'{{\(name.rawValue)}}' is not replaced in a command",
        hint: "use the variable $TAKT_\(name.rawValue.uppercased())")
      return
    }
    for start in text.indices
    where text[start...].hasPrefix("{{secret.") && !text[..<start].hasSuffix("{") {
      let name = text[start...].dropFirst("{{secret.".count).prefix { $0 != "}" }
      reporter.report(
        .suspicious, severity: .warning, at: mark,
        "'{{secret.\(name)}}' is not replaced in a command", hint: "use the variable $\(name)")
      return
    }
  }

  /// Whether `{{name}}` is in a text and not part of `{{{{name}}}}`.
  private static func hasBraces(_ text: String, _ name: String) -> Bool {
    let word = "{{\(name)}}"
    guard text.contains(word) else { return false }
    return text.indices.contains { text[$0...].hasPrefix(word) && !text[..<$0].hasSuffix("{") }
  }

  /// Characters that nobody sees, and that a copy from a page or a chat brings along.
  private func checkInvisible(_ text: String, at mark: YAMLMark, of raw: RawJob) {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return }
    let invisible = text.unicodeScalars.first {
      switch $0.value {
      case 0xa0, 0xad, 0x200b, 0x2060, 0xfeff: true
      default: false
      }
    }
    guard let scalar = invisible else { return }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let code = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    reporter.report(
      .suspicious, severity: .warning, at: mark,
      "the command has an invisible character, U+\(code)",
      hint: scalar.value == 0xa0 ? "write a plain space instead" : "remove it", owner: raw.owner)
  }

  /// Each `run` of the job, its steps and its hooks.
  func commands(of raw: RawJob) -> [(field: KeyFields.Field, owner: KeyFields)] {
    var commands: [(KeyFields.Field, KeyFields)] = []
    func add(_ fields: KeyFields) {
      if let run = fields[.run] { commands.append((run, fields)) }
    }
    add(raw.fields)
    let items = (raw.fields[.steps]?.value?.list ?? []) + HookKind.allCases.flatMap(raw.hookItems)
    for fields in items.compactMap(\.value.object) { add(fields) }
    return commands
  }
}

extension RetryPolicy {
  /// How long all back-offs take together, without jitter.
  fileprivate var pausesInAll: Duration {
    var (sum, pause) = (Duration.zero, delay)
    for number in 1..<attempts {
      sum += min(pause, delayMax)
      // All that follow are as long as the longest, or as this one.
      if pause >= delayMax || factor == 1 {
        return sum + min(pause, delayMax) * (attempts - 1 - number)
      }
      pause = pause * factor
    }
    return sum
  }
}

/// The first slot of a schedule that is due to a clock, as far as it can be found quickly.
struct FirstSlot {
  enum Result {
    case some
    case none
    case unknown
  }

  static let years = 4
  private static let stepsMax = 2000

  let result: Result

  init(of schedule: Schedule, from start: WallInstant) {
    let horizon = start + .seconds(Self.years * 366 * 86_400)
    let end = min(schedule.until ?? horizon, horizon)
    var instant = start.justBefore
    for _ in 0..<Self.stepsMax {
      guard let next = Self.next(of: schedule, after: instant, end: end) else {
        result = .none
        return
      }
      guard schedule.excludes(next) else {
        result = .some
        return
      }
      instant = schedule.exclusionEdge(after: next)?.justBefore ?? end
      instant = max(instant, next)
    }
    result = .unknown
  }

  /// The next instant of a trigger; where a grid's anchor is not known, any instant counts.
  private static func next(
    of schedule: Schedule, after instant: WallInstant, end: WallInstant
  ) -> WallInstant? {
    var candidates = schedule.rules.compactMap { $0.next(after: instant) }
    if schedule.every != nil { candidates.append(instant + .milliseconds(1)) }
    if let at = schedule.at.first(where: { $0 > instant }) { candidates.append(at) }
    return candidates.min().flatMap { $0 <= end ? $0 : nil }
  }
}
