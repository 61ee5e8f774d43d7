import ArgumentParser
import TaktAPI
import TaktTime

extension MCPTool {
  /// - Parameter isOperating: true to include those that make changes.
  static func all(operating isOperating: Bool) -> [MCPTool] {
    reading + (isOperating ? operating : [])
  }

  static let reading = [
    MCPTool("status", "Status", "The daemon's status, and what is wrong now.") {
      (_: MCPArguments.None, context) in
      try context.result("GET", "/api/v1/status")
    },
    MCPTool(
      "jobs", "Jobs", "The jobs by name: state, next slot, last run, failures in a row."
    ) { (given: MCPArguments.Jobs, context) in
      try context.result(
        "GET",
        context.target(
          "/api/v1/jobs",
          [
            ("match", given.match), ("state", given.state), ("after", given.after),
            ("limit", try context.limit(given.limit)),
          ]))
    },
    MCPTool(
      "job", "Job",
      "One job: what the jobs file says, schedule in words, next slots, last run, active runs."
    ) { (given: MCPArguments.Job, context) in
      try context.result("GET", try context.path(of: given.job))
    },
    MCPTool(
      "slots", "Slots",
      "What became of scheduled slots, newest first: ran, skipped, missed or cancelled, and why."
    ) { (given: MCPArguments.Slots, context) in
      let zone = context.control.zone
      let job = try given.job.map { try MCPArguments.job($0) }
      return try context.result(
        "GET",
        context.target(
          "/api/v1/slots",
          [
            ("job", job),
            ("since", try given.since.map { try InstantArgument.since($0, in: zone).rfc3339() }),
            ("until", try given.until.map { try InstantArgument.until($0, in: zone).rfc3339() }),
            ("not_run", given.notRun.map(String.init)), ("limit", try context.limit(given.limit)),
          ]))
    },
    MCPTool("runs", "Runs", "Runs, newest first: when, how long, and how they ended.") {
      (given: MCPArguments.Runs, context) in try context.runs(given)
    },
    MCPTool(
      "logs", "Output of a run",
      "The kept output of a run, by its number or of a job's last run, with secrets masked. A long "
        + "output comes in parts."
    ) { (given: MCPArguments.Logs, context) in
      try MCPLogs(given: given, context: context).result()
    },
    MCPTool(
      "why", "Why a slot ran or did not run",
      "Why a slot ran, did not run, or was late, in words; and when a slot to come will run. Works "
        + "without a daemon."
    ) { (given: MCPArguments.Why, context) in try context.why(given) },
    MCPTool(
      "plan", "Plan",
      "What a reload of the jobs file as it is on disk would change, without applying it."
    ) { (_: MCPArguments.None, context) in
      try context.result("GET", "/api/v1/plan")
    },
  ]
}

extension MCPContext {
  /// The unchanged answer of a route of the API.
  func result(
    _ method: String, _ target: String, body: [UInt8]? = nil, about job: String? = nil
  ) throws -> MCPResult {
    try MCPResult(try control.connect().ask(method, target, body: body, about: job))
  }

  func path(of job: String) throws(MCPFailure) -> String {
    "/api/v1/jobs/\(try MCPArguments.job(job).asPathPart)"
  }

  /// A path with the given parameters of a query.
  func target(_ path: String, _ query: [(name: String, value: String?)]) -> String {
    let given = query.compactMap { name, value in value.map { "\(name)=\($0.asQueryValue)" } }
    return given.isEmpty ? path : "\(path)?\(given.joined(separator: "&"))"
  }

  func limit(_ given: Int?) throws(MCPFailure) -> String {
    String(
      try MCPArguments.number(
        "limit", given, MCPArguments.limits, default: MCPArguments.limitStandard))
  }

  fileprivate func runs(_ given: MCPArguments.Runs) throws -> MCPResult {
    let zone = control.zone
    let job = try given.job.map { try MCPArguments.job($0) }
    let target = target(
      "/api/v1/runs",
      [
        ("job", job), ("failed", given.failed.map(String.init)),
        ("hooks", given.hooks.map(String.init)),
        ("since", try given.since.map { try InstantArgument.since($0, in: zone).rfc3339() }),
        ("before", given.before.map { String($0) }), ("limit", try limit(given.limit)),
      ])
    let connection = try control.connect()
    let (page, bytes) = try connection.ask(API.RunPage.self, "GET", target)
    if page.runs.isEmpty, let job { try requireKnown(job, connection) }
    return try MCPResult(bytes)
  }

  /// Fails for a job that the daemon does not have, since an empty list would hide that.
  func requireKnown(_ job: String, _ connection: ControlArgument.Connection) throws {
    guard let lack = try connection.lack(of: job) else { return }
    throw MCPFailure("there is no job '\(job)'" + (lack.detail.map { ". \($0)" } ?? ""))
  }

  fileprivate func why(_ given: MCPArguments.Why) throws -> MCPResult {
    var words = ["--json"]
    if let at = given.at { words.append("--at=\(at)") }
    if let file = control.givenFile { words.append("--file=\(file)") }
    if let folder = control.folder { words.append("--state=\(folder)") }
    words += ["--", try MCPArguments.job(given.job)]
    let command: WhyCommand
    do {
      command = try WhyCommand.parse(words)
    } catch {
      throw MCPFailure(WhyCommand.message(for: error))
    }
    let said = ConsoleSink()
    defer { for line in said.errors { Console.error(line) } }
    try said.capture { try command.run() }
    var json = JSONWriter()
    json.object { json in
      json.key("slots")
      json.array(said.output) { $0.value(raw: Array($1.utf8)) }
    }
    return try MCPResult(json.bytes)
  }
}
