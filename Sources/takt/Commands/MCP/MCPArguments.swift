import TaktAPI
import TaktCore

/// The arguments of tools, each described, checked and read from one list of fields.
enum MCPArguments {
  static func read<Arguments: APIObject>(from text: [UInt8]) throws(MCPFailure) -> Arguments {
    let names = Arguments.keys
    let given = JSONPiece(checking: text)?.members.map(\.key) ?? []
    if let name = given.first(where: { !names.contains($0) }) {
      let advice =
        NearestName.of(name, among: names).map { "did you mean '\($0)'?" }
        ?? (names.isEmpty
          ? "the tool takes none" : "the tool takes \(names.joined(separator: ", "))")
      throw MCPFailure("unknown argument '\(name.prefix(50))'; \(advice)")
    }
    do {
      return try APIReader.read(Arguments.self, from: text)
    } catch DecodingError.keyNotFound(let key, _) {
      throw MCPFailure("the argument '\(key.stringValue)' is missing")
    } catch let DecodingError.typeMismatch(_, context), let DecodingError.dataCorrupted(context) {
      let name = context.codingPath.first.map { "'\($0.stringValue)'" } ?? "an argument"
      throw MCPFailure("\(name) has the wrong type; the tool's schema says which it takes")
    } catch {
      throw MCPFailure("the arguments cannot be read")
    }
  }

  /// Checks a job's name for a path of the API.
  static func job(_ name: String) throws(MCPFailure) -> String {
    guard JobName(name) != nil else {
      throw MCPFailure("'\(name.prefix(130))' is no name of a job; 'jobs' lists the names")
    }
    return name
  }

  static func number(
    _ name: String, _ value: Int?, _ range: ClosedRange<Int>, default standard: Int
  ) throws(MCPFailure) -> Int {
    let value = value ?? standard
    guard range.contains(value) else {
      throw MCPFailure(
        "'\(name)' takes a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  static let limits = 1...1000
  static let limitStandard = 50

  fileprivate static let sinceWords =
    "A duration before now such as 90m or 1d, an instant such as 2026-12-24T18:00:00Z, or yesterday"

  struct None: APIObject {
    static let isClosed = true
    mutating func list(in fields: inout some FieldVisitor) {}
  }

  struct Job: APIObject {
    var job = ""

    static let isClosed = true
    mutating func list(in fields: inout some FieldVisitor) {
      fields.add("job", &job, "The job's name", .key)
    }
  }

  struct Jobs: APIObject {
    var match: String?
    var state: String?
    var after: String?
    var limit: Int?

    static let isClosed = true
    mutating func list(in fields: inout some FieldVisitor) {
      fields.add("match", &match, "Only jobs with this text in the name, or with this tag")
      fields.add("state", &state, "Only jobs in this state", .choices(StatusCommand.states))
      fields.add("after", &after, "Only jobs whose names come after this one, for the next page")
      fields.add("limit", &limit, "Maximum number. Default 50", .min(1).max(1000))
    }
  }

  struct Slots: APIObject {
    var job: String?
    var since: String?
    var until: String?
    var notRun: Bool?
    var limit: Int?

    static let isClosed = true
    mutating func list(in fields: inout some FieldVisitor) {
      fields.add("job", &job, "The job's name. Default: all jobs")
      fields.add("since", &since, "Only slots since then. \(sinceWords)")
      fields.add("until", &until, "Only slots before then, in the same forms")
      fields.add("not_run", &notRun, "Only slots that did not run although they were to run here")
      fields.add("limit", &limit, "Maximum number. Default 50", .min(1).max(1000))
    }
  }

  struct Runs: APIObject {
    var job: String?
    var failed: Bool?
    var hooks: Bool?
    var since: String?
    var before: Int?
    var limit: Int?

    static let isClosed = true
    mutating func list(in fields: inout some FieldVisitor) {
      fields.add("job", &job, "The job's name. Default: all jobs")
      fields.add("failed", &failed, "Only runs that failed, timed out or were interrupted")
      fields.add("hooks", &hooks, "Include hooks")
      fields.add("since", &since, "Only runs that started or ended since then. \(sinceWords)")
      fields.add(
        "before", &before, "Only runs with smaller numbers, for the next page", .min(1))
      fields.add("limit", &limit, "Maximum number. Default 50", .min(1).max(1000))
    }
  }

  struct Logs: APIObject {
    var job: String?
    var run: UInt64?
    var failed: Bool?
    var attempt: Int?
    var offset: Int?
    var bytesMax: Int?
    var waitSeconds: Int?

    static let isClosed = true
    mutating func list(in fields: inout some FieldVisitor) {
      fields.add("job", &job, "The job whose last run that ended is meant. Or name a run")
      fields.add("run", &run, "The run's number. Or name a job", .min(1))
      fields.add(
        "failed", &failed, "The job's last run that failed, timed out or was interrupted")
      fields.add(
        "attempt", &attempt, "Only this attempt, which must have ended. Default: all", .min(1))
      fields.add(
        "offset", &offset, "The first byte of the output to show. Default: the end of the output",
        .min(0))
      fields.add(
        "max_bytes", &bytesMax, "Maximum number of bytes. Default \(MCPLogs.bytesStandard)",
        .min(Int64(MCPLogs.bytesRange.lowerBound)).max(Int64(MCPLogs.bytesRange.upperBound)))
      fields.add(
        "wait_seconds", &waitSeconds, "How long to wait for the run to end. Default 0",
        .min(0).max(Int64(MCPLogs.waitSecondsMax)))
    }
  }

  struct Why: APIObject {
    var job = ""
    var at: String?

    static let isClosed = true
    mutating func list(in fields: inout some FieldVisitor) {
      fields.add("job", &job, "The job's name", .key)
      fields.add(
        "at", &at,
        "The instant of the slot, such as 2026-12-24T18:00 or 'monday 02:30', in takt's time zone; "
          + "or a day, such as yesterday or 'last night'. Default: the last slot that was decided")
    }
  }
}
