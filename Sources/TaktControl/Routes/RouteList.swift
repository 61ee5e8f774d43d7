import HTTPTypes
import Hummingbird
import NIOCore

/// The router, with the list of its routes in the order of their addition.
struct RouteList {
  typealias Handler = @Sendable (Request, ControlContext) async throws -> Response

  private struct Route {
    var method: HTTPRequest.Method
    var path: String
    /// The right that a client needs.
    var needs: Access
    /// Nil for a route outside the description: the page.
    var about: RouteAbout?
    var handler: Handler
  }

  let router = Router(context: ControlContext.self, options: .autoGenerateHeadEndpoints)
  private(set) var table = RouteTable()
  private var routes: [Route] = []

  /// `{name}` matches one part of a path.
  mutating func get(
    _ path: String, needs: Access = .read, _ about: RouteAbout?, _ handler: @escaping Handler
  ) {
    table.add("GET", path)
    table.add("HEAD", path)
    routes.append(Route(method: .get, path: path, needs: needs, about: about, handler: handler))
  }

  mutating func post(
    _ path: String, needs: Access, _ about: RouteAbout, _ handler: @escaping Handler
  ) {
    table.add("POST", path)
    routes.append(Route(method: .post, path: path, needs: needs, about: about, handler: handler))
  }

  /// Adds the route that describes all of them, including itself.
  ///
  /// - Parameter prefix: their path prefix; empty for none.
  mutating func addDescription(below prefix: String) {
    let path = "/api/v1/openapi.json"
    let about = RouteAbout("openapi", "This document", .json("The description"))
    let operations =
      routes.compactMap { route in
        route.about.map {
          OpenAPI.Operation(
            method: route.method.rawValue, path: route.path, needs: route.needs, about: $0)
        }
      } + [OpenAPI.Operation(method: "GET", path: path, needs: .read, about: about)]
    let description = OpenAPI(operations, server: prefix.isEmpty ? "/" : prefix)
    get(path, about) { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: description.text)))
    }
  }

  /// The handler of all requests that `access` admits.
  func responder(
    access: AccessMiddleware, bodies: BodyBudget, ports: ControlPorts
  ) -> some HTTPResponder<ControlContext> {
    router.add(middleware: ProblemMiddleware(routes: table))
    router.add(middleware: access)
    router.add(middleware: BodyBudgetMiddleware(budget: bodies))
    router.add(middleware: MachineIdentity(ports: ports))
    for route in routes {
      let (handler, needs) = (route.handler, route.needs)
      // Requests without a login may have any query: a probe, or a link to the page.
      let parameters = needs == .none ? nil : route.about?.parameters
      let hasNoKeys = route.method == .post && route.about?.body == nil
      router.on(RouterPath(route.path), method: route.method) { request, context in
        try context.require(needs)
        var context = context
        if let parameters { context.query = try Query(request, parameters) }
        var request = request
        if hasNoKeys { try await request.requireNoKeys() }
        let response = try await handler(request, context)
        if needs > .read, let user = context.login.user {
          ports.log("user '\(user)': \(request.method) \(request.uri.path)")
        }
        return response
      }
    }
    return router.buildResponder()
  }
}
