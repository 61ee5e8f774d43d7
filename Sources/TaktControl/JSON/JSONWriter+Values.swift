package import TaktCore

/// The values of the API as its description names them.
extension JSONWriter {
  mutating func value(_ diagnostic: Diagnostic) {
    object { json in
      json.member("severity", diagnostic.severity.rawValue)
      json.member("code", diagnostic.code.rawValue)
      json.member("file", diagnostic.location.file)
      json.member("line", diagnostic.location.line)
      json.member("column", diagnostic.location.column)
      json.member("message", diagnostic.message)
      json.member("hint", diagnostic.hint)
      json.member("text", diagnostic.text)
    }
  }

  mutating func value(_ slot: Slot) {
    object { json in
      json.member("slot", slot.nominal)
      json.member("due", slot.due)
      json.member("window_ms", slot.window)
      json.key("causes")
      json.array(slot.causes.sorted()) { $0.value($1.rawValue) }
    }
  }

  mutating func value(_ forecast: SlotForecast) {
    object { json in
      json.key("slots")
      json.array(forecast.entries) { json, entry in
        json.object { json in
          json.member("slot", entry.nominal)
          json.member("due", entry.due)
          json.member("window_ms", entry.window)
          json.key("causes")
          json.array(entry.causes) { $0.value($1.rawValue) }
          json.key("excluded")
          json.value(entry.isExcluded)
          json.key("beyond_limit")
          json.value(entry.isBeyondLimit)
        }
      }
      json.key("enabled")
      json.value(forecast.isEnabled)
      json.member("limit", forecast.limit)
      json.key("limit_reached")
      json.value(forecast.isLimitReached)
      json.member("overlap", forecast.overlap.rawValue)
      json.member("next", forecast.next)
      json.member("later", forecast.later)
      json.key("schedule_words")
      json.array(forecast.scheduleWords) { $0.value($1) }
      json.key("unforeseen")
      json.value(forecast.hasUnforeseen)
    }
  }

  mutating func value(_ entry: RunEntry) {
    object { $0.members(of: entry) }
  }

  mutating func members(of entry: RunEntry) {
    entry.run.head.show { member($0, $1) }
    if let parameters = entry.run.parameters?.value { members(of: parameters) }
    member("state", entry.state.rawValue)
    entry.run.show { member($0, $1) }
    member("waits_for", entry.waitsFor)
    guard let progress = entry.progress else { return }
    key("progress")
    object { json in
      json.member("percent", progress.percent)
      json.member("message", progress.message)
    }
  }

  private mutating func members(of parameters: ShownParameters) {
    key("parameters")
    object { json in
      for (name, text) in parameters.texts.sorted(by: { $0.key < $1.key }) {
        json.member(named: name, text)
      }
    }
    if parameters.omittedCount > 0 { member("parameters_omitted", parameters.omittedCount) }
  }

  /// A parameter that a job opens to triggers.
  mutating func value(_ parameter: BoundedParameter) {
    let schema = parameter.schema
    object { json in
      json.member("name", schema.name)
      json.member("type", parameter.typeName)
      if let choices = parameter.choiceTexts {
        json.key("choices")
        json.array(choices) { $0.value($1) }
      }
      json.member("min", parameter.minimumText)
      json.member("max", parameter.maximumText)
      json.member("max_length", parameter.lengthMax)
      json.member("pattern", parameter.pattern)
      json.member("default", parameter.defaultText)
      json.member("description", schema.summary.isEmpty ? nil : schema.summary)
    }
  }

  /// - Parameter withDurations: whether the durations of the last runs are in it: many numbers, for
  ///   those who draw them.
  mutating func value(_ job: JobEntry, withDurations: Bool = true) {
    object { $0.members(of: job, withDurations: withDurations) }
  }

