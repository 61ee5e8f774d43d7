import ArgumentParser
import TaktConfig
import TaktCore
import TaktEngine
import TaktTime

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Describe a schedule in words and list its next times.",
    discussion: """
      A job's times continue from the ledger. Without a ledger, or with --after in the past, they are \
      those of a job that is loaded for the first time. Exits with 65 if an expression is invalid.
      """)

  @Argument(help: "The job's name.", completion: JobCompletion.kind)
  var job: String?

  @OptionGroup var argument: FileArgument

  @Option(help: "A cron expression, instead of a job.")
  var cron: String?

  @Option(help: "A calendar expression, instead of a job.")
  var calendar: String?

  @Flag(help: "With --calendar, show systemd's own times, which differ near clock changes.")
  var systemd = false

  @Option(help: "The expression's time zone. (default: the machine's)")
  var timezone: String?

  @Option(
    help:
      "List times after this instant, such as 2026-12-24T18:00 or 'tomorrow 06:00'. (default: now)")
  var after: String?

  @Option(name: .customShort("n", allowingJoined: true), help: "The number of times.")
  var number = 5

  @Option(
    help: "Whether any or all of a cron expression's two day fields must match. (default: cron)")
  var days: CronDayRule?

  @Flag(help: "Print one JSON object: the normalized form and the next times.")
  var json = false

  func validate() throws {
    guard [job != nil, cron != nil, calendar != nil].count(where: \.self) == 1 else {
      throw ValidationError("Specify a job, --cron or --calendar.")
    }
    guard !systemd || calendar != nil else { throw ValidationError("--systemd needs --calendar.") }
    guard days == nil || cron != nil else { throw ValidationError("--days needs --cron.") }
    guard timezone == nil || job == nil else {
      throw ValidationError("--timezone is for --cron and --calendar; a job has its own zone.")
    }
    guard (1...10_000).contains(number) else {
      throw ValidationError("-n takes a number from 1 to 10000.")
    }
  }

  func run() throws {
    if let job { return try explain(job: job) }
    var zone = try zone(named: timezone ?? "local")
    let start = try instant(in: zone)
    let normalized: String
    let words: String
    let rule: ClockRule
    let yearMax: Int
    var next: ((WallInstant) -> WallInstant?)?
    if let text = cron {
      let days = days ?? .cron
      let expression: CronExpression
      do throws(CronProblem) {
        expression = try CronExpression(text)
      } catch {
        throw refusal(text, error.offset, error.sentence, error.hint)
      }
      (normalized, words) = (expression.normalized, expression.words(days: days))
      rule = ClockRule(.cron(expression, days: days), zone: zone, dst: expression.ownDST)
      yearMax = CronExpression.yearMax
    } else {
      let text = calendar ?? ""
      let expression: CalendarExpression
      do throws(CalendarProblem) {
        expression = try CalendarExpression(text)
      } catch {
        throw refusal(text, error.offset, error.sentence, error.hint)
      }
      for name in expression.zoneNames(writtenIn: text) { zone = try self.zone(named: name) }
      (normalized, words) = (expression.normalized, expression.words)
      rule = ClockRule(.calendar(expression), zone: zone, dst: DSTPolicy(gap: .skip))
      if systemd { next = { [zone] in expression.next(after: $0, in: zone) } }
      yearMax = CalendarExpression.yearMax
    }
    show(
      normalized: normalized, words: words,
      times: times(after: start, next ?? { rule.next(after: $0) }), yearMax: yearMax,
      notes: rule.clockChanges(after: start).map { $0.words(in: zone) }, zone: zone)
  }

  private func times(
    after start: WallInstant, _ next: (WallInstant) -> WallInstant?
  ) -> [WallInstant] {
    var times: [WallInstant] = []
    var instant = start
    while times.count < number, let time = next(instant) {
      times.append(time)
      instant = time
    }
    return times
  }

  private func show(
    normalized: String, words: String, times: [WallInstant], yearMax: Int, notes: [String],
    zone: Zone
  ) {
    if json {
      Console.print(
        ExplainAnswer(normalized: normalized, times: times).jsonLine)
      return
    }
    Console.print("normalized  \(normalized)")
    Console.print("in words    \(words)")
    Console.print("time zone   \(zone.name)")
    for (index, time) in times.enumerated() {
      Console.print("\(index == 0 ? "next        " : "            ")\(time.rfc3339(in: zone))")
    }
    if times.isEmpty { Console.print("next        never before \(yearMax + 1)") }
    for note in notes { Console.print("note        \(note)") }
  }

  /// Prints an expression's error and its place.
  private func refusal(
    _ text: String, _ offset: Int, _ sentence: String, _ hint: String?
  ) -> ExitCode {
    let place = String(decoding: text.utf8.prefix(offset), as: UTF8.self).count
    Console.error(
      "takt: \(sentence), at character \(place + 1)" + (hint.map { "; \($0)" } ?? ""))
    Console.error("  \(text.printable)")
    Console.error("  \(String(repeating: " ", count: place))^")
    return .invalidData
  }

  private func zone(named name: String) throws -> Zone {
    if let zone = ZoneFiles().zone(named: name) { return zone }
    let hint = ZoneHint.of(name, in: ZoneFiles())
    Console.error("takt: there is no time zone '\(name.printable)'; \(hint)")
    throw ExitCode.invalidData
  }

  private func instant(in zone: Zone) throws -> WallInstant {
    guard let after else { return SystemTimeSource().wall }
    return try InstantArgument.read(after, of: "--after", in: zone)
  }
}

