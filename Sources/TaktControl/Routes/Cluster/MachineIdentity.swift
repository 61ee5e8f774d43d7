import Hummingbird
import TaktCore

/// Tells another machine of the cluster which one has answered, so that nobody takes the answer of
/// a machine, or of a foreign server, for another's.
struct MachineIdentity: RouterMiddleware {
  let ports: ControlPorts

  func handle(
    _ request: Request, context: ControlContext,
    next: (Request, ControlContext) async throws -> Response
  ) async throws -> Response {
    // Only machines send this header.
    guard request.headers[.taktCluster] != nil,
      let view = await ports.query({ core, now in core.clusterView(at: now) })
    else { return try await next(request, context) }
    let name = view.settings?.name ?? ""
    var response: Response
    do {
      if let wanted = request.headers[.taktMember], wanted != view.member.map({ "\($0.number)" }) {
        throw Problem(
          .conflict, "this is not member \(wanted.prefix(20)) of the cluster",
          detail: "It may have joined again. Retry in a few seconds.")
      }
      response = try await next(request, context)
    } catch let problem as Problem {
      response = problem.response
    }
    response.headers[.taktCluster] = RequestTarget.encoded(name)
    response.headers[.taktMachine] = RequestTarget.encoded(view.facts.machine)
    if let member = view.member { response.headers[.taktMember] = "\(member.number)" }
    return response
  }
}
