package import TaktCore
package import TaktTime

extension API {
  package struct Job: APIObject {
    package var name = ""
    package var state = ""
    package var timer = ""
    package var qos = ""
    package var schedule = ""
    package var displayName: String?
    package var description: String?
    package var forEach: String?
    package var machines: String?
    package var drifted: Bool?
    package var tags: [String] = []
    package var next: Slot?
    package var last: Run?
    package var active: [Run] = []
    package var late: Duration?
    package var window: Duration?
    package var streak = 0
    package var ran = 0
    package var outcomes = ""
    package var durations: [Int]?
    package var lastSuccess: WallInstant?
    package var failingSince: WallInstant?
    package var stale: Bool?
    package var staleSince: WallInstant?
    package var waitsForCondition: WallInstant?
    package var afterAll: AfterAll?
    package var verdicts = ""
    package var recent: String?
    package var passed: Passed?
    package var suspension: Suspension?
    package var problems: [Problem]?

    package static let schemaName: String? = "Job"
    package static let summary = "A job and its state."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("name", &name, "The name in the jobs file", .key)
      fields.add(
        "state", &state,
        "waiting for a slot; running, queued or backing_off with a run; suspended; disabled; "
          + "limit: the job has reached its limit; idle: nothing is due, or the job only runs by hand",
        .choices(JobView.State.allCases.map(\.rawValue)))
      fields.add(
        "timer", &timer, "The state of the timer",
        .choices(["idle", "running", "suspended", "cancelled"]))
      fields.add("qos", &qos, "The QoS class")
      fields.add("schedule", &schedule, "The schedule, in the words of the jobs file")
      fields.add(
        "display_name", &displayName, "What people call the job; absent where that is its name")
      fields.add("description", &description, "The description in the jobs file")
      fields.add(
        "for_each", &forEach,
        "The definition that makes it with for_each; absent for a job of its own")
      fields.add(
        "machines", &machines,
        "In a cluster, the machines that run it: each, or labels such as site=east; absent "
          + "for one")
      fields.add(
        "drifted", &drifted,
        "Another machine of the cluster has a newer schedule, so this one claims no slot; "
          + "absent otherwise")
      fields.add("tags", &tags, "The tags")
      fields.add("next", &next, "The next slot; absent if none is known")
      fields.add("last", &last, "The last run that ended, hooks left out")
      fields.add("active", &active, "The active and waiting runs, oldest first")
      fields.add(
        "late_ms", &late, "How late the last slot started after it was due, in milliseconds")
      fields.add("window_ms", &window, "The leeway of that slot, in milliseconds")
      listHistory(in: &fields)
      fields.add(
        "waits_for_condition", &waitsForCondition,
        "The slot that waits for only_if; absent for none")
      fields.add("after_all", &afterAll, "What of after.all there is; absent for a job without it")
      fields.add(
        "verdicts", &verdicts,
        "What became of the last slots, newest last, one letter each: r s o m x for ran, "
          + "skipped, coalesced, missed, cancelled. Slots of a suspended or disabled job, excluded "
          + "slots, those beyond limit and those of another machine are left out",
        .pattern(#"^[rsomx]*$"#))
      fields.add(
        "recent", &recent,
        "The same slots with what became of their runs: as in verdicts, but f for one whose run failed, "
          + "and a for one whose run is active", .pattern(#"^[rfasomx]*$"#))
      fields.add("passed", &passed, "The newest slot that did not run, of those in verdicts.")
      fields.add("suspension", &suspension, "The suspension; absent if the job is not suspended")
      fields.add(
        "problems", &problems,
        "What is wrong with the job besides its runs, the worst first; absent for nothing")
    }

    package struct Problem: APIObject {
      package var kind = ""
      package var message = ""
      package var since: WallInstant?
      package var hook: String?
      package var run: UInt64?

      package static let kinds = ["unplaced", "alarm_failed"]

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add(
          "kind", &kind,
          "unplaced: no machine of the cluster has the labels that the job needs, so its slots run "
            + "nowhere; alarm_failed: a hook or a ping has failed and has not succeeded since",
          .choices(Self.kinds))
        fields.add("message", &message, "The problem in a sentence")
        fields.add("since", &since, "When it failed last; absent for unplaced")
        fields.add("hook", &hook, "The hook that failed, such as on_failure, or ping")
        fields.add("run", &run, "The run of the hook; absent if it did not run")
      }
    }

    private mutating func listHistory(in fields: inout some FieldVisitor) {
      fields.add("streak", &streak, "The number of failed runs in a row", .min(0))
      fields.add("ran", &ran, "The number of slots that ran since the first load", .min(0))
      fields.add(
        "outcomes", &outcomes,
        "The last outcomes, newest last, one letter each: s f t c i for succeeded, failed, "
          + "timed_out, cancelled, interrupted", .pattern(#"^[sftci]*$"#))
      fields.add(
        "durations_ms", &durations,
        "How long those runs took, in milliseconds; in a list of jobs only with "
          + "durations=true", .items("", .min(0)))
      fields.add("last_success", &lastSuccess, "When a run last succeeded; absent if none is known")
      fields.add(
        "failing_since", &failingSince,
        "When the first of the failed runs in a row ended; absent if the last run did not fail")
      fields.add(
        "stale", &stale,
        "Whether no run has succeeded within expect_success_within, or its slots pass without a run; "
          + "absent from an earlier version")
      fields.add(
        "stale_since", &staleSince,
        "Since when no run has succeeded within expect_success_within; absent if the job is "
          + "not stale, or is so only because its slots pass without a run")
    }

    package struct AfterAll: APIObject {
      package var missing: [Parent] = []
      package var ended: [End] = []

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("missing", &missing, "The jobs whose end is awaited still")
        fields.add("ended", &ended, "The ends that count since the job was due by them last")
      }

      package struct Parent: APIObject {
        package var job = ""
        package var on = ""

        package init() {}

        package mutating func list(in fields: inout some FieldVisitor) {
          fields.add("job", &job, "The name of the awaited job")
          fields.add("on", &on, "Which end is awaited: success, failure or any")
        }
      }

      package struct End: APIObject {
        package var job = ""
        package var at = WallInstant.empty

        package init() {}

        package mutating func list(in fields: inout some FieldVisitor) {
          fields.add("job", &job, "The name of the job")
          fields.add("at", &at, "When it ended")
        }
      }
    }

    package struct Passed: APIObject {
      package var slot = WallInstant.empty
      package var verdict = ""
      package var reason: String?

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("slot", &slot, "The nominal instant")
        fields.add(
          "verdict", &verdict, "The verdict", .choices(["skipped", "missed", "cancelled"]))
        fields.add("reason", &reason, "The verdict's reason, such as overlap")
      }
    }
  }

  package struct Suspension: APIObject {
    package var since = WallInstant.empty
    package var until: WallInstant?
    package var reason = ""

    package static let schemaName: String? = "Suspension"
    package static let summary = "The suspension of a job."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("since", &since, "The start of the suspension")
      fields.add("until", &until, "The end; absent if it is open-ended")
      fields.add("reason", &reason, "The given reason")
    }
  }

  package struct JobPage: APIObject {
    package var jobs = Listing<Job>.empty
    package var total = 0
    package var after: String?

    package static let schemaName: String? = "JobPage"
    package static let summary = "Jobs by name."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("jobs", &jobs, "The jobs, by name")
      fields.add("total", &total, "The number of matching jobs", .min(0))
      fields.add("after", &after, "The name to continue after, if there are more")
    }
  }

