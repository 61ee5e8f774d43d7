import TaktCore

/// Reads a crontab as supercronic does: without users and mail, and with one environment for all
/// lines.
extension CrontabImport {
  private typealias Line = (entry: Entry, times: Times)

  private enum Times {
    case named(String)
    case fields(SupercronicFields)
  }

  func runSupercronic(_ source: SourceLines) {
    var variables = CronVariables()
    var lines: [Line] = []
    let refused = context.report.refused.count
    forEachLine(of: source) { line, trimmed, remarks in
      if let variable = CronVariables.readUntilEnd(line, in: trimmed) {
        add(variable, to: &variables)
      } else if var found = self.line(line, trimmed, remarks) {
        if source.isExported { found.entry.readName() }
        lines.append(found)
      }
    }
    for line in lines { importLine(line, variables) }
    for variable in variables.variables where context.report.isOpen(variable.token) {
      context.report.keep(variable.token, as: "there is no job")
    }
    if source.hasByteOrderMark {
      context.report.note(
        "the file starts with a byte order mark, which supercronic takes for a mistake; it is left out",
        at: SourceLocation(file: source.file, line: 1))
    }
    if let place = context.report.refused.dropFirst(refused).first {
      context.report.note(
        "because of this line, supercronic does not start: jobs of other lines do not run yet",
        at: place)
    }
  }

  private func add(_ variable: CronVariables.Variable, to variables: inout CronVariables) {
    context.report.expect(variable.token)
    if variable.value.isEmpty, variable.token.text.hasSuffix("=") {
      context.report.refuse(variable.token, "supercronic wants quotes around an empty value")
    } else if variable.name == "CRON_TZ", !context.options.isZone(variable.value) {
      context.report.refuse(variable.token, "there is no time zone '\(variable.value)'")
    } else if !variables.add(variable) {
      context.report.lose(variable.token, "more than \(CronVariables.countMax) variables")
    }
  }

  /// Reports a line that supercronic refuses.
  private func line(_ line: SourceLine, _ trimmed: Range<Int>, _ remarks: [String]) -> Line? {
    var words: [Range<Int>] = []
    var index = trimmed.lowerBound
    while words.count < 8, index < trimmed.upperBound {
      words.append(line.word(from: index))
      index = line.skipBlanks(from: words[words.count - 1].upperBound)
    }
    guard let (count, times) = times(line, words) else { return nil }
    let entry = Entry(
      line: line, times: words[..<count].map(line.token), user: nil,
      command: line.token(words[count].lowerBound..<line.scalars.count), mailsFailuresOnly: false,
      remarks: remarks)
    for token in entry.times + [entry.command] { context.report.expect(token) }
    return (entry, times)
  }

  /// The times in the first 7, 6 or 5 fields, or in one name.
  private func times(_ line: SourceLine, _ words: [Range<Int>]) -> (count: Int, times: Times)? {
    let texts = words.map(line.text)
    var refusal: CronFields.Refusal?
    for count in [7, 6, 5] where texts.count > count {
      do throws(CronFields.Refusal) {
        return (count, .fields(try SupercronicFields(Array(texts[..<count]))))
      } catch {
        refusal = error
        if !error.isByCron { break }
      }
    }
    if texts.count > 1, texts[0].hasPrefix("@") {
      if texts[0] != "@midnight", let name = CronFields.expression(named: texts[0]) {
        return (1, .named(name))
      }
      refusal = CronFields.Refusal(field: 0, sentence: "supercronic does not know '\(texts[0])'")
    }
    guard let refusal else {
      context.report.refuse(
        line.token(words[0].lowerBound..<line.scalars.count),
        "supercronic refuses this line: it needs times and a command")
      return nil
    }
    for (number, word) in words.enumerated() {
      let token = line.token(
        word.lowerBound..<(number == words.count - 1 ? line.scalars.count : word.upperBound))
      if number != refusal.field {
        context.report.loseRest(token)
      } else if refusal.isByCron {
        context.report.refuse(token, refusal.sentence)
      } else {
        context.report.lose(token, refusal.sentence)
      }
    }
    return nil
  }

  private func importLine(_ line: Line, _ variables: CronVariables) {
    let entry = line.entry
    let text = CommandText(entry.command.text, dialect: nil)
    var draft = JobDraft(
      name: context.newName(like: entry.name ?? text.suggestedName), comments: comments(of: entry))
    if let summary = entry.summary { draft[.description] = .text(summary) }
    switch line.times {
    case .named(let name):
      draft[.cron] = .text(name)
      draft.times = [.cron(name, rule: .any)]
      context.report.keep(entry.times[0], as: "cron", in: draft.name, values: [name])
    case .fields(let fields):
      draft[.cron] = .text(fields.expression)
      if let days = fields.days { draft[.days] = .word(days.rawValue) }
      if entry.times.count == 5 { draft.times = [.cron(fields.expression, rule: .any)] }
      for (token, written) in zip(entry.times, fields.written) {
        if token.text.lowercased() == written.lowercased() {
          context.report.keep(token, as: "cron", in: draft.name, values: [fields.expression])
        } else {
          context.report.differ(token, "written as '\(written)', the same times", in: draft.name)
        }
      }
    }
    draft[.overlap] = .word("skip")
    draft[.missed] = .mapping(["policy": .word("skip")])
    draft[.inheritance] = .word("true")
    setEnvironment(of: &draft, variables)
    setCommand(text, of: entry, in: &draft)
    context.add(draft)
  }

  private func setEnvironment(of draft: inout JobDraft, _ variables: CronVariables) {
    var environment: [DraftEntry] = []
    for (number, variable) in variables.variables.enumerated() {
      if variables.variables[(number + 1)...].contains(where: { $0.name == variable.name }) {
        context.report.keep(variable.token, as: "a later line counts")
        continue
      }
      guard variable.name.isVariableName, !variable.name.hasPrefix("TAKT_") else {
        context.report.lose(variable.token, "takt passes no variable of this name")
        continue
      }
      environment.append(DraftEntry(key: variable.name, value: .text(variable.value)))
      context.report.keep(
        variable.token, as: "env.\(variable.name)", in: draft.name, values: [variable.value])
      switch variable.name {
      case "CRON_TZ" where draft[.cron] != nil: draft[.timezone] = .text(variable.value)
      case "TZ":
        context.report.note(
          "for the commands alone: supercronic takes the time zone of the times from CRON_TZ, or from "
            + "its own environment", at: variable.token.place)
      case "SHELL" where variable.value.hasPrefix("/"):
        if variable.value != "/bin/sh" { draft[.shell] = .text(variable.value) }
      case "SHELL":
        context.report.lose(variable.token, "takt needs the whole path of a shell", in: draft.name)
      default: break
      }
    }
    if !environment.isEmpty { draft[.environment] = .map(environment) }
  }
}