extension ExplainCommand {
  private func explain(job name: String) throws {
    let (snapshot, _, _) = try argument.source.loadOrExit(isQuiet: true)
    let spec = try argument.job(named: name, in: snapshot)
    let zone = spec.timing.schedule.rules.first?.zone ?? snapshot.settings.zone
    var now = SystemTimeSource().now
    var previous: PreviousJob?
    let start = after == nil ? now.wall : try instant(in: zone)
    if start >= now.wall {
      // Both clocks advance to it.
      now = Now(wall: start, monotonic: now.monotonic + (start - now.wall))
      previous = try PreviousState.kept(by: snapshot.settings).jobs[spec.name]
    } else {
      now = Now(wall: start, monotonic: now.monotonic)
    }
    var slots = SlotPreview.slots(of: spec, after: previous, startingAt: now, count: number + 1)
    // The job's clock and the wall clock may differ by less than a millisecond.
    if after != nil { slots.removeAll { $0.nominal <= start } }
    slots = Array(slots.prefix(number))
    let lines = spec.timing.words + (spec.policies.onlyIf.map { [$0.value.words] } ?? [])
    let notes = spec.timing.schedule.rules.flatMap { rule in
      rule.clockChanges(after: now.wall)
        .filter {
          spec.timing.schedule.isWithinBounds($0.at) && !spec.timing.schedule.excludes($0.at)
        }
        .map { $0.words(in: rule.zone) }
    }
    if json {
      Console.print(
        ExplainAnswer(
          normalized: lines.joined(separator: "; "), times: slots.map(\.nominal)
        ).jsonLine)
      return
    }
    for line in lines { Console.print(ShownZone.localized(line, in: zone)) }
    if let words = spec.directWords { Console.print(words) }
    if !spec.timing.isEnabled {
      Console.print("disabled: no slots")
    } else if previous?.checkpoint.suspension != nil {
      Console.print("suspended: no slots")
    }
    for line in SlotLines.lines(of: spec, slots, after: previous, from: now, in: zone) {
      Console.print("  " + line)
    }
    if slots.isEmpty, !spec.timing.schedule.isManual { Console.print("  no foreseeable slots") }
    for note in notes + [spec.bufferingWords].compactMap(\.self) { Console.print("note: \(note)") }
  }
}

private struct ExplainAnswer: Encodable {
  var normalized: String
  var next: [String]

  init(normalized: String, times: [WallInstant]) {
    self.normalized = normalized
    next = times.map { $0.rfc3339() }
  }
}

extension CronDayRule: ExpressibleByArgument {}
