import FoundationEssentials
import Hummingbird
import TaktAPI
import TaktCore
import TaktTime

/// Jobs that run once. Anyone who may add one can run any command as takt's user, so this is only
/// for the Unix socket.
struct OnceRoutes {
  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    routes.post(
      "/api/v1/once", needs: .socket,
      RouteAbout(
        "once", "Run a command once, at an instant; only on the Unix socket",
        .object(API.OnceJob.self, "The job", status: 201),
        .problem(403, "The request did not come on the Unix socket"),
        .problem(409, "There is already a job of this name"), .tooLarge,
        .problem(429, "Too many jobs that run once")
      ).taking(.object(API.Once.self, isRequired: true)), add)
  }

  private struct Keys: Encodable {
    var at: String
    var run: [String]
    var timeout: String?
    var cwd: String?
    var machines: String?
  }

  @Sendable private func add(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let body = try await request.decodeBody(API.Once.self)
    guard let text = body.at else {
      throw Problem(.badRequest, "'at' is missing", detail: "It takes an instant to come.")
    }
    let at = try Query.instant(text, of: "at")
    let (now, isShared) = await ports.query { core, now in
      (now.wall, core.clusterView(at: now) != nil)
    }
    guard at > now else { throw Problem(.badRequest, "'at' is not in the future") }
    guard let run = body.run, !run.isEmpty else {
      throw Problem(
        .badRequest, "'run' is missing", detail: "It takes a program and its arguments.")
    }
    if let timeout = body.timeout, (try? DurationText.parse(timeout)) == nil {
      throw Problem(
        .badRequest, "'timeout' is not a duration: '\(timeout.prefix(50))'",
        detail: "Write a number with a unit, such as 30s or 1h30m.")
    }
    let keys = Keys(
      at: at.rfc3339(), run: run, timeout: body.timeout, cwd: body.cwd,
      machines: isShared ? "each" : nil)
    let job = OnceJob(
      name: try name(body.name, at), text: try Self.text(of: keys), at: at)
    let isNamed = body.name != nil
    if isNamed, await isBusy(job.name) { throw Self.nameTaken(job.name) }
    switch await ports.add(job, isNamed: isNamed) {
    case .added(let name):
      var added = API.OnceJob()
      added.name = name.text
      added.at = at
      return await ports.answer(
        .json(added, status: .created), whenKeptOn: context.eventLoop)
    case .nameTaken: throw Self.nameTaken(job.name)
    case .tooMany(let count):
      throw Problem(.tooMany, "there are already \(count) jobs that run once")
    case .refused(let diagnostics):
      let first = diagnostics.first { $0.severity == .error } ?? diagnostics.first
      throw Problem(
        .badRequest, "the job is refused: \(first?.message ?? "it has no action")",
        detail: first?.hint.map { "\($0.prefix(1).uppercased())\($0.dropFirst())." })
    }
  }

  /// True if a job of the name still has work: also one whose slot is just due.
  private func isBusy(_ name: JobName) async -> Bool {
    await ports.query { core, now in
      core.view(of: name, at: now).map { $0.next != nil || !$0.active.isEmpty } ?? false
    }
  }

  private static func nameTaken(_ name: JobName) -> Problem {
    Problem(.conflict, "there is already a job '\(name)'")
  }

  private func name(_ given: String?, _ at: WallInstant) throws -> JobName {
    guard let given else {
      // 2026-12-24T18:00:00Z
      let digits = at.rfc3339().prefix(19).filter(\.isNumber)
      guard let name = JobName("once-\(digits.prefix(8))-\(digits.dropFirst(8))") else {
        throw Problem(.badRequest, "'at' is not an instant of this era")
      }
      return name
    }
    guard let name = JobName(given) else {
      throw Problem(.badRequest, "'\(given.prefix(50))' is not a valid job name")
    }
    return name
  }

  private static func text(of keys: Keys) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(keys), as: UTF8.self)
  }
}

extension ControlPorts {
  func add(_ job: OnceJob, isNamed: Bool) async -> OnceReply {
    await withCheckedContinuation { continuation in
      once.add(job, isNamed: isNamed) { continuation.resume(returning: $0) }
    }
  }

  /// Removes a job that runs once, before it is due; false if there is none.
  func removeOnce(_ name: JobName) async -> Bool {
    await withCheckedContinuation { continuation in
      once.remove(name) { continuation.resume(returning: $0) }
    }
  }
}
