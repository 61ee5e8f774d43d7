import TaktCore
import TaktTime

/// Reads a crontab: a user's, the system's, or supercronic's.
struct CrontabImport {
  let context: ImportContext
  let kind: SourceKind
  /// The crontab's user; nil if each line names one, and for the user that takt runs as.
  var owner: String?
  /// The base of the jobs' names; nil to use the program in each line.
  var nameHint: String?
  /// True to turn a line that runs the scripts of a folder into a job for each script.
  var expandsFolders = false

  private var report: ImportReport { context.report }
  private var dialect: CronDialect { context.dialect }
  private var hasUserColumn: Bool { kind == .cronD }

  struct Entry {
    var line: SourceLine
    /// The time fields, or one name with `@`.
    var times: [SourceToken]
    var user: SourceToken?
    var command: SourceToken
    /// True if output is mailed only after a failure.
    var mailsFailuresOnly: Bool
    var remarks: [String]
    /// The name of the job from which the line was exported.
    var name: String?
    var summary: String?

    /// Takes the name and the summary from the comment above it, `NAME: SUMMARY`.
    mutating func readName() {
      guard let remark = remarks.last else { return }
      let name = String(remark.prefix { $0 != ":" })
      guard JobNames.valid(name) == name else { return }
      self.name = name
      if remark.count > name.count + 2 { summary = String(remark.dropFirst(name.count + 2)) }
      remarks.removeLast()
    }
  }

  func run(_ source: SourceLines) {
    if kind == .supercronic { return runSupercronic(source) }
    var variables = CronVariables()
    var entries: [(Entry, CronVariables)] = []
    let refused = report.refused.count
    forEachLine(of: source) { line, trimmed, remarks in
      if let variable = CronVariables.read(line, in: trimmed, dialect: dialect) {
        report.expect(variable.token)
        if !variables.add(variable) {
          report.lose(variable.token, "more than \(CronVariables.countMax) variables")
        }
      } else if var entry = entry(of: line, in: trimmed, remarks) {
        if source.isExported { entry.readName() }
        entries.append((entry, variables))
      }
    }
    note(source)
    for (entry, variables) in entries { importEntry(entry, variables, of: entries.count) }
    for variable in variables.variables where report.isOpen(variable.token) {
      report.keep(variable.token, as: "no job comes after it")
    }
    if dialect == .debian, let place = report.refused.dropFirst(refused).first {
      report.note(
        "because of this line, cron reads no line of the file: jobs of other lines do not run yet",
        at: place)
    }
  }

  /// Passes on each line that is neither empty nor a comment, with the comments directly above it.
  func forEachLine(
    of source: SourceLines, _ body: (SourceLine, Range<Int>, _ remarks: [String]) -> Void
  ) {
    var remarks: [String] = []
    for line in source.lines {
      let line = kind == .supercronic ? line : line.withReturn
      guard let trimmed = line.trimmed else {
        remarks = []
        continue
      }
      if line.scalars[trimmed.lowerBound] == "#" {
        remarks.append(commentText(of: line, in: trimmed))
        continue
      }
      if line.isText {
        body(line, trimmed, remarks)
      } else {
        report.lose(line.token(trimmed), "this line is not UTF-8 text")
      }
      remarks = []
    }
  }

  private func commentText(of line: SourceLine, in trimmed: Range<Int>) -> String {
    let text = String(String.UnicodeScalarView(line.scalars[trimmed].filter { $0 != "\r" }))
    return String(text.drop { $0 == "#" || $0 == " " })
  }

  private func note(_ source: SourceLines) {
    if source.endsWithinLine {
      report.note(
        dialect == .debian
          ? "the last line has no line end, and so cron reads no line of the file"
          : "the last line has no line end, and so cron does not read it",
        at: SourceLocation(file: source.file, line: source.lines.count))
    }
    if source.hasByteOrderMark {
      report.note(
        "the file starts with a byte order mark, which cron takes for a mistake; it is left out",
        at: SourceLocation(file: source.file, line: 1))
    }
    if let first = source.carriageReturns.first {
      report.note(
        "lines end with a carriage return, which cron passes to the command, and so does takt: remove it",
        at: SourceLocation(file: source.file, line: first))
    }
  }

