import TaktTesting
import Testing

@testable import TaktControl
@testable import TaktCore

/// A machine `a` of the cluster `prod`, with others whose answers a test sets.
struct ControlCluster {
  static let readToken = "read-token-read-token"
  static let writeToken = "write-token-write-token"

  let world: ControlWorld
  let machines = MemoryMachines()
  let description: APIDescription

  /// - Parameters:
  ///   - others: names with their addresses, in the order in which they join; their members are
  ///     numbered from 1.
  ///   - slack: the time after which a transport that exceeds its own is given up.
  init(
    _ jobs: [JobSpec] = [], others: [(name: String, api: String?)], canRead: Bool = true,
    canWrite: Bool = true, archive: MemoryArchive = MemoryArchive(),
    slack: Duration = ClusterMachines.slack, catalogue: any ActionCatalogue = MemoryCatalogue()
  ) async throws {
    description = try APIDescription()
    let tokens = Self.tokens(canRead: canRead, canWrite: canWrite)
    world = try await ControlWorld(
      jobs, archive: archive, cluster: Self.facts("a"),
      machines: ClusterMachines(machines, tokens: tokens, slack: slack), isStarted: false,
      catalogue: catalogue)
    for other in others { join(other.name, other.api) }
    var settings = SchedulerSettings()
    settings.cluster = ClusterSettings(engine: .postgres(url: ""), name: "prod", machine: "a")
    world.scheduler.send(.started(Snapshot(settings: settings, jobs: jobs)))
    world.scheduler.pass(.seconds(1))
  }

  func join(_ name: String, _ api: String?, lease: Duration = .seconds(600)) {
    world.scheduler.others(
      ClaimBatch(number: 1, member: nil, facts: Self.facts(name, api: api, lease: lease)))
  }

  private static func facts(
    _ name: String, api: String? = nil, lease: Duration = .seconds(15)
  ) -> MemberFacts {
    MemberFacts(machine: name, host: "host-\(name)", lease: lease, grace: .seconds(30), api: api)
  }

  private static func tokens(canRead: Bool, canWrite: Bool) -> ClusterTokens {
    let folder = TemporaryFolder()
    for (name, text) in [("read", readToken), ("write", writeToken)] {
      folder.write(Array("\(text)\n".utf8), to: name, mode: 0o600)
    }
    return ClusterTokens(
      readingFile: canRead ? folder["read"] : nil,
      writingFile: canWrite ? folder["write"] : nil, onWarning: { Issue.record("\($0)") },
      onProblem: { Issue.record("\($0)") })
  }

  /// The answer of a route, which must agree with the description, except for members of a later
  /// version of takt: those are passed on.
  func ask(_ method: String, _ target: String, _ body: String? = nil) throws -> Reply {
    let reply = try world.ask(method, target, body)
    let problems = description.problems(of: reply, to: method, target)
      .filter { !$0.hasSuffix(".of_a_later_version is not described") }
    #expect(problems.isEmpty, "\(problems) \(reply.status) \(reply.text)")
    return reply
  }

  func get(_ target: String) throws -> Reply { try ask("GET", target) }
}

extension Reply {
  /// The runs of a list as `machine run`.
  var machineRuns: [String] {
    list("runs").map { "\($0["machine"] ?? "") \($0["run"] ?? "")" }
  }

  var problems: [String] { self["problems"] as? [String] ?? [] }
}