  package struct Param: APIObject {
    package var name = ""
    package var type = ""
    package var choices: [String]?
    package var min: String?
    package var max: String?
    package var maxLength: Int?
    package var pattern: String?
    package var `default`: String?
    package var description: String?

    package static let schemaName: String? = "Param"
    package static let summary = "A parameter that a job opens to triggers."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("name", &name, "The name")
      fields.add(
        "type", &type, "The type",
        .choices(["string", "integer", "number", "boolean", "duration", "size", "percent"]))
      fields.add("choices", &choices, "The only values; absent for any")
      fields.add("min", &min, "The least value, as the jobs file writes it")
      fields.add("max", &max, "The greatest value")
      fields.add("max_length", &maxLength, "The maximum number of characters", .min(1))
      fields.add(
        "pattern", &pattern, "A POSIX extended regular expression that the whole value matches")
      fields.add(
        "default", &`default`, "The value of a run that is given none, with secrets masked")
      fields.add("description", &description, "A sentence for people")
    }
  }

  package struct JobDetail: APIObject {
    package var job = Job()
    package var slots: [Slot] = []
    package var transitions: [Relayed<Event>] = []
    package var action = ""
    package var params: [Param] = []
    package var command: [Part] = []
    package var surroundings: [Part]?
    package var scheduleWords: [String] = []
    package var keys: [Key] = []

    package static let schemaName: String? = "JobDetail"
    package static let summary = "Details of one job."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.members(of: &job)
      fields.add("slots", &slots, "The next slots")
      fields.add("transitions", &transitions, "The recent transitions of the timer, oldest first")
      fields.add(
        "action", &action, "What a run does: shell, argv, steps, the name of a built-in or a plugin"
      )
      fields.add(
        "params", &params,
        "The parameters that a trigger may set. Over TCP a built-in or a plugin takes no "
          + "others; a command takes any as TAKT_PARAM_NAME")
      fields.add("command", &command, "What a run does")
      fields.add(
        "surroundings", &surroundings,
        "Hooks, environment, secrets' sources and standard input, secrets masked; only for those "
          + "who may do everything")
      fields.add(
        "schedule_words", &scheduleWords, "The schedule in words, a line for each trigger and bound"
      )
      fields.add("keys", &keys, "The job's keys, without commands, environment and secrets")
    }

    package struct Part: APIObject {
      package var path = ""
      package var text = ""
      package var direct: Bool?

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("path", &path, "The key, such as run or steps[2].with.url")
        fields.add("text", &text, "Its value, with secrets masked")
        fields.add(
          "direct", &direct, "True for a command that starts without a shell; absent otherwise")
      }
    }

    package struct Key: APIObject {
      package var key = ""
      package var text = ""
      package var `default`: Bool?

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("key", &key, "The key")
        fields.add("text", &text, "Its value")
        fields.add("default", &`default`, "True where the value is the default; absent otherwise")
      }
    }
  }
}

extension API.Param {
  package init(_ parameter: BoundedParameter) {
    let schema = parameter.schema
    name = schema.name
    type = parameter.typeName
    choices = parameter.choiceTexts
    min = parameter.minimumText
    max = parameter.maximumText
    maxLength = parameter.lengthMax
    pattern = parameter.pattern
    self.default = parameter.defaultText
    description = schema.summary.isEmpty ? nil : schema.summary
  }
}

extension API.JobDetail.Part {
  package init(path: String, text: String) { (self.path, self.text) = (path, text) }
}

extension API.Job.AfterAll {
  package init(_ ends: GatheredEnds) {
    missing = ends.missing.map { parent in
      var shown = Parent()
      shown.job = parent.job.text
      shown.on = parent.condition.rawValue
      return shown
    }
    ended = ends.ended.map { end in
      var shown = End()
      shown.job = end.job.text
      shown.at = end.at
      return shown
    }
  }
}

extension API.Job.Passed {
  package init(_ slot: WallInstant, _ verdict: Verdict) {
    self.slot = slot
    self.verdict = verdict.name
    reason = verdict.detail
  }
}
