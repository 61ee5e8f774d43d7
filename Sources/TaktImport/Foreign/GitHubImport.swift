import TaktCore
import TaktTime

/// Reads a workflow of GitHub Actions with `on.schedule`: each of its jobs becomes a job of takt.
///
/// A job whose steps are all commands runs them in order, in one folder and with GitHub's shell.
/// Any other is disabled, since the code of its actions is not here.
struct GitHubImport {
  let context: ImportContext

  private var report: ImportReport { context.report }

  func run(_ documents: [ForeignNode], file: String) {
    for workflow in documents {
      let leaves = ForeignLeaves(workflow, report)
      guard case .map(let jobs)? = workflow["jobs"]?.content,
        let schedule = workflow["on"]?["schedule"]
      else {
        leaves.loseRest("this workflow has no 'on.schedule'")
        continue
      }
      let title = workflow["name"]?.text
      leaves.keep("name", as: "the names of the jobs")
      var names: [String: String] = [:]
      for job in jobs {
        names[job.key] = context.newName(
          like: jobs.count == 1 ? title ?? job.key : "\(title.map { "\($0)-" } ?? "")\(job.key)")
      }
      let times = times(schedule, leaves)
      if times.isEmpty {
        leaves.loseRest("there are no times that takt reads")
        continue
      }
      for job in jobs {
        var reader = GitHubJob(
          context: context, leaves: leaves, workflow: workflow, key: job.key, job: job.value)
        reader.add(
          JobDraft(
            name: names[job.key] ?? job.key, comments: ["\(file):\(job.place.line)"]),
          at: times, after: names)
      }
      leaves.keep("on.workflow_dispatch", as: "takt trigger")
      if case .map(let triggers)? = workflow["on"]?.content {
        for trigger in triggers where !["schedule", "workflow_dispatch"].contains(trigger.key) {
          leaves.lose("on.\(trigger.key)", "takt has the schedule alone")
        }
      }
      leaves.loseRest("takt has nothing for this")
    }
  }

  /// Times in UTC, five fields each.
  private func times(_ schedule: ForeignNode, _ leaves: ForeignLeaves) -> [GoSchedule] {
    var times: [GoSchedule] = []
    for item in schedule.items {
      guard let text = item["cron"]?.text,
        let read = GoSchedule(text, allowsSeconds: false), case .cron = read.times
      else {
        leaves.lose(item, "takt does not read these times")
        continue
      }
      leaves.keep("on.schedule.cron", as: "cron")
      times.append(read)
    }
    return times
  }
}

struct GitHubJob {
  let context: ImportContext
  let leaves: ForeignLeaves
  let workflow: ForeignNode
  let key: String
  let job: ForeignNode
  /// The reason why the job is disabled; nil if it runs the same as on GitHub.
  private var reason: String?

  init(
    context: ImportContext, leaves: ForeignLeaves, workflow: ForeignNode, key: String,
    job: ForeignNode
  ) {
    self.context = context
    self.leaves = leaves
    self.workflow = workflow
    self.key = key
    self.job = job
  }

  private var path: String { "jobs.\(key)" }

  mutating func add(_ draft: JobDraft, at times: [GoSchedule], after names: [String: String]) {
    var draft = draft
    setTriggers(times, names, in: &draft)
    let steps = (job["steps"]?.items ?? []).compactMap { step($0, draft.name) }
    for key in ["container", "services", "strategy", "if", "uses"] where job[key] != nil {
      disable("'\(key)' of the job")
    }
    if steps.isEmpty { disable("no command") }
    draft[.overlap] = .word("allow")
    draft[.missed] = .mapping(["policy": .word("skip")])
    let minutes = job["timeout-minutes"]?.text.flatMap { Int($0) } ?? 360
    if (1...43_200).contains(minutes) {
      draft[.timeout] = .word(DurationText.format(.seconds(60 * minutes)))
      leaves.keep("\(path).timeout-minutes", as: "timeout", in: draft.name)
    }
    setEnvironment(in: &draft)
    if steps.isEmpty {
      draft[.run] = .list([.text("true")])
    } else {
      draft[.steps] = .list(steps)
    }
    leaves.differ("\(path).runs-on", "on this machine, in the folder 'cwd'", in: draft.name)
    leaves.keep("\(path).name", as: "the name of the job", in: draft.name)
    if let reason {
      draft[.enabled] = .word("false")
      context.report.note(
        "the job '\(key)' is disabled: takt does not have \(reason)", at: job.place)
    }
    context.add(draft)
  }

