package import TaktCore

extension API {
  package struct Diagnostic: APIObject {
    package var severity = ""
    package var code = ""
    package var file = ""
    package var line = 0
    package var column = 0
    package var message = ""
    package var hint: String?
    package var text = ""

    package static let schemaName: String? = "Diagnostic"
    package static let summary = "An error or a warning in a jobs file."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add(
        "severity", &severity, "An error refuses the file, a warning does not",
        .choices(["error", "warning"]))
      fields.add("code", &code, "The kind of error")
      fields.add("file", &file, "The file")
      fields.add("line", &line, "From 1; 0 for the file as a whole", .min(0))
      fields.add("column", &column, "From 1; 0 for the line as a whole", .min(0))
      fields.add("message", &message, "What is wrong")
      fields.add("hint", &hint, "How to fix it")
      fields.add("text", &text, "All of it as text, with the line and a caret")
    }
  }

  package struct Plan: APIObject {
    package var kept = 0
    package var steps: [Step] = []
    package var renames: [Rename] = []
    package var settings: [String] = []
    package var needsRestart: [String] = []
    package var warnings: [Diagnostic] = []

    package static let schemaName: String? = "Plan"
    package static let summary = "What a reload changes."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("kept", &kept, "The number of unchanged jobs", .min(0))
      fields.add("steps", &steps, "The jobs that change")
      fields.add("renames", &renames, "Jobs that were probably renamed; they count as new jobs")
      fields.add("settings", &settings, "Changes of the scheduler's settings, one line each")
      fields.add(
        "needs_restart", &needsRestart,
        "Those keys in settings that a reload does not apply, such as http")
      fields.add("warnings", &warnings, "The warnings about the file")
    }

    package struct Step: APIObject {
      package var job = ""
      package var change = ""
      package var details: [Detail] = []

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("job", &job, "The job's name")
        fields.add(
          "change", &change, "What happens to the job",
          .choices(ReloadPlan.Change.allCases.filter { $0 != .kept }.map(\.rawValue)))
        fields.add("details", &details, "The keys that change")
      }

      package struct Detail: APIObject {
        package var key = ""
        package var from: String?
        package var to: String?
        package var values: [Value]?

        package init() {}

        package mutating func list(in fields: inout some FieldVisitor) {
          fields.add("key", &key, "The changed key")
          fields.add("from", &from, "The previous value; absent if it is hidden or was not set")
          fields.add("to", &to, "The new value; absent if it is hidden or not set")
          fields.add(
            "values", &values,
            "The values that differ below the key, with secrets masked. Only for the file on disk")
        }

        package struct Value: APIObject {
          package var path = ""
          package var from: String?
          package var to: String?

          package init() {}

          package mutating func list(in fields: inout some FieldVisitor) {
            fields.add("path", &path, "The place of the value, such as env.PATH")
            fields.add("from", &from, "The previous value; absent if it was not set")
            fields.add("to", &to, "The new value; absent if it is not set")
          }
        }
      }
    }

    package struct Rename: APIObject {
      package var from = ""
      package var to = ""

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("from", &from, "The name so far")
        fields.add("to", &to, "The new name")
      }
    }
  }

  package struct Problem: APIObject {
    package var type = ""
    package var title = ""
    package var status = 0
    package var detail: String?
    package var code = ""
    package var diagnostics: [Diagnostic]?

    package static let schemaName: String? = "Problem"
    package static let summary = "A refused request (RFC 9457)."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("type", &type, "Always about:blank")
      fields.add("title", &title, "What is wrong", .key)
      fields.add("status", &status, "The HTTP status", .min(400).max(599))
      fields.add("detail", &detail, "Details, or what to do")
      fields.add(
        "code", &code,
        "The same names as those of diagnostics, and unauthorized, forbidden, notFound, "
          + "conflict, ambiguous, overlap, tooLarge, badRequest, stopping, unavailable", .key)
      fields.add("diagnostics", &diagnostics, "The errors in the jobs file, and the warnings")
    }
  }
}

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
  ///   - showsValues: true to show commands, environments and parameters, with secrets masked.
  ///   - showsLines: true to show the effects that lines of files had on jobs: names of jobs that
  ///     are not running, and what changes.
  package init(
    _ plan: ReloadPlan, _ report: ReloadReport, showsValues: Bool = false, showsLines: Bool = true
  ) {
    let hidden = showsLines ? [] : report.listedJobs
    let added = plan.steps.filter { $0.change == .added && hidden.contains($0.spec.name) }
    let families = Dictionary(
      added.map { ($0.spec.name, $0.spec.family?.text ?? "") },
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
