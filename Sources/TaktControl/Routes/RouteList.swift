import HTTPTypes
import Hummingbird
import NIOCore
import TaktCore

/// The router, and the list of what it takes: in the order in which routes are added.
struct RouteList {
  typealias Handler = @Sendable (Request, ControlContext) async throws -> Response

  let router = Router(context: ControlContext.self, options: .autoGenerateHeadEndpoints)
  private(set) var table = RouteTable()
  private var routes: [(method: HTTPRequest.Method, path: String, handler: Handler)] = []

  /// Adds a route; `{name}` stands for one part of a path.
  mutating func get(_ path: String, _ handler: @escaping Handler) {
    table.add("GET", path)
    table.add("HEAD", path)
    routes.append((.get, path, handler))
  }

  /// Adds a route that changes something.
  mutating func post(_ path: String, _ handler: @escaping Handler) {
    table.add("POST", path)
    routes.append((.post, path, handler))
  }

  /// What answers requests, those of whom `access` lets through.
  func responder(
    access: AccessMiddleware, bodies: BodyBudget, ports: ControlPorts
  ) -> some HTTPResponder<ControlContext> {
    router.add(middleware: ProblemMiddleware(routes: table))
    router.add(middleware: access)
    router.add(middleware: BodyBudgetMiddleware(budget: bodies))
    router.add(middleware: MachineIdentity(ports: ports))
    for route in routes {
      router.on(RouterPath(route.path), method: route.method, use: route.handler)
    }
    return router.buildResponder()
  }
}
