package import TaktCore
package import TaktTime

extension API {
  package struct DecidedSlot: APIObject {
    package var job = ""
    package var slot = WallInstant.empty
    package var slotLast: WallInstant?
    package var count = 1
    package var verdict = ""
    package var reason: String?
    package var run: UInt64?
    package var outcome: String?
    package var decided = WallInstant.empty

    package static let schemaName: String? = "DecidedSlot"
    package static let summary = "A slot with its verdict, or several of one job without a gap."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("job", &job, "The job's name")
      fields.add("slot", &slot, "The nominal instant")
      fields.add("slot_last", &slotLast, "That of the last one of several; absent for one slot")
      fields.add("count", &count, "How many slots they are", .min(1))
      fields.add(
        "verdict", &verdict, "The verdict", .choices(Verdict.Kind.allCases.map(\.rawValue)))
      fields.add(
        "reason", &reason, "The verdict's reason, such as overlap; absent if it has none")
      fields.add("run", &run, "The run that served it; absent for none")
      fields.add(
        "outcome", &outcome, "How that run ended; absent while it is active",
        .choices(Outcome.allCases.map(\.rawValue)))
      fields.add("decided", &decided, "When the verdict was given")
    }
  }

  package struct DecidedSlots: APIObject {
    package var slots: [DecidedSlot] = []
    package var truncated = false

    package static let schemaName: String? = "DecidedSlots"
    package static let summary = "Decided slots, newest first."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("slots", &slots, "The slots, newest first")
      fields.add("truncated", &truncated, "Whether there are more, before these")
    }
  }
}

extension API.DecidedSlot {
  package init(_ slot: TaktCore.DecidedSlot) {
    self.init()
    let record = slot.record
    job = record.job.text
    self.slot = record.slots.first
    slotLast = record.slots.count > 1 ? record.slots.last : nil
    count = record.slots.count
    verdict = record.verdict.name
    reason = record.verdict.detail
    run = record.run?.number
    outcome = slot.outcome?.rawValue
    decided = record.at
  }
}
