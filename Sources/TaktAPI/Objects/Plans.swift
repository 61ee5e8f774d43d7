import TaktCore
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
