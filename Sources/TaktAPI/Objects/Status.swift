package import TaktTime

extension API {
  package struct Status: APIObject {
    package var version = ""
    package var host = ""
    package var access = ""
    package var pid = 0
    package var started = WallInstant.empty
    package var now = WallInstant.empty
    package var file = ""
    package var stateFolder: String?
    package var tracking: String?
    package var timezone: String?
    package var phase = ""
    package var jobs = 0
    package var suspended = 0
    package var disabled = 0
    package var failing = 0
    package var stale = 0
    package var alarmFailed: Int?
    package var unplaced: Int?
    package var running = 0
    package var queued = 0
    package var maxRunning = 0
    package var slots = Slots()
    package var wakes: UInt64 = 0
    package var served: UInt64 = 0
    package var reload: Reload?
    package var changedFiles: [String]?
    package var ledger: String?
    package var ledgerFailing: Bool?
    package var events = Events()
    package var clients: Int?
    package var problems: [StatusProblem]?
    package var drain: Drain?

    package static let schemaName: String? = "Status"
    package static let summary = "The daemon's status."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("version", &version, "The version of takt")
      fields.add("host", &host, "The name of the machine")
      fields.add(
        "access", &access,
        "What this client may do: everything, operate jobs and read, or only read",
        .choices(["full", "operate", "read"]))
      fields.add("pid", &pid, "The process number", .min(1))
      fields.add("started", &started, "When the daemon started")
      fields.add("now", &now, "The daemon's current time")
      fields.add("file", &file, "The jobs file")
      fields.add("state_folder", &stateFolder, "The state folder; absent if there is none")
      fields.add(
        "tracking", &tracking, "How takt tracks the processes of a run, such as `cgroup v2`")
      fields.add("timezone", &timezone, "The time zone of the jobs file")
      fields.add(
        "phase", &phase, "What the daemon does",
        .choices(["starting", "running", "draining", "stopping", "finished"]))
      fields.add("jobs", &jobs, "The number of jobs", .min(0))
      fields.add("suspended", &suspended, "The number of suspended jobs", .min(0))
      fields.add("disabled", &disabled, "The number of disabled jobs", .min(0))
      fields.add("failing", &failing, "The number of jobs whose last run failed", .min(0))
      fields.add(
        "stale", &stale,
        "The number of jobs without a success within expect_success_within, or whose slots pass "
          + "without a run", .min(0))
      fields.add(
        "alarm_failed", &alarmFailed,
        "Jobs with a hook or a ping that has failed and has not succeeded since; absent from an earlier "
          + "version of takt", .min(0))
      fields.add(
        "unplaced", &unplaced,
        "In a cluster, jobs with labels that no machine has; absent without a cluster", .min(0))
      fields.add("running", &running, "The number of active runs", .min(0))
      fields.add("queued", &queued, "The number of waiting runs", .min(0))
      fields.add("max_running", &maxRunning, "How many runs may be active at once", .min(1))
      fields.add("slots", &slots, "Slots decided since the start, by verdict.")
      fields.add("wakes", &wakes, "The number of wake-ups", .min(0))
      fields.add("served", &served, "The number of timers that those wake-ups served", .min(0))
      fields.add("reload", &reload, "The last reload.")
      fields.add(
        "changed_files", &changedFiles,
        "The jobs files that have changed since the running jobs were read from them, so that a reload "
          + "may change something; absent for none", .items("A path"))
      fields.add("ledger", &ledger, "The state of the ledger")
      fields.add(
        "ledger_failing", &ledgerFailing,
        "Whether the ledger cannot be written, or has lost entries since the start; absent "
          + "without a ledger")
      fields.add("events", &events, "The numbers of the stored events.")
      fields.add("clients", &clients, "The number of clients that read events", .min(0))
      fields.add(
        "problems", &problems,
        "What is wrong now, the worst first; empty when all is well, absent from an earlier version of "
          + "takt")
      fields.add(
        "drain", &drain, "Since when the daemon is drained; absent while it starts runs")
    }

    package struct Slots: APIObject {
      package var ran = 0
      package var skipped = 0
      package var coalesced = 0
      package var missed = 0
      package var cancelled = 0

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("ran", &ran, "Slots that ran")
        fields.add("skipped", &skipped, "Slots that were skipped")
        fields.add("coalesced", &coalesced, "Slots that another one stood for")
        fields.add("missed", &missed, "Slots that were missed")
        fields.add("cancelled", &cancelled, "Slots whose runs were cancelled before their start")
      }
    }

    package struct Reload: APIObject {
      package var at = WallInstant.empty
      package var outcome = ""
      package var kept: Int?
      package var changed: Int?
      package var errors: [Diagnostic]?

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("at", &at, "The instant")
        fields.add(
          "outcome", &outcome, "Whether the file was taken", .choices(["applied", "refused"]))
        fields.add("kept", &kept, "The number of unchanged jobs")
        fields.add("changed", &changed, "The number of changed jobs")
        fields.add("errors", &errors, "The errors in the file; absent for none")
      }
    }

    package struct Events: APIObject {
      package var first: UInt64 = 0
      package var last: UInt64 = 0

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("first", &first, "The oldest")
        fields.add("last", &last, "The newest; 0 if there is none yet")
      }
    }
  }

  package struct Drain: APIObject {
    package var since: WallInstant?
    package var hold = false
    package var done = false

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("since", &since, "Since when no run starts; absent where runs start")
      fields.add("hold", &hold, "Whether the daemon stays when no run is active any more")
      fields.add("done", &done, "Whether no run is active any more")
    }
  }

  package struct Address: APIObject {
    package var address = ""

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("address", &address, "The address, with its token")
    }
  }
}
