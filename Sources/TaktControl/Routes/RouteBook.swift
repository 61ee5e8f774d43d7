import HTTPTypes
import Hummingbird
import NIOCore
import TaktCore

/// The router, and the list of what it takes: in the order in which routes are added.
struct RouteBook {
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
  func responder(access: AccessMiddleware) -> some HTTPResponder<ControlContext> {
    router.add(middleware: ProblemMiddleware(routes: table))
    router.add(middleware: access)
    for route in routes {
      router.on(RouterPath(route.path), method: route.method, use: route.handler)
    }
    return router.buildResponder()
  }
}

/// What a request brings with it.
struct ControlContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// Whether it came by the Unix socket, whose peer is known to be takt's own user.
  let isLocal: Bool
  /// Where its connection lives.
  let eventLoop: any EventLoop

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    eventLoop = source.channel.eventLoop
    isLocal = source.channel.localAddress?.protocol == .unix
  }
}

extension ControlContext {
  /// The job that the path names.
  func job() throws -> JobName {
    let text = parameters.get("job") ?? ""
    guard let name = JobName(text) else {
      let decoded = RequestTarget.decoded(text) ?? text
      throw Problem(.notFound, "there is no job '\(decoded.prefix(128))'")
    }
    return name
  }

  /// The run that the path names.
  func run() throws -> RunID {
    let text = parameters.get("run") ?? ""
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt64(text), number > 0
    else { throw Problem(.notFound, "there is no run '\(text.prefix(40))'") }
    return RunID(number)
  }
}
