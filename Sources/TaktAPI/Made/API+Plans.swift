package import TaktCore

extension API.Diagnostic {
  package init(_ diagnostic: Diagnostic) {
    severity = diagnostic.severity.rawValue
    code = diagnostic.code.rawValue
    file = diagnostic.location.file
    line = diagnostic.location.line
    column = diagnostic.location.column
    message = diagnostic.message
    hint = diagnostic.hint
    text = diagnostic.text
  }
}

extension API.Plan {
  /// - Parameters:
  ///   - showsValues: whether commands, environments and parameters are shown, with secrets masked.
  ///   - showsLines: whether what lines of files have made of jobs is shown: names of jobs that are
  ///     not running, and what changes.
  package init(
    _ plan: ReloadPlan, _ report: ReloadReport, showsValues: Bool = false, showsLines: Bool = true
  ) {
    let hidden = showsLines ? [] : report.listedJobs
    let added = plan.steps.filter { $0.change == .added && hidden.contains($0.spec.name) }
    let families = Dictionary(
      added.map { ($0.spec.name, $0.spec.policies.family?.text ?? "") },
      uniquingKeysWith: { first, _ in first })
    func shown(_ name: JobName) -> String { families[name].map { $0 + ".…" } ?? name.text }
    kept = plan.keptCount
    steps = plan.steps.map { step in
      Step(
        step, named: shown(step.spec.name), showsValues: showsValues,
        showsChanges: !hidden.contains(step.spec.name))
    }
    renames = plan.probableRenames.map { rename in
      var shownRename = Rename()
      shownRename.from = rename.from.text
      shownRename.to = shown(rename.to)
      return shownRename
    }
    settings = report.settings
    needsRestart = report.keysForRestart
    warnings = report.diagnostics.map { API.Diagnostic($0) }
  }
}

extension API.Plan.Step {
  fileprivate init(
    _ step: ReloadPlan.Step, named name: String, showsValues: Bool, showsChanges: Bool
  ) {
    job = name
    change = step.change.rawValue
    details = step.details.map { detail in
      var shown = Detail()
      shown.key = detail.key
      if showsChanges { (shown.from, shown.to) = (detail.from, detail.to) }
      let changes = showsValues ? step.hiddenChanges(of: detail) : []
      shown.values = changes.isEmpty ? nil : changes.map { Detail.Value($0) }
      return shown
    }
  }
}

extension API.Plan.Step.Detail.Value {
  package init(path: String, from: String?, to: String?) {
    (self.path, self.from, self.to) = (path, from, to)
  }

  fileprivate init(_ change: HiddenValue.Change) {
    self.init(path: change.path, from: change.from, to: change.to)
  }
}
