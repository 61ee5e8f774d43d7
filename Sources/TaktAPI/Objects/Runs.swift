package import TaktCore
package import TaktTime

extension API {
  package struct Run: APIObject {
    package var run: UInt64 = 0
    package var job = ""
    package var slot = WallInstant.empty
    package var kind = ""
    package var hook: String?
    package var parent: UInt64?
    package var parameters: [String: String]?
    package var parametersOmitted: Int?
    package var state = ""
    package var began: WallInstant?
    package var ended: WallInstant?
    package var duration: Duration?
    package var attempts = 0
    package var outcome: String?
    package var reason: String?
    package var cpu: Duration?
    package var cpuUser: Duration?
    package var cpuSystem: Duration?
    package var memoryPeak: Int64?
    package var readBytes: Int64?
    package var writtenBytes: Int64?
    package var switchesVoluntary: Int64?
    package var switchesInvoluntary: Int64?
    package var waitsFor: String?
    package var progress: Progress?

    package static let schemaName: String? = "Run"
    package static let summary = "A run."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("run", &run, "The run's number", .min(1).key)
      fields.add("job", &job, "The run's job")
      fields.add("slot", &slot, "The slot passed to the run")
      fields.add("kind", &kind, "What started it", .choices(RunHead.Kind.allCases.map(\.rawValue)))
      fields.add("hook", &hook, "The hook's name, for the run of a hook")
      fields.add("parent", &parent, "The run that this hook is for, or that this run continues")
      fields.add(
        "parameters", &parameters,
        "What the trigger set, with secrets masked and long values cut; absent where it set "
          + "nothing")
      fields.add(
        "parameters_omitted", &parametersOmitted,
        "The number of further parameters that are not recorded; absent for none", .min(1))
      fields.add("state", &state, "The state", .choices(RunState.Kind.allCases.map(\.rawValue)))
      fields.add("began", &began, "When the first attempt started")
      fields.add("ended", &ended, "When it ended")
      fields.add(
        "duration_ms", &duration, "The time from the first start to the end, in milliseconds")
      fields.add("attempts", &attempts, "The number of attempts", .min(0))
      fields.add("outcome", &outcome, "The outcome", .choices(Outcome.allCases.map(\.rawValue)))
      fields.add("reason", &reason, "The reason of the outcome")
      fields.add(
        "cpu_ms", &cpu,
        "The processor time of its processes, in milliseconds; absent without processes")
      fields.add("cpu_user_ms", &cpuUser, "The part of it in the programs, in milliseconds")
      fields.add("cpu_system_ms", &cpuSystem, "The part of it in the kernel, in milliseconds")
      fields.add(
        "memory_peak", &memoryPeak,
        "The peak memory of its processes, in bytes; absent where it is not known", .min(0))
      fields.add("read_bytes", &readBytes, "Bytes read from block devices", .min(0))
      fields.add("written_bytes", &writtenBytes, "Bytes written to block devices", .min(0))
      fields.add(
        "switches_voluntary", &switchesVoluntary, "How often its processes waited", .min(0))
      fields.add(
        "switches_involuntary", &switchesInvoluntary, "How often its processes were preempted",
        .min(0))
      fields.add("waits_for", &waitsFor, "What a queued run waits for, in words")
      fields.add("progress", &progress, "How far it is; absent without reports")
    }
  }

  package struct Progress: APIObject {
    package var percent: Int64 = 0
    package var message: String?

    package static let schemaName: String? = "Progress"
    package static let summary = "The last progress report of the run's plugin."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("percent", &percent, "0 to 100", .number)
      fields.add("message", &message, "What the plugin does")
    }
  }

  package struct RunPage: APIObject {
    package var runs: [Run] = []
    package var before: UInt64?

    package static let schemaName: String? = "RunPage"
    package static let summary = "Runs, newest first."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("runs", &runs, "The runs, the newest first")
      fields.add("before", &before, "The number to continue before, if there are more")
    }
  }

  package struct Cancelled: APIObject {
    package var runs: [UInt64] = []
    package var removed: Bool?

    package static let schemaName: String? = "Cancelled"
    package static let summary = "What was cancelled."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("runs", &runs, "The numbers of the runs")
      fields.add(
        "removed", &removed, "True for a job of `takt once` that was not due yet: it is removed.")
    }
  }

  package struct OutputRecord: APIObject {
    package var attempt: Int?
    package var stream: String?
    package var at: WallInstant?
    package var text: String?
    package var dropped: Int?

    package static let schemaName: String? = "OutputRecord"
    package static let summary = "A piece of the output of a run."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("attempt", &attempt, "The attempt that printed it", .min(1))
      fields.add(
        "stream", &stream,
        "Absent for what a built-in, a plugin or takt says, and where both streams are one",
        .choices(["stdout", "stderr"]))
      fields.add("at", &at, "When it came; absent for outputs of earlier versions")
      fields.add("text", &text, "A piece of output: part of a line, or several lines")
      fields.add("dropped", &dropped, "How many bytes are missing here", .min(1))
    }
  }
}

extension API.Run {
  package init(_ stored: borrowing StoredRun, state: RunState.Kind) {
    let head = stored.head
    run = head.run.number
    job = head.job.text
    slot = head.slot
    kind = head.kind.rawValue
    hook = head.hook?.rawValue
    parent = head.parent?.number
    if let set = stored.parameters?.value {
      parameters = set.texts
      parametersOmitted = set.omittedCount > 0 ? set.omittedCount : nil
    }
    self.state = state.rawValue
    began = stored.beganAt
    ended = stored.endedAt
    duration = stored.duration
    attempts = stored.attempts
    guard let end = stored.end else { return }
    outcome = end.outcome.rawValue
    reason = end.reason.description
    guard let use = stored.use else { return }
    cpu = use.cpu
    cpuUser = .microseconds(use.userMicroseconds)
    cpuSystem = .microseconds(use.systemMicroseconds)
    memoryPeak = use.memoryPeakBytes
    readBytes = use.readBytes
    writtenBytes = use.writtenBytes
    switchesVoluntary = use.voluntarySwitches
    switchesInvoluntary = use.involuntarySwitches
  }

  /// A run without a watcher: it is over, or its end was never written.
  package init(_ stored: StoredRun) { self.init(stored, state: stored.stateUnwatched) }
}

extension StoredRun {
  package var stateUnwatched: RunState.Kind {
    end != nil ? .ended : beganAt == nil ? .queued : .running
  }
}