  /// Reports a line that cron refuses.
  private func entry(of line: SourceLine, in trimmed: Range<Int>, _ remarks: [String]) -> Entry? {
    var index = trimmed.lowerBound
    if line.scalars[index] == "-", index + 1 < line.scalars.count {
      let sign = line.token(index..<index + 1)
      if dialect == .cronie {
        report.differ(sign, "cron does not log the start of this command; takt logs each run")
        index += 1
      }
    }
    guard index < line.scalars.count else {
      report.refuse(line.token(trimmed), "cron refuses this line")
      return nil
    }
    var times: [SourceToken] = []
    let isNamed = line.scalars[index] == "@"
    let count = isNamed ? 1 : 5
    while times.count < count, index < line.scalars.count {
      let word = line.word(from: index)
      times.append(line.token(word))
      index = line.skipBlanks(from: word.upperBound)
    }
    var user: SourceToken?
    if hasUserColumn, index < line.scalars.count {
      let word = line.word(from: index)
      user = line.token(word)
      index = line.skipBlanks(from: word.upperBound)
    }
    guard index < line.scalars.count, times.count == count else {
      let rest = line.token(trimmed)
      if dialect == .debian, !hasUserColumn, times.count == count, isRead(times) {
        report.lose(rest, "there is no command")
      } else {
        report.refuse(
          rest,
          hasUserColumn
            ? "cron refuses this line: it needs times, a user and a command"
            : "cron refuses this line: it needs times and a command")
      }
      return nil
    }
    var entry = Entry(
      line: line, times: times, user: user, command: line.token(index..<line.scalars.count),
      mailsFailuresOnly: false, remarks: remarks)
    for token in times + [user].compactMap(\.self) { report.expect(token) }
    guard readOption(&entry, from: index) else { return nil }
    report.expect(entry.command)
    return entry
  }

  /// Reads cronie's `-n` before a command; false for an option that it refuses.
  private func readOption(_ entry: inout Entry, from index: Int) -> Bool {
    let line = entry.line
    guard dialect == .cronie, line.scalars[index] == "-" else { return true }
    let option = line.word(from: index)
    let command = line.skipBlanks(from: option.upperBound)
    guard line.text(option) == "-n", command < line.scalars.count, line.scalars[command] != "-"
    else {
      report.refuse(entry.command, "cron refuses this option")
      lose(entry)
      return false
    }
    entry.mailsFailuresOnly = true
    entry.command = line.token(command..<line.scalars.count)
    report.keep(line.token(option), as: "on_failure")
    return true
  }

  /// True if cron accepts the times, regardless of the rest of the line.
  private func isRead(_ times: [SourceToken]) -> Bool {
    let texts = times.map(\.text)
    return texts.count == 1
      ? texts[0] == "@reboot" || CronFields.expression(named: texts[0]) != nil
      : (try? CronFields(texts, dialect: dialect)) != nil
  }

  private func importEntry(_ entry: Entry, _ variables: CronVariables, of count: Int) {
    guard let user = user(of: entry) else { return lose(entry) }
    let text = CommandText(entry.command.text, dialect: dialect)
    if expandsFolders, expand(entry, text, user, variables) { return }
    let name = context.newName(
      like: entry.name ?? nameHint.map { count == 1 ? $0 : "\($0)-\(text.suggestedName)" }
        ?? text.suggestedName)
    var draft = JobDraft(name: name, comments: comments(of: entry))
    if let summary = entry.summary { draft[.description] = .text(summary) }
    let jobs = CronJobs(context: context, dialect: dialect)
    guard setTimes(of: entry, in: &draft) else { return lose(entry) }
    jobs.setManners(of: &draft)
    setUser(of: entry, in: &draft)
    jobs.setSurroundings(
      of: &draft, user: user, isNamed: draft[.user] != nil, variables: variables)
    if entry.mailsFailuresOnly { draft[.onSuccess] = nil }
    jobs.settleFolder(of: &draft, at: entry.command.place, home: user.home)
    setCommand(text, of: entry, in: &draft)
    context.add(draft)
  }

  func comments(of entry: Entry) -> [String] {
    CronBanner.without(entry.remarks).suffix(20) + [
      "\(entry.line.file):\(entry.line.number)", entry.line.text.replacing("\r", by: ""),
    ]
  }

  private func lose(_ entry: Entry) {
    for token in entry.times + [entry.user].compactMap(\.self) + [entry.command] {
      report.loseRest(token)
    }
  }

  private func user(of entry: Entry) -> ImportAccounts.User? {
    guard let name = entry.user?.text ?? owner else {
      return context.accounts.own ?? ImportAccounts.User(name: "root", home: "/root")
    }
    guard let user = context.accounts.user(named: name) else {
      report.refuse(
        entry.user ?? entry.command,
        ImportAccounts.isName(name)
          ? "there is no user '\(name)', and cron does not run this either"
          : "no user can be called '\(name)', and so cron does not run this; a template must be filled in"
      )
      return nil
    }
    if context.accounts.isUnknown, name != "root" {
      report.note(
        "there is no such file: users are taken to exist, and their home folders are guessed",
        at: SourceLocation(file: context.shown("/etc/passwd")))
    }
    return user
  }