  mutating func members(of job: JobEntry, withDurations: Bool = true) {
    let view = job.view
    member("name", view.spec.name.text)
    member("state", view.state.rawValue)
    member("timer", view.timer.rawValue)
    member("qos", view.spec.execution.qos.rawValue)
    member("schedule", view.spec.timing.schedule.summary)
    member("description", view.spec.summary)
    member("for_each", view.spec.policies.family?.text)
    if view.spec.machines != .one { member("machines", view.spec.machines.words) }
    if view.isDrifted {
      key("drifted")
      value(true)
    }
    key("tags")
    array(view.spec.tags) { $0.value($1) }
    if let next = view.next {
      key("next")
      value(next)
    }
    if let last = job.history.last {
      key("last")
      value(RunEntry(last, state: .ended))
    }
    key("active")
    array(job.active) { $0.value($1) }
    member("late_ms", job.history.lateness)
    member("window_ms", job.history.window)
    member("streak", view.failureStreak)
    member("ran", view.ranCount)
    member("outcomes", job.history.outcomeText)
    if withDurations {
      key("durations_ms")
      array(job.history.durations) { $0.value(Int($1)) }
    }
    member("last_success", job.history.succeededAt)
    if view.failureStreak > 0 { member("failing_since", job.history.failingSince) }
    member("stale_since", view.staleSince)
    member("waits_for_condition", view.checkedSlot)
    if let ends = view.gatheredEnds {
      key("after_all")
      value(ends)
    }
    member("verdicts", job.history.verdictText)
    if let passed = job.history.passed {
      key("passed")
      object { json in
        json.member("slot", passed.slot)
        json.member("verdict", passed.verdict.name)
        json.member("reason", passed.verdict.detail)
      }
    }
    if let suspension = view.suspension {
      key("suspension")
      object { json in
        json.member("since", suspension.since)
        json.member("until", suspension.until)
        json.member("reason", suspension.reason)
      }
    }
  }

  private mutating func value(_ ends: GatheredEnds) {
    object { json in
      json.key("missing")
      json.array(ends.missing) { json, parent in
        json.object { json in
          json.member("job", parent.job.text)
          json.member("on", parent.condition.rawValue)
        }
      }
      json.key("ended")
      json.array(ends.ended) { json, end in
        json.object { json in
          json.member("job", end.job.text)
          json.member("at", end.at)
        }
      }
    }
  }

  /// - Parameters:
  ///   - showsValues: whether commands, environments and parameters are shown, with secrets masked.
  ///   - showsLines: whether what lines of files have made of jobs is shown: names of jobs that are
  ///     not running, and what changes.
  package mutating func value(
    _ plan: ReloadPlan, _ report: ReloadReport, showsValues: Bool = false, showsLines: Bool = true
  ) {
    let hidden = showsLines ? [] : report.listedJobs
    let added = plan.steps.filter { $0.change == .added && hidden.contains($0.spec.name) }
    let families = Dictionary(
      added.map { ($0.spec.name, $0.spec.policies.family?.text ?? "") },
      uniquingKeysWith: { first, _ in first })
    func shown(_ name: JobName) -> String { families[name].map { $0 + ".…" } ?? name.text }
    object { json in
      json.member("kept", plan.keptCount)
      json.key("steps")
      json.array(plan.steps) {
        $0.value(
          $1, named: shown($1.spec.name), showsValues: showsValues,
          showsChanges: !hidden.contains($1.spec.name))
      }
      json.key("renames")
      json.array(plan.probableRenames) { json, rename in
        json.object { json in
          json.member("from", rename.from.text)
          json.member("to", shown(rename.to))
        }
      }
      json.key("settings")
      json.array(report.settings) { $0.value($1) }
      json.key("needs_restart")
      json.array(report.keysForRestart) { $0.value($1) }
      json.key("warnings")
      json.array(report.diagnostics) { $0.value($1) }
    }
  }

  private mutating func value(
    _ step: ReloadPlan.Step, named name: String, showsValues: Bool, showsChanges: Bool
  ) {
    object { json in
      json.member("job", name)
      json.member("change", step.change.rawValue)
      json.key("details")
      json.array(step.details) { json, detail in
        json.object { json in
          json.member("key", detail.key)
          json.member("from", showsChanges ? detail.from : nil)
          json.member("to", showsChanges ? detail.to : nil)
          guard showsValues else { return }
          let changes = step.hiddenChanges(of: detail)
          if !changes.isEmpty { json.values(changes) }
        }
      }
    }
  }

  private mutating func values(_ changes: [HiddenValue.Change]) {
    key("values")
    array(changes) { json, change in
      json.object { json in
        json.member("path", change.path)
        json.member("from", change.from)
        json.member("to", change.to)
      }
    }
  }
}
