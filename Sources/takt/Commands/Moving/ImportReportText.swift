import TaktCore
import TaktImport

struct ImportReportText {
  let report: ImportReport
  let jobs: [JobDraft]
  let check: ImportCheck
  let verification: ImportVerification?

  init(
    _ report: ImportReport, _ jobs: [JobDraft], _ check: ImportCheck,
    _ verification: ImportVerification?
  ) {
    self.report = report
    self.jobs = jobs
    self.check = check
    self.verification = verification
  }

  private static let tokenMax = 60

  func print() {
    for source in report.sources {
      Console.error(
        "\(source.path.printable): \(source.kind.rawValue), \(Self.count(source.jobs, "job"))")
    }
    section(
      "cannot be read", report.unreadable.map { "\($0.place): \($0.sentence)" }, in: .red)
    section("takt refuses these jobs here", check.refusals.map(\.headline), in: .red)
    // Changes come before the rest.
    let disabled = disabled.joined(separator: ", ")
    section("disabled jobs", disabled.isEmpty ? [] : [disabled], in: .yellow)
    losses(.changesRun, Self.lines, in: .red)
    section("kept differently", Self.lines(report.entries(.differently)))
    losses(.protectsLess, Self.groups, in: .yellow)
    losses(.noMeaning, Self.groups)
    section("notes", report.notes.map { "\($0.place): \($0.sentence)" })
    if let verification { section("times", verification.lines) }
    Console.error(total)
    if let remark = check.remark { Console.error("takt: \(remark)".printable) }
    let stops = report.sources.compactMap(\.stop)
    if !jobs.isEmpty, check.bugs.isEmpty, !stops.isEmpty {
      Console.error("takt: the sources still run; to stop them:")
      for stop in stops { Console.error("  \(stop.printable)") }
    }
    // The end of a long report is what people read.
    section(
      "takt: this is a bug of takt import: takt refuses the jobs file that it wrote. Please report it "
        + "with the source and these lines",
      check.bugs.map(\.headline), in: .red)
  }

  private var disabled: [String] { jobs.filter(\.isDisabled).map(\.name) }

  /// `takt: 2 jobs (1 disabled); 0 kept differently, 7 not kept (1 changes what runs)`
  private var total: String {
    let lost = report.lineCount { $0.fate == .lost }
    let worst = report.lineCount { $0.fate == .lost && $0.severity == .changesRun }
    let changed = report.lineCount { $0.fate == .differently }
    let off = disabled.isEmpty ? "" : " (\(disabled.count) disabled)"
    return "takt: \(Self.count(jobs.count, "job"))\(off); \(changed) kept differently, "
      + "\(lost) not kept"
      + (lost == 0 ? "" : " (\(worst) change\(worst == 1 ? "s" : "") what runs)")
  }

  private func losses(
    _ severity: LossSeverity, _ lines: ([ImportReport.Entry]) -> [String],
    in colour: TerminalColour = .none
  ) {
    section("not kept, \(severity.title)", lines(report.losses(severity)), in: colour)
  }

  private func section(_ title: String, _ lines: [String], in colour: TerminalColour = .none) {
    guard !lines.isEmpty else { return }
    Console.error("\(title):", in: colour)
    for line in lines { Console.error("  \(line.printable)") }
  }

  /// Neighbouring tokens of one line with the same sentence share a line.
  private static func lines(_ entries: [ImportReport.Entry]) -> [String] {
    var shared: [ImportReport.Entry] = []
    for entry in entries {
      if let last = shared.last, last.sentence == entry.sentence,
        last.token.place.file == entry.token.place.file,
        last.token.place.line == entry.token.place.line
      {
        shared[shared.count - 1].token.text += " \(entry.token.text)"
      } else {
        shared.append(entry)
      }
    }
    return shared.map { entry in
      let text = entry.token.text
      let shown = text.count > tokenMax ? "\(text.prefix(tokenMax))…" : text
      return "\(entry.token.place): \(shown): \(entry.sentence)"
    }
  }

  /// A line for each file and sentence, with the keys only.
  private static func groups(_ entries: [ImportReport.Entry]) -> [String] {
    var groups: [(head: [String], subjects: [String])] = []
    var places: [[String]: Int] = [:]
    var known: Set<[String]> = []
    for entry in entries {
      let head = [entry.token.place.file, entry.sentence]
      let subject = entry.subject ?? entry.token.text
      guard known.insert(head + [subject]).inserted else { continue }
      if let place = places[head] {
        groups[place].subjects.append(subject)
      } else {
        places[head] = groups.count
        groups.append((head, [subject]))
      }
    }
    return groups.map { group in
      "\(group.head[0]): \(group.subjects.joined(separator: ", ")): \(group.head[1])"
    }
  }

  static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}

struct ImportReportAnswer: Encodable {
  struct Source: Encodable {
    var path: String
    var kind: String
    var jobs: Int
    var stop: String?
  }

  struct Token: Encodable {
    var at: String
    var token: String
    /// The key that holds it, or a sentence.
    var reason: String
    var job: String?
    /// The effect of not keeping it.
    var severity: String?
  }

  struct Note: Encodable {
    var at: String
    var message: String
  }

  var complete: Bool
  var jobs: [String]
  /// The disabled ones among the jobs.
  var disabled: [String]
  var sources: [Source]
  var kept: [Token]
  var keptDifferently: [Token]
  var notKept: [Token]
  var notes: [Note]
  var unreadable: [Note]
  var refused: [Note]
  /// The reasons why takt refuses the file on any machine.
  var bugs: [Note]
  var verification: [ImportVerification.Answer]?

  enum CodingKeys: String, CodingKey {
    case complete, jobs, disabled, sources, kept, notes, unreadable, refused, bugs, verification
    case keptDifferently = "kept_differently"
    case notKept = "not_kept"
  }

  init(
    _ report: ImportReport, _ jobs: [JobDraft], _ check: ImportCheck,
    _ verification: ImportVerification?
  ) {
    complete = report.isComplete && check.isRight && verification?.isComplete != false
    self.jobs = jobs.map(\.name)
    disabled = jobs.filter(\.isDisabled).map(\.name)
    sources = report.sources.map {
      Source(path: $0.path, kind: $0.kind.rawValue, jobs: $0.jobs, stop: $0.stop)
    }
    func tokens(_ fate: ImportReport.Fate) -> [Token] {
      report.entries(fate).map {
        Token(
          at: "\($0.token.place)", token: $0.token.text, reason: $0.sentence, job: $0.job,
          severity: fate == .lost ? $0.severity.rawValue : nil)
      }
    }
    kept = tokens(.kept)
    keptDifferently = tokens(.differently)
    notKept = tokens(.lost)
    notes = report.notes.map { Note(at: "\($0.place)", message: $0.sentence) }
    if let remark = check.remark { notes.append(Note(at: "jobs.yaml", message: remark)) }
    unreadable = report.unreadable.map { Note(at: "\($0.place)", message: $0.sentence) }
    refused = check.refusals.map { Note(at: "\($0.location)", message: $0.message) }
    bugs = check.bugs.map { Note(at: "\($0.location)", message: $0.message) }
    self.verification = verification?.answers
  }
}
