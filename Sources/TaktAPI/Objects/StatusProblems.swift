package import TaktTime

extension API {
  package struct StatusProblem: APIObject {
    package var kind = ""
    package var message = ""
    package var jobs: [String] = []
    package var count: Int?
    package var since: WallInstant?
    package var last: WallInstant?
    package var command: String?

    package static let schemaName: String? = "StatusProblem"
    package static let summary = "Something that is wrong now."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add(
        "kind", &kind,
        "What is wrong: phase, ledger, cluster, failing, stale, alarm_failed, reload_refused, "
          + "file_changed, labels, work_ended, missed or full; later versions may have more")
      fields.add("message", &message, "What is wrong, in words")
      fields.add("jobs", &jobs, "The jobs, by name: the first ten; empty where it is about none")
      fields.add("count", &count, "How many jobs, or of missed how many slots", .min(1))
      fields.add("since", &since, "Since when, where it is known")
      fields.add("last", &last, "When the newest of the missed slots was decided")
      fields.add("command", &command, "The command that shows more")
    }
  }
}
