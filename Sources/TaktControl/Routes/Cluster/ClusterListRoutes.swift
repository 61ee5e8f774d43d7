import Hummingbird
import NIOCore
import TaktAPI
import TaktCore
import TaktTime

/// Lists over all machines of the cluster: each is asked for its own part.
struct ClusterListRoutes {
  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    routes.get(
      "/api/v1/cluster/runs",
      RouteAbout(
        "clusterRuns",
        "List runs of all machines of the cluster, newest first; each machine has two seconds to "
          + "answer", .object(API.ClusterRuns.self, "The runs, and which machines answered")
      ).taking(
        RunParameter.job, RunParameter.failed, RunParameter.hooks, RunParameter.since,
        RunParameter.limit, Self.machine
      ).answering(RouteAnswer.cluster), runs)
    routes.get(
      "/api/v1/cluster/jobs",
      RouteAbout(
        "clusterJobs",
        "List the shared jobs over all machines of the cluster, by name; each machine has two seconds "
          + "to answer",
        .object(API.ClusterJobs.self, "A page of jobs, and which machines answered")
      ).taking(JobList.after, Self.limit, JobList.match).answering(RouteAnswer.cluster), jobs)
  }

  private static let machine = Parameter.text(
    "machine", "Only of this machine: its name, or member:NUMBER")
  private static let limit = Parameter.integer("limit", 1...1000, default: 1000, "Maximum number")

  @Sendable private func runs(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = context.query
    let wanted = try RunQuery(query)
    let (list, machines) = try await ports.clusterMachines()
    let chosen = try query[Self.machine].map { [try list.machine(named: $0)] } ?? list.machines
    return try await machines.forClient {
      let call = MachineCall(target: "/api/v1/runs?\(wanted.parameters)")
      async let own = ownRuns(wanted, of: list, among: chosen)
      let answers = await machines.ask(
        chosen.filter { !$0.isThis }, of: list, call, on: context.eventLoop)
      let (ownFound, ownProblem) = await own
      return .json(
        await BusyQueue.perform {
          var gathered = Gathered()
          gathered.found = ownFound
          if chosen.contains(where: \.isThis) { gathered.add(list.this, problem: ownProblem) }
          for (machine, answer) in answers {
            let runs = gathered.read(answer, from: machine) { $0.runs }
            gathered.found += runs?.prefix(wanted.limit) ?? []
          }
          var page = API.ClusterRuns()
          page.runs = Array(
            gathered.found.sorted(by: API.ClusterRun.isBefore).prefix(wanted.limit))
          page.machines = gathered.asked.map { API.AskedMachine($0) }
          page.problems = gathered.asked.compactMap(\.problem)
          return page
        })
    }
  }

  /// This machine's part; empty if it is not wanted.
  private func ownRuns(
    _ wanted: RunQuery, of list: MachineList, among chosen: [ClusterMachine]
  ) async -> (runs: [API.ClusterRun], problem: String?) {
    guard chosen.contains(where: \.isThis) else { return ([], nil) }
    do {
      let entries = try await RunRoutes(ports: ports).entries(wanted)
      return (entries.map { API.ClusterRun(API.Run($0), on: list.this) }, nil)
    } catch {
      let problem = error as? Problem
      let words = problem?.title ?? "internal error"
      return ([], "\(list.this.words): \(words)" + (problem?.detail.map { ": \($0)" } ?? ""))
    }
  }

  @Sendable private func jobs(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = context.query
    let after = try query[JobList.after]?.text
    let limit = try query[Self.limit]
    let match = try query[JobList.match]
    let (list, machines) = try await ports.clusterMachines()
    return try await machines.forClient {
      let parameters =
        ["limit=\(limit)"] + (after.map { ["after=\($0)"] } ?? [])
        + (match.map { ["match=\(RequestTarget.encoded($0))"] } ?? [])
      let call = MachineCall(target: "/api/v1/jobs?\(parameters.joined(separator: "&"))")
      async let own = JobList(after: after, limit: limit, match: match, state: nil)
        .page(from: ports)
      let answers = await machines.ask(
        list.machines.filter { !$0.isThis }, of: list, call, on: context.eventLoop)
      let ownPage = await own
      return .json(
        await BusyQueue.perform {
          var gathered = Gathered()
          var merge = ClusterJobMerge()
          gathered.add(list.this, problem: nil)
          merge.add(
            ownPage.jobs.map { MachineJob($0, on: list.this) }, after: ownPage.after, of: list.this)
          for (machine, answer) in answers {
            guard let page = gathered.read(answer, from: machine, { $0.jobs }) else { continue }
            merge.add(page.jobs, after: page.after, of: machine)
          }
          var page = merge.page
          page.machines = gathered.asked.map { API.AskedMachine($0) }
          page.problems = gathered.asked.compactMap(\.problem)
          return page
        })
    }
  }
}

private struct Gathered {
  var found: [API.ClusterRun] = []
  private(set) var asked: [AskedMachine] = []

  mutating func add(_ machine: ClusterMachine, problem: String?) {
    asked.append(AskedMachine(machine: machine, problem: problem))
  }

  /// Reads an answer; nil, after noting a problem, if there is none.
  mutating func read<Page>(
    _ answer: Result<MachineReply, MachineProblem>, from machine: ClusterMachine,
    _ page: (MachineAnswer) -> Page?
  ) -> Page? {
    switch answer {
    case .failure(let problem):
      add(machine, problem: problem.sentence)
      return nil
    case .success(let reply):
      let page = MachineAnswer(Array(reply.body), of: machine).flatMap(page)
      add(
        machine, problem: page == nil ? "\(machine.words) sent an answer that cannot be read" : nil)
      return page
    }
  }
}

extension RunQuery {
  /// The query for the same runs of another machine.
  fileprivate var parameters: String {
    var parameters = ["limit=\(limit)"]
    if let job { parameters.append("job=\(job.text)") }
    if failedOnly { parameters.append("failed=true") }
    if withHooks { parameters.append("hooks=true") }
    if let since { parameters.append("since=\(RequestTarget.encoded(since.rfc3339()))") }
    return parameters.joined(separator: "&")
  }
}

extension ControlPorts {
  /// The machines of the cluster, and the connection to them.
  func clusterMachines() async throws -> (list: MachineList, machines: ClusterMachines) {
    guard let machines, let view = await query({ core, now in core.clusterView(at: now) }) else {
      throw Problem(
        .notFound, "this daemon is not in a cluster",
        detail: "Its jobs file has no 'scheduler.cluster'.")
    }
    return (MachineList(view), machines)
  }
}
