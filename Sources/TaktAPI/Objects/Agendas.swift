package import TaktCore
package import TaktTime

extension API {
  package struct Agenda: APIObject {
    package var from = WallInstant.empty
    package var now = WallInstant.empty
    package var to = WallInstant.empty
    package var timezone = ""
    package var maxRunning = 0
    package var entries: [Entry] = []
    package var earlier = 0
    package var later = 0
    package var crowds: [Crowd] = []
    package var moreCrowds = 0
    package var moves: [Move] = []
    package var moreMoves = 0
    package var foreseenUntil: WallInstant?
    package var pastTruncated = false

    package static let schemaName: String? = "Agenda"
    package static let summary = "What ran and what will run, of all jobs."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("from", &from, "The start")
      fields.add("now", &now, "The current time")
      fields.add("to", &to, "The end")
      fields.add("timezone", &timezone, "The zone of the words of moves")
      fields.add("max_running", &maxRunning, "How many runs takt starts at once; others wait")
      fields.add("entries", &entries, "Slots that were and that come, in the order of time")
      fields.add("earlier", &earlier, "How many entries of the past are left out", .min(0))
      fields.add("later", &later, "How many entries to come are left out", .min(0))
      fields.add("crowds", &crowds, "Times in which several jobs are expected to run at once")
      fields.add("more_crowds", &moreCrowds, "How many such times are left out", .min(0))
      fields.add("moves", &moves, "What calendars, exclusions and clock changes do to slots")
      fields.add("more_moves", &moreMoves, "How many of these are left out", .min(0))
      fields.add(
        "foreseen_until", &foreseenUntil,
        "Up to where the slots of all jobs were looked at; absent for the whole range")
      fields.add(
        "past_truncated", &pastTruncated, "Whether the ledger has more slots of the past")
    }

    package struct Entry: APIObject {
      package var job = ""
      package var slot = WallInstant.empty
      package var slotLast: WallInstant?
      package var count = 1
      package var due = WallInstant.empty
      package var verdict: String?
      package var reason: String?
      package var run: UInt64?
      package var outcome: String?
      package var expected: Duration?
      package var atOnce: Int?
      package var movedFrom: [String]?

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("job", &job, "The job's name")
        fields.add("slot", &slot, "The nominal instant")
        fields.add("slot_last", &slotLast, "That of the last one of several; absent for one slot")
        fields.add("count", &count, "How many slots they are", .min(1))
        fields.add("due", &due, "When the first one is or was due")
        fields.add(
          "verdict", &verdict, "The verdict; absent for slots to come",
          .choices(Verdict.Kind.allCases.map(\.rawValue)))
        fields.add("reason", &reason, "The verdict's reason; absent if it has none")
        fields.add("run", &run, "The run that served it, the newest of several; absent for none")
        fields.add(
          "outcome", &outcome, "How that run ended; absent while it is active",
          .choices(Outcome.allCases.map(\.rawValue)))
        fields.add(
          "expected_ms", &expected,
          "How long a run to come is expected to take: 'expected' of the job, else the mean of its last "
            + "runs; absent where nothing is known")
        fields.add(
          "at_once", &atOnce,
          "How many jobs are expected to run when it starts, itself included; absent for the past",
          .min(0))
        fields.add("moved_from", &movedFrom, "The days from which a calendar moved it")
      }
    }

    package struct Crowd: APIObject {
      package var from = WallInstant.empty
      package var to = WallInstant.empty
      package var peak = 0
      package var peakAt = WallInstant.empty
      package var jobs: [String] = []

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("from", &from, "The start")
        fields.add("to", &to, "The end")
        fields.add("peak", &peak, "The most jobs at one instant", .min(2))
        fields.add("peak_at", &peakAt, "The first such instant")
        fields.add("jobs", &jobs, "The jobs of that instant by name, at most 20")
      }
    }

    package struct Move: APIObject {
      package var kind = ""
      package var job = ""
      package var at = WallInstant.empty
      package var words = ""

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add(
          "kind", &kind,
          "excluded: slots are left out; moved: a slot comes from another day; clock: clocks skip or "
            + "repeat a time of the job",
          .choices(TaktCore.Agenda.Move.Kind.allCases.map(\.rawValue))
        )
        fields.add("job", &job, "The job's name")
        fields.add("at", &at, "The slot, or when the clocks change")
        fields.add("words", &words, "What happens, in words")
      }
    }
  }
}

extension API.Agenda {
  package init(_ agenda: TaktCore.Agenda, maxRunning: Int) {
    self.init()
    from = agenda.range.from
    now = agenda.range.now
    to = agenda.range.to
    timezone = agenda.range.zone.name
    self.maxRunning = maxRunning
    entries = agenda.entries.map { Entry($0) }
    earlier = agenda.earlier
    later = agenda.later
    crowds = agenda.crowds.map { Crowd($0) }
    moreCrowds = agenda.moreCrowds
    moves = agenda.moves.map { Move($0) }
    moreMoves = agenda.moreMoves
    foreseenUntil = agenda.foreseenUntil
    pastTruncated = agenda.isPastTruncated
  }
}

extension API.Agenda.Entry {
  fileprivate init(_ entry: TaktCore.Agenda.Entry) {
    self.init()
    job = entry.job.text
    slot = entry.slots.first
    slotLast = entry.slots.count > 1 ? entry.slots.last : nil
    count = entry.slots.count
    due = entry.due
    verdict = entry.verdict?.name
    reason = entry.verdict?.detail
    run = entry.run?.number
    outcome = entry.outcome?.rawValue
    expected = entry.expected
    atOnce = entry.verdict == nil ? entry.atOnce : nil
    movedFrom = entry.movedFrom.isEmpty ? nil : entry.movedFrom.map { DayFilter.date($0) }
  }
}

extension API.Agenda.Crowd {
  fileprivate init(_ crowd: TaktCore.Agenda.Crowd) {
    self.init()
    from = crowd.from
    to = crowd.to
    peak = crowd.peak
    peakAt = crowd.peakAt
    jobs = crowd.jobs.map(\.text)
  }
}

extension API.Agenda.Move {
  fileprivate init(_ move: TaktCore.Agenda.Move) {
    self.init()
    kind = move.kind.rawValue
    job = move.job.text
    at = move.at
    words = move.words
  }
}
