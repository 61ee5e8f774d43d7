import TaktCore

/// Reads an anacrontab: jobs that run once in a number of days while the machine is up.
struct AnacrontabImport {
  let context: ImportContext
  var expandsFolders = false

  private var report: ImportReport { context.report }
  private static let group = "anacron"

  func run(_ source: SourceLines) {
    var variables = CronVariables()
    for parts in joinedLines(of: source) {
      let line = Self.line(of: parts)
      guard let trimmed = line.trimmed, line.scalars[trimmed.lowerBound] != "#" else {
        keepRest(of: parts, isComment: true)
        continue
      }
      keepRest(of: parts, isComment: false)
      guard line.isText else {
        report.lose(line.token(trimmed), "this line is not UTF-8 text")
        continue
      }
      if var variable = CronVariables.readPlain(line, in: trimmed) {
        variable.value = asRead(variable.value)
        report.expect(variable.token)
        if variables.add(variable) {
          settle(variable)
        } else {
          report.lose(variable.token, "more than \(CronVariables.countMax) variables")
        }
        continue
      }
      importLine(line, trimmed, parts.map(\.text), variables)
    }
    for variable in variables.variables where report.isOpen(variable.token) {
      report.keep(variable.token, as: "no job comes after it")
    }
  }

  /// Lines with their continuations: cronie's anacron joins a line that ends with a backslash with
  /// the next one, comments too.
  private func joinedLines(of source: SourceLines) -> [ArraySlice<SourceLine>] {
    let lines = source.lines.map(\.withReturn)
    return lines.split(atEnds: { context.dialect == .debian || $0.scalars.last != "\\" })
  }

  private static func line(of parts: ArraySlice<SourceLine>) -> SourceLine {
    guard let first = parts.first, parts.count > 1 else {
      return parts.first ?? SourceLine(file: "", number: 0, scalars: [])
    }
    var scalars: [Unicode.Scalar] = []
    for part in parts {
      if !scalars.isEmpty || part.number > first.number { scalars.append(" ") }
      scalars += part.scalars.last == "\\" ? part.scalars.dropLast() : part.scalars[...]
    }
    return SourceLine(
      file: first.file, number: first.number, scalars: scalars,
      isText: parts.allSatisfy(\.isText))
  }

  /// Reports the continuations of a line as parts of it.
  private func keepRest(of parts: ArraySlice<SourceLine>, isComment: Bool) {
    guard let first = parts.first else { return }
    for part in parts.dropFirst() {
      guard let trimmed = part.trimmed else { continue }
      let token = part.token(trimmed)
      report.keep(token, as: "a part of line \(first.number)")
      if isComment, part.scalars[trimmed.lowerBound] != "#" {
        report.note(
          "a part of the comment in line \(first.number), which ends with a backslash: anacron does not "
            + "run this, and there is no job for it", at: token.place)
      }
    }
  }

  /// cronie's anacron leaves out all backslashes.
  private func asRead(_ text: String) -> String {
    context.dialect == .cronie ? text.replacing("\\", by: "") : text
  }

  /// Reports a variable that anacron reads itself.
  private func settle(_ variable: CronVariables.Variable) {
    switch variable.name {
    case "START_HOURS_RANGE":
      let hours = Self.hours(variable.value)
      if hours == nil {
        report.lose(variable.token, "this is no range of hours")
      } else {
        report.differ(
          variable.token,
          "the jobs are due when it begins; a run that takt was too late for starts at any hour")
      }
    case "RANDOM_DELAY":
      report.differ(
        variable.token, "'jitter' draws a delay for each slot; anacron draws one a start")
    case "PREFERRED_HOUR":
      report.differ(
        variable.token, "the hour in which the jobs are due; anacron only prefers it")
    default: break
    }
  }

  private static func hours(_ text: String) -> (Int, Int)? {
    let parts = text.split(separator: "-").map { Int($0) }
    guard parts.count == 2, let first = parts[0], let last = parts[1], (0...24).contains(first),
      (first...24).contains(last)
    else { return nil }
    return (first % 24, last)
  }

  private func importLine(
    _ line: SourceLine, _ trimmed: Range<Int>, _ texts: [String], _ variables: CronVariables
  ) {
    var tokens: [SourceToken] = []
    var index = trimmed.lowerBound
    while tokens.count < 3, index < trimmed.upperBound {
      let word = line.word(from: index)
      tokens.append(line.token(word))
      index = line.skipBlanks(from: word.upperBound)
    }
    guard index < trimmed.upperBound, tokens.count == 3, let delay = Int(tokens[1].text),
      (0...100_000).contains(delay)
    else {
      return report.lose(
        line.token(trimmed),
        "anacron refuses this line: it needs a period, a delay, a name and a command")
    }
    let command = line.token(index..<trimmed.upperBound)
    for token in tokens + [command] { report.expect(token) }
    guard let times = times(of: tokens[0].text, hour: hour(variables), delay: delay) else {
      report.lose(tokens[0], "anacron knows no such period")
      for token in tokens.dropFirst() + [command] { report.loseRest(token) }
      return
    }
    let name = context.newName(like: asRead(tokens[2].text))
    var draft = JobDraft(
      name: name,
      comments: ["\(line.file):\(line.number)"] + texts.map { $0.replacing("\r", by: "") })
    for entry in times.entries { draft[entry.key] = entry.value }
    report.differ(
      tokens[0], "\(times.words); anacron counts days from the last run", in: name)
    report.differ(
      tokens[1],
      draft[.every] == nil
        ? "part of the time of day; a run that is made up for starts without it"
        : "an interval has no time of day: the runs start without it", in: name)
    report.keep(tokens[2], as: "the name of the job", in: name)
    settle(&draft, variables, command)
  }

