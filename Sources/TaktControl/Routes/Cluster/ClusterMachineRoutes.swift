import HTTPTypes
import Hummingbird
import NIOCore
import TaktAPI
import TaktCore

/// One machine of the cluster, asked through this one.
struct ClusterMachineRoutes {
  private static let outputBytesMax = 16 << 20

  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    let machine = "/api/v1/cluster/machines/{machine}"
    routes.get(
      "\(machine)/runs/{run}",
      RouteAbout(
        "getMachineRun", "A run on a machine of the cluster", .object(API.Run.self, "The run")
      ).taking(Self.wait).answering(RouteAnswer.cluster), run)
    routes.get(
      "\(machine)/runs/{run}/output",
      RouteAbout(
        "getMachineOutput",
        "The output of a run on a machine of the cluster as bytes, with secrets masked; at most 16 MB",
        .text("The output")
      ).taking(RunRoutes.attempt).answering(RouteAnswer.cluster), output)
    routes.post(
      "\(machine)/runs/{run}/cancel", needs: .operate,
      RouteAbout(
        "cancelRunOnMachine", "Cancel a run on a machine of the cluster; \(Self.needs)",
        .object(API.Cancelled.self, "The cancelled runs")
      ).answering(RouteAnswer.cluster), cancelRun)
    routes.post(
      "\(machine)/jobs/{job}/trigger", needs: .operate,
      RouteAbout(
        "triggerOnMachine", "Run a job now on a machine of the cluster; \(Self.needs)",
        .object(API.Run.self, "The run", status: 202), .tooLarge
      ).taking(.object(API.Trigger.self)).answering(RouteAnswer.cluster), trigger)
    routes.post(
      "\(machine)/jobs/{job}/cancel", needs: .operate,
      RouteAbout(
        "cancelJobOnMachine", "Cancel the runs of a job on a machine of the cluster; \(Self.needs)",
        .object(API.Cancelled.self, "The cancelled runs")
      ).answering(RouteAnswer.cluster), cancelJob)
  }

  private static let needs = "needs scheduler.cluster.api_write_token_file on both machines"
  private static let wait = Parameter.integer(
    "wait", 0...1, default: 0, "Wait this many seconds for the end")

  @Sendable private func run(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let wait = try context.query[Self.wait]
    let run = try context.run()
    return try await pass(
      MachineCall(target: "/api/v1/runs/\(run)?wait=\(wait)"), request, context
    ) { [ports] _, context in
      try await RunRoutes(ports: ports).show(run, waiting: wait, on: context.eventLoop)
    }
  }

  @Sendable private func output(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let attempt = try context.query[RunRoutes.attempt]
    let run = try context.run()
    var call = MachineCall(
      target: "/api/v1/runs/\(run)/output" + (attempt.map { "?attempt=\($0)" } ?? ""))
    call.accept = "text/plain"
    call.bytesMax = Self.outputBytesMax
    return try await pass(call, request, context) { [ports] _, _ in
      try await RunRoutes(ports: ports).output(of: run, attempt: attempt)
    }
  }

  @Sendable private func trigger(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let name = try context.job()
    return try await command(
      "/api/v1/jobs/\(name)/trigger", request, context, here: JobRoutes(ports: ports).trigger)
  }

  @Sendable private func cancelRun(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let run = try context.run()
    return try await command(
      "/api/v1/runs/\(run)/cancel", request, context, here: RunRoutes(ports: ports).cancel)
  }

  @Sendable private func cancelJob(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let name = try context.job()
    return try await command(
      "/api/v1/jobs/\(name)/cancel", request, context, here: JobRoutes(ports: ports).cancel)
  }

  /// Passes on a request that changes something on the other machine.
  private func command(
    _ target: String, _ request: Request, _ context: ControlContext, here: RouteList.Handler
  ) async throws -> Response {
    var call = MachineCall(target: target, method: "POST")
    call.timeout = ClusterMachines.commandPatience
    return try await pass(call, request, context, here: here)
  }

  /// Asks the machine in the path, and passes its answer on; this machine answers itself.
  private func pass(
    _ call: MachineCall, _ request: Request, _ context: ControlContext,
    here: RouteList.Handler
  ) async throws -> Response {
    let (list, machines) = try await ports.clusterMachines()
    let text = context.parameters.get("machine") ?? ""
    let machine = try list.machine(named: RequestTarget.decoded(text) ?? text)
    if machine.isThis { return try await here(request, context) }
    var call = call
    if call.method == "POST" {
      call.body = try await request.bytes(upTo: ControlContext.commandBytesMax)
    }
    let wanted = call
    let answer = try await machines.forClient {
      await machines.ask(machine, of: list, wanted, on: context.eventLoop)
    }
    switch answer {
    case .success(let reply): return Response(reply)
    case .failure(let failure):
      guard var problem = failure.problem else { throw Problem(.unavailable, failure.sentence) }
      problem.title = "\(machine.words): \(problem.title)"
      throw problem
    }
  }
}

extension Response {
  fileprivate init(_ reply: MachineReply) {
    self.init(
      status: HTTPResponse.Status(code: reply.status),
      headers: [
        .contentType: reply.headers["content-type"]?.hasPrefix("application/json") == true
          ? "application/json" : "text/plain; charset=utf-8"
      ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: reply.body)))
    if let dropped = reply.headers[HTTPField.Name.droppedBytes.canonicalName] {
      headers[.droppedBytes] = dropped
    }
  }
}