  private mutating func disable(_ reason: String) { self.reason = self.reason ?? reason }

  /// `needs` replaces the times.
  private mutating func setTriggers(
    _ times: [GoSchedule], _ names: [String: String], in draft: inout JobDraft
  ) {
    let needs = (job["needs"]?.texts ?? []).compactMap { names[$0] }
    if !needs.isEmpty {
      draft[.after] =
        needs.count == 1
        ? .mapping(["job": .text(needs[0])])
        : .mapping(["all": .list(needs.map(DraftValue.text))])
      return leaves.keep("\(path).needs", as: "after", in: draft.name)
    }
    var texts: [String] = []
    for time in times {
      guard case .cron(let text, let days, let rule) = time.times else { continue }
      texts.append(text)
      if let days { draft[.days] = .word(days.rawValue) }
      draft.times.append(.cron(text, rule: rule))
    }
    draft[.cron] = texts.count == 1 ? .text(texts[0]) : .list(texts.map(DraftValue.text))
    draft[.timezone] = .word("UTC")
  }

  /// A step that is a command; nil for any other, which disables the job.
  private mutating func step(_ step: ForeignNode, _ name: String) -> DraftValue? {
    guard let script = step["run"]?.text else {
      let action = step["uses"]?.text ?? "a step without a command"
      leaves.lose(step, "takt does not run actions; the job is disabled", in: name)
      disable("the action '\(action)'")
      return nil
    }
    for key in ["if", "working-directory"] where step[key] != nil {
      disable("'\(key)' of a step")
    }
    let shell =
      step["shell"]?.text ?? job["defaults"]?["run"]?["shell"]?.text
      ?? workflow["defaults"]?["run"]?["shell"]?.text
    var words: [String]
    switch shell {
    case nil: words = ["bash", "-e", "-c"]
    case "bash": words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
    case "sh": words = ["sh", "-e", "-c"]
    default:
      words = ["bash", "-e", "-c"]
      disable("the shell '\(shell ?? "")'")
    }
    if script.contains("${{") { disable("the values of '${{ … }}'") }
    words.append(script)
    if case .map(let entries)? = step["env"]?.content, !entries.isEmpty {
      let variables = entries.map { "\($0.key)=\($0.value.textOrEmpty ?? "")" }
      if variables.contains(where: { $0.contains("${{") }) { disable("the values of '${{ … }}'") }
      words = ["env"] + variables + words
    }
    leaves.keep("\(path).steps.run", as: "steps", in: name)
    leaves.keep("\(path).steps.env", as: "steps", in: name)
    leaves.keep("\(path).steps.shell", as: "steps", in: name)
    leaves.keep("\(path).steps.name", as: "a step has no name", in: name)
    var entries = [DraftEntry(key: "run", value: .list(words.map(DraftValue.text)))]
    if step["continue-on-error"]?.text == "true" {
      entries.append(DraftEntry(key: "continue", value: .word("ignore")))
      leaves.keep("\(path).steps.continue-on-error", as: "continue", in: name)
    }
    return .map(entries)
  }

  private mutating func setEnvironment(in draft: inout JobDraft) {
    var variables: [DraftEntry] = []
    for (source, path) in [(workflow["env"], "env"), (job["env"], "\(path).env")] {
      guard case .map(let entries)? = source?.content else { continue }
      for entry in entries {
        let value = entry.value.textOrEmpty ?? ""
        guard entry.key.isVariableName, !entry.key.hasPrefix("TAKT_"), !value.contains("${{")
        else {
          disable("the variable \(entry.key)")
          leaves.lose("\(path).\(entry.key)", "takt does not know the value", in: draft.name)
          continue
        }
        variables.removeAll { $0.key == entry.key }
        variables.append(DraftEntry(key: entry.key, value: .text(value)))
        leaves.keep("\(path).\(entry.key)", as: "env", in: draft.name)
      }
    }
    if !variables.isEmpty { draft[.environment] = .map(variables) }
  }
}
