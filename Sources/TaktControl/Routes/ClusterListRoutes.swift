import Hummingbird
import NIOCore
import TaktCore
import TaktTime

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Lists over all machines of the cluster: each is asked for its own part.
struct ClusterListRoutes {
  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    routes.get("/api/v1/cluster/runs", runs)
    routes.get("/api/v1/cluster/jobs", jobs)
  }

  @Sendable private func runs(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = try Query(request, "job", "failed", "hooks", "since", "limit", "machine")
    let wanted = try RunQuery(query)
    let (list, machines) = try await ports.clusterMachines()
    let chosen = try query.text("machine").map { [try list.machine(named: $0)] } ?? list.machines
    return try await machines.forClient {
      let call = MachineCall(target: "/api/v1/runs?\(wanted.parameters)")
      async let own = ownRuns(wanted, of: list, among: chosen)
      let answers = await machines.ask(
        chosen.filter { !$0.isThis }, of: list, call, on: context.eventLoop)
      let (ownFound, ownProblem) = await own
      return .json(
        await BusyQueue.perform {
          var gathered = Gathered(list: list)
          gathered.found = ownFound
          if chosen.contains(where: \.isThis) { gathered.add(list.this, problem: ownProblem) }
          for (machine, answer) in answers {
            let page = gathered.read(MachineRunPage.self, from: machine, answer)
            gathered.found += (page?.runs.prefix(wanted.limit) ?? []).map {
              ClusterRun(machine: machine, run: .other($0))
            }
          }
          let runs = gathered.found.sorted(by: ClusterRun.isBefore)
          var json = JSONWriter()
          json.object { json in
            json.key("runs")
            json.array(runs.prefix(wanted.limit)) { $0.value($1) }
            json.members(of: gathered.asked)
          }
          return json
        })
    }
  }

  /// This machine's part; none where it is not wanted.
  private func ownRuns(
    _ wanted: RunQuery, of list: MachineList, among chosen: [ClusterMachine]
  ) async -> (runs: [ClusterRun], problem: String?) {
    guard chosen.contains(where: \.isThis) else { return ([], nil) }
    do {
      let entries = try await RunRoutes(ports: ports).entries(wanted)
      return (entries.map { ClusterRun(machine: list.this, run: .own($0)) }, nil)
    } catch {
      let problem = error as? Problem
      let words = problem?.title ?? "internal error"
      return ([], "\(list.this.words): \(words)" + (problem?.detail.map { ": \($0)" } ?? ""))
    }
  }

  @Sendable private func jobs(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = try Query(request, "after", "limit", "match")
    let after = try query.job("after")?.text
    let limit = try query.integer("limit", 1...1000, default: 1000)
    let match = try query.text("match")
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
          var gathered = Gathered(list: list)
          var merge = ClusterJobMerge()
          gathered.add(list.this, problem: nil)
          merge.add(ownPage.jobs, after: ownPage.after, of: list.this)
          for (machine, answer) in answers {
            guard let page = gathered.read(MachineJobPage.self, from: machine, answer) else {
              continue
            }
            merge.add(page, of: machine)
          }
          var json = JSONWriter()
          json.object { json in
            merge.write(to: &json)
            json.members(of: gathered.asked)
          }
          return json
        })
    }
  }
}

/// What comes of the machines that are asked.
private struct Gathered {
  let list: MachineList
  var found: [ClusterRun] = []
  private(set) var asked: [AskedMachine] = []

  init(list: MachineList) { self.list = list }

  mutating func add(_ machine: ClusterMachine, problem: String?) {
    asked.append(AskedMachine(machine: machine, problem: problem))
  }

  /// Reads an answer; nil, and a problem, where there is none.
  mutating func read<Page: Decodable>(
    _ type: Page.Type, from machine: ClusterMachine, _ answer: Result<MachineReply, MachineProblem>
  ) -> Page? {
    switch answer {
    case .failure(let problem):
      add(machine, problem: problem.sentence)
      return nil
    case .success(let reply):
      let page = try? JSONDecoder().decode(type, from: Data(reply.body))
      add(
        machine, problem: page == nil ? "\(machine.words) sent an answer that cannot be read" : nil)
      return page
    }
  }
}

extension RunQuery {
  /// The query that asks another machine for the same runs.
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
  /// The machines of the cluster, and the way to them.
  func clusterMachines() async throws -> (list: MachineList, machines: ClusterMachines) {
    guard let machines, let view = await query({ core, now in core.clusterView(at: now) }) else {
      throw Problem(
        .notFound, "this daemon is not in a cluster",
        detail: "Its jobs file has no 'scheduler.cluster'.")
    }
    return (MachineList(view), machines)
  }
}
