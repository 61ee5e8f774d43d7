import TaktCore
package import TaktTime

extension API {
  package struct Timeline: APIObject {
    package var from = WallInstant.empty
    package var to = WallInstant.empty
    package var now = WallInstant.empty
    package var jobs: [Job] = []
    package var wakes: [WallInstant] = []
    package var interruptions: [Interruption] = []
    package var total = 0
    package var truncated = false

    package static let schemaName: String? = "Timeline"
    package static let summary = "The recent past and the near future."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("from", &from, "The start")
      fields.add("to", &to, "The end")
      fields.add("now", &now, "The current time; earlier slots are in the past")
      fields.add("jobs", &jobs, "The jobs")
      fields.add("wakes", &wakes, "The wake-ups", .items("A wake-up that started slots"))
      fields.add("interruptions", &interruptions, "The times in which nothing could start")
      fields.add("total", &total, "How many jobs match", .min(0))
      fields.add(
        "truncated", &truncated,
        "Whether something is left out: jobs, future slots of a job (300), old slots and runs"
          + " of a job (5000), or wake-ups (5000)")
    }

    package struct Job: APIObject {
      package var job = ""
      package var slots: [Slot] = []
      package var slotsUntil: WallInstant?
      package var runs: [Run] = []

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("job", &job, "The job's name")
        fields.add("slots", &slots, "The slots")
        fields.add(
          "slots_until", &slotsUntil, "Up to where future slots are listed; absent if all are")
        fields.add("runs", &runs, "The runs")
      }

      package struct Slot: APIObject {
        package var slot = WallInstant.empty
        package var due = WallInstant.empty
        package var window = Duration.zero
        package var verdict: String?
        package var reason: String?
        package var run: UInt64?
        package var count: Int?

        package init() {}

        package mutating func list(in fields: inout some FieldVisitor) {
          fields.add("slot", &slot, "The nominal instant")
          fields.add("due", &due, "When it is or was due")
          fields.add("window_ms", &window, "The leeway, in milliseconds")
          fields.add("verdict", &verdict, "The verdict; absent for a future slot")
          fields.add(
            "reason", &reason, "The verdict's reason, such as overlap; absent if it has none")
          fields.add("run", &run, "The run that served it")
          fields.add(
            "count", &count,
            "How many slots this one stands for, where they are too close together", .min(2))
        }
      }

      package struct Run: APIObject {
        package var run: UInt64 = 0
        package var began = WallInstant.empty
        package var ended: WallInstant?
        package var outcome: String?
        package var count: Int?

        package init() {}

        package mutating func list(in fields: inout some FieldVisitor) {
          fields.add("run", &run, "The run's number")
          fields.add("began", &began, "The start")
          fields.add("ended", &ended, "The end; absent while the run is active")
          fields.add(
            "outcome", &outcome, "The outcome; absent while the run is active",
            .choices(Outcome.allCases.map(\.rawValue)))
          fields.add("count", &count, "How many runs this one stands for", .min(2))
        }
      }
    }

    package struct Interruption: APIObject {
      package var kind = ""
      package var from = WallInstant.empty
      package var to = WallInstant.empty

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add(
          "kind", &kind, "down: no daemon ran; stalled: the daemon or the machine stood still",
          .choices(["down", "stalled"]))
        fields.add("from", &from, "The start")
        fields.add("to", &to, "The end")
      }
    }
  }
}