  private func setUser(of entry: Entry, in draft: inout JobDraft) {
    guard let name = entry.user?.text ?? owner else { return }
    draft[.user] = .text(name)
    if let token = entry.user { report.keep(token, as: "user", in: draft.name, values: [name]) }
  }

  func setCommand(_ text: CommandText, of entry: Entry, in draft: inout JobDraft) {
    let sleep = replaceSleep(of: text.command, at: entry.command.place, in: &draft)
    let command = CommandText.runnable(sleep?.rest ?? text.command)
    draft[.run] = .text(command)
    if kind != .supercronic { draft.command = entry.command }
    var values = [command]
    if let input = text.input {
      draft[.stdin] = .text(input)
      values.append(input)
      if CommandGuards.isCutShort(command) {
        report.note(
          "the command ends at its first '%' and looks cut short: cron wants '\\%' for a percent sign",
          at: entry.command.place)
      }
    }
    if let sleep {
      report.differ(
        entry.command,
        "'jitter' takes the place of the sleep"
          + (sleep.needsRandom
            ? "; cron does not wait here if /bin/sh is dash, which has no RANDOM" : ""),
        in: draft.name)
    } else {
      report.keep(entry.command, as: "run", in: draft.name, values: values)
    }
    if let note = CommandGuards.note(of: command) { report.note(note, at: entry.command.place) }
    if dialect == .debian, kind != .supercronic,
      entry.command.text.utf8.count > dialect.lineBytesMax
    {
      report.note(
        "cron refuses a command of more than \(dialect.lineBytesMax) bytes, and with it the "
          + "whole file", at: entry.command.place)
    }
  }

  /// Turns a random sleep into `jitter` if the user asked for it and it has the same effect;
  /// otherwise adds a note.
  private func replaceSleep(
    of command: String, at place: SourceLocation, in draft: inout JobDraft
  ) -> RandomSleep? {
    let shell = context.shell(of: draft)
    // Two delays would add up.
    let canDelay = draft[.cron] != nil && draft[.jitter] == nil
    if canDelay, let sleep = RandomSleep(in: command, shell: shell) {
      let time = DurationText.format(.seconds(sleep.seconds))
      if context.options.turnsSleepsIntoJitter {
        draft[.jitter] = .word(time)
        return sleep
      }
      report.note("this sleeps for up to \(time); with --jitter it becomes 'jitter'", at: place)
    } else if RandomSleep.isMentioned(in: command) {
      report.note(
        RandomSleep(in: command, shell: .bash) != nil && canDelay
          ? "this waits for a random time in a way that dash does not know; if /bin/sh is dash, it does "
            + "not wait, or fails. It stays in the command"
          : "this waits for a random time; that stays in the command, since 'jitter' may not be the same",
        at: place)
    }
    return nil
  }

  /// Returns false if cron refuses the times.
  func setTimes(of entry: Entry, in draft: inout JobDraft) -> Bool {
    if entry.times.count == 1, let token = entry.times.first {
      return setNamedTime(token, in: &draft)
    }
    let texts = entry.times.map(\.text)
    do throws(CronFields.Refusal) {
      let fields = try CronFields(texts, dialect: dialect)
      if let emptiness = fields.emptiness { throw emptiness }
      draft[.cron] = .text(fields.expression)
      if let days = fields.days { draft[.days] = .word(days.rawValue) }
      draft.times = [.cron(texts.joined(separator: " "), rule: .cron)]
      for (number, token) in entry.times.enumerated() {
        if let change = fields.changes.first(where: { $0.field == number }) {
          report.differ(token, change.sentence, in: draft.name)
        } else {
          report.keep(token, as: "cron", in: draft.name, values: [fields.expression])
        }
      }
      return true
    } catch {
      if error.isByCron {
        report.refuse(entry.times[error.field], error.sentence)
      } else {
        report.lose(entry.times[error.field], error.sentence)
      }
      return false
    }
  }

  private func setNamedTime(_ token: SourceToken, in draft: inout JobDraft) -> Bool {
    if token.text == "@reboot" {
      draft[.on] = .word("boot")
      report.keep(token, as: "on", in: draft.name, values: ["boot"])
      return true
    }
    if let name = CronFields.expression(named: token.text) {
      draft[.cron] = .text(name)
      draft.times = [.cron(name, rule: .cron)]
      report.keep(token, as: "cron", in: draft.name, values: [name])
      return true
    }
    report.refuse(token, "cron does not know '\(token.text)'")
    return false
  }
}