  private func hour(_ variables: CronVariables) -> Int {
    if let text = variables["PREFERRED_HOUR"], let hour = Int(text), (0...24).contains(hour) {
      return hour % 24
    }
    return variables["START_HOURS_RANGE"].flatMap(Self.hours)?.0 ?? 0
  }

  /// The keys for a period, and their description for the comment.
  private func times(
    of period: String, hour: Int, delay: Int
  ) -> (entries: [(key: JobKey, value: DraftValue)], words: String)? {
    let minutes = min(hour * 60 + delay, 23 * 60 + 59)
    let time =
      "\(minutes / 60 < 10 ? "0" : "")\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60):00"
    let days: Int
    switch period {
    case "@daily": days = 1
    case "@weekly": days = 7
    case "@monthly": days = 31
    case "@yearly", "@annually": days = 365
    default:
      guard let number = Int(period), (1...3650).contains(number) else { return nil }
      days = number
    }
    let found: (date: String, words: String)? =
      switch days {
      case 1: ("*-*-*", "each day")
      case 7: ("Mon *-*-*", "each Monday")
      case 28...31: ("*-*-01", "on the first of each month")
      case 365, 366: ("*-01-01", "on the first of January")
      default: nil
      }
    let missed = (
      JobKey.missed, DraftValue.mapping(["policy": .word("last"), "within": .word("\(days)d")])
    )
    guard let calendar = found else {
      return ([(.every, .word("\(days)d")), missed], "every \(days) days")
    }
    return (
      [(.calendar, .text("\(calendar.date) \(time)")), missed],
      "\(calendar.words) at \(time)"
    )
  }

  private func settle(_ draft: inout JobDraft, _ variables: CronVariables, _ command: SourceToken) {
    let root =
      context.accounts.user(named: "root") ?? ImportAccounts.User(name: "root", home: "/root")
    if let minutes = variables["RANDOM_DELAY"].flatMap({ Int($0) }), minutes > 0, minutes < 100_000
    {
      draft[.jitter] = .word("\(minutes)m")
    }
    let first = draft
    let jobs = CronJobs(context: context, dialect: .debian)
    var common = CronVariables()
    for variable in variables.variables
    where !["START_HOURS_RANGE", "RANDOM_DELAY", "PREFERRED_HOUR"].contains(variable.name) {
      _ = common.add(variable)
    }
    let settleOne: (inout JobDraft) -> Void = { draft in
      let missed = draft[.missed]
      jobs.setManners(of: &draft)
      draft[.missed] = missed ?? draft[.missed]
      draft[.overlap] = .word("skip")
      draft[.user] = .text("root")
      jobs.setSurroundings(of: &draft, user: root, isNamed: true, variables: common)
      draft[.directory] = .text("/")
      // anacron starts one job after the other.
      draft[.concurrency] = .text(Self.group)
    }
    context.addGroup(Self.group, max: 1)
    let words = asRead(command.text)
    if words != command.text {
      report.note(
        "anacron leaves out the backslashes of this command, and so does takt", at: command.place)
    }
    if expandsFolders, let folder = ScriptFolder(command: words),
      context.tree.kind(of: folder.path) == .folder
    {
      let parts = RunParts(context: context)
      let names = parts.addJobs(
        for: parts.scripts(in: folder.path), in: folder, first: first, settle: settleOne)
      report.differ(
        command,
        names.isEmpty
          ? "the folder has no scripts now; takt does not notice later ones"
          : "a job for each script, one after the other (\(names.joined(separator: ", "))); takt does "
            + "not notice later scripts")
      return
    }
    settleOne(&draft)
    let text = CommandText.runnable(words)
    draft[.run] = .text(text)
    draft.command = command
    report.keep(command, as: "run", in: draft.name, values: [text])
    context.add(draft)
  }
}

extension Array {
  /// Splits behind each element that ends a run.
  fileprivate func split(atEnds isEnd: (Element) -> Bool) -> [ArraySlice<Element>] {
    var runs: [ArraySlice<Element>] = []
    var start = startIndex
    for index in indices where isEnd(self[index]) || index == endIndex - 1 {
      runs.append(self[start...index])
      start = index + 1
    }
    return runs
  }
}
