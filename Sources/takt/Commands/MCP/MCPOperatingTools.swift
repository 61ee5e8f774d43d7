import TaktAPI
import TaktTime

extension MCPTool {
  /// The tools that make changes.
  static let operating = [
    MCPTool(
      "trigger", "Run a job now",
      "Run a job now, in addition to its schedule and following its 'overlap'. Returns at once; 'logs' "
        + "with the run's number and wait_seconds shows its end.",
      .change(isDestructive: true, isIdempotent: false)
    ) { (given: MCPArguments.Trigger, context) in
      var order = API.Trigger()
      order.slot = try given.slot.map {
        try InstantArgument.read($0, of: "slot", in: context.control.zone).rfc3339()
      }
      order.parameters = given.parameters
      order.force = given.force
      return try context.result(
        "POST", "\(try context.path(of: given.job))/trigger", body: order.json, about: given.job)
    },
    MCPTool(
      "suspend", "Suspend a job",
      "Suspend a job: its slots do not run until the time is over or the job is resumed. Active runs "
        + "continue.", .change(isDestructive: true, isIdempotent: false)
    ) { (given: MCPArguments.Suspend, context) in
      var order = API.Suspend()
      order.for = given.for
      order.until = try given.until.map {
        try InstantArgument.read($0, of: "until", in: context.control.zone, preferring: .future)
          .rfc3339()
      }
      order.reason = given.reason
      return try context.result(
        "POST", "\(try context.path(of: given.job))/suspend", body: order.json, about: given.job)
    },
    MCPTool(
      "resume", "Resume a job", "Resume a suspended job.",
      .change(isDestructive: false, isIdempotent: true)
    ) { (given: MCPArguments.Job, context) in
      try context.result(
        "POST", "\(try context.path(of: given.job))/resume", body: [], about: given.job)
    },
    MCPTool(
      "cancel", "Cancel runs",
      "Stop a run, or all active and waiting runs of a job. A cancelled run is not retried.",
      .change(isDestructive: true, isIdempotent: true)
    ) { (given: MCPArguments.Cancel, context) in
      switch (given.job, given.run) {
      case (let job?, nil):
        return try context.result(
          "POST", "\(try context.path(of: job))/cancel", body: [], about: job)
      case (nil, let run?):
        return try context.result("POST", "/api/v1/runs/\(run)/cancel", body: [])
      case (nil, nil), (_?, _?): throw MCPFailure("name either a 'job' or a 'run'")
      }
    },
  ]
}

extension MCPArguments {
  struct Trigger: APIObject {
    var job = ""
    var parameters: [String: String]?
    var slot: String?
    var force: Bool?

    static let isClosed = true
    mutating func list(in fields: inout some FieldVisitor) {
      fields.add("job", &job, "The job's name", .key)
      fields.add(
        "parameters", &parameters,
        "Parameters by name: they replace those of a built-in or a plugin, and a command gets each as "
          + "TAKT_PARAM_NAME")
      fields.add(
        "slot", &slot, "The slot passed to the run, such as 2026-12-24T18:00. Default: now")
      fields.add(
        "force", &force, "Run it in parallel with other runs of the job, whatever its overlap")
    }
  }

  struct Suspend: APIObject {
    var job = ""
    var `for`: String?
    var until: String?
    var reason: String?

    static let isClosed = true
    mutating func list(in fields: inout some FieldVisitor) {
      fields.add("job", &job, "The job's name", .key)
      fields.add(
        "for", &`for`, "How long, such as 90m or 2d. Default: until it is resumed. Not with until")
      fields.add("until", &until, "The end, such as 2026-12-24T18:00 or 'tomorrow 06:00'")
      fields.add("reason", &reason, "Why, for people", .maxLength(1000))
    }
  }

  struct Cancel: APIObject {
    var job: String?
    var run: UInt64?

    static let isClosed = true
    mutating func list(in fields: inout some FieldVisitor) {
      fields.add("job", &job, "The job whose runs end. Or name a run")
      fields.add("run", &run, "The run's number. Or name a job", .min(1))
    }
  }
}
