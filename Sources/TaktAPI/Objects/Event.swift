import TaktCore
package import TaktTime

extension API {
  package struct Event: APIObject {
    package var id: UInt64 = 0
    package var ts = WallInstant.empty
    package var level = ""
    package var event = ""
    package var job: String?
    package var run: UInt64?
    package var hook: String?
    package var to: String?
    package var reason: String?

    package static let schemaName: String? = "Event"
    package static let schemaRest = Array(#""additionalProperties":true"#.utf8)
    package static let summary =
      "One log record, with its number. The other keys are those of a line of the log: job,"
      + " slot, run, machine, from, to, cause, verdict, outcome, reason, message and more."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("id", &id, "The number, from 1", .min(1))
      fields.add("ts", &ts, "The instant")
      fields.add("level", &level, "The level", .choices(LogLevel.allCases.map(\.rawValue)))
      fields.add(
        "event", &event, "What the record is about", .choices(LogEvent.allCases.map(\.rawValue)))
      fields.add("job", &job, "The job's name; absent where it is not about one")
      fields.add("run", &run, "The run's number; absent where it is not about one")
      fields.add("hook", &hook, "The hook's name, for the run of a hook")
      fields.add("to", &to, "The new state; absent where it is no transition")
      fields.add("reason", &reason, "Why it is so; absent where nothing is to be said")
    }
  }
}
