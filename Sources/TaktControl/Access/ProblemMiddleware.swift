import HTTPTypes
import Hummingbird
import NIOHTTP1

/// Formats all errors as the API's problems, and adds headers for browsers to every answer.
struct ProblemMiddleware: RouterMiddleware {
  let routes: RouteTable

  func handle(
    _ request: Request, context: ControlContext,
    next: (Request, ControlContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      if let length = request.headers[.contentLength].flatMap({ Int($0) }),
        length > ControlContext.bodyBytesMax
      {
        throw Problem(.tooLarge, "the body is larger than \(ControlContext.bodyBytesMax) bytes")
      }
      response = try await next(request, context)
    } catch {
      response = problem(of: error, request).response
      // The rest of the body is not awaited, and its end may be unknown.
      if response.status == .contentTooLarge || error is HTTPParserError {
        response.headers[.connection] = "close"
      }
    }
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.cacheControl] = response.headers[.cacheControl] ?? "no-store"
    return response
  }

  private func problem(of error: any Error, _ request: Request) -> Problem {
    if let problem = error as? Problem { return problem }
    if error is HTTPParserError {
      return Problem(
        .badRequest, "the body is malformed",
        detail: "Check its Transfer-Encoding, chunk sizes, trailers and length.")
    }
    switch (error as? HTTPError)?.status {
    case .notFound?:
      let methods = routes.methods(of: request.uri.path)
      guard !methods.isEmpty else { return Problem(.notFound, "there is no such route") }
      var problem = Problem(
        .methodNotAllowed, "this route does not support \(request.method)",
        detail: "Use \(methods.joined(separator: " or ")).")
      problem.headers[.allow] = methods.joined(separator: ", ")
      return problem
    case .contentTooLarge?:
      return Problem(.tooLarge, "the body is larger than \(ControlContext.bodyBytesMax) bytes")
    case let status? where status.code < 500:
      return Problem(.badRequest, "the request is malformed", detail: "\(error)")
    case _?, nil:
      return Problem(.internalError, "internal error", detail: "\(error)")
    }
  }
}

struct RouteTable: Sendable {
  private var routes: [(path: [Substring], method: String)] = []

  /// `{name}` matches one part of a path.
  mutating func add(_ method: String, _ path: String) {
    routes.append((path.split(separator: "/"), method))
  }

  /// The methods of a path; empty for an unknown path.
  func methods(of path: String) -> [String] {
    let parts = path.split(separator: "/")
    return routes.filter { route in
      route.path.count == parts.count
        && zip(route.path, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }.map(\.method)
  }
}
