import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization
import TaktTime

/// The steps before the routes: the pace of requests without a token, rules of HTTP that the parser
/// does not enforce, and the path prefix of a proxy.
struct RequestGate<Routes: HTTPResponder<ControlContext>>: Sendable {
  let routes: Routes
  let access: AccessMiddleware
  let pace: RequestPace
  /// The path of `public_url`, as `HTTPSettings.publicPath` gives it.
  let prefix: String

  func respond(to request: Request, context: ControlContext) async throws -> Response {
    if !access.trusts(request) {
      guard let delay = pace.turn(at: Self.now) else {
        var problem = Problem(
          .tooMany, "too many requests without a token", detail: "Retry in a second.")
        problem.headers[.retryAfter] = "1"
        return problem.response
      }
      if delay > .zero { try await wait(delay, on: context.eventLoop) }
    }
    if let problem = try Self.formProblem(of: request) { return problem.response }
    guard let given = RequestTarget.normalized(request.head.path ?? "") else {
      return Problem(.badRequest, "the path is not valid percent-encoding").response
    }
    let (target, lacksSlash) = RequestTarget.removing(prefix, from: given)
    var context = context
    if lacksSlash { context.pagePath = prefix + "/" }
    if target == request.head.path {
      return try await routes.respond(to: request, context: context)
    }
    var head = request.head
    head.path = target
    return try await routes.respond(
      to: Request(head: head, body: request.body), context: context)
  }

  private static var now: MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds))
  }

  private func wait(_ delay: Duration, on loop: any EventLoop) async throws {
    let time = TimeAmount.nanoseconds(delay.nanosecondsSaturated)
    try await loop.scheduleTask(in: time) {}.futureResult.get()
  }

  /// The problem of a head whose lines are valid one by one; nil for none.
  ///
  /// - Throws: an error that ends the connection, if the length of the body is ambiguous.
  static func formProblem(of request: Request) throws -> Problem? {
    // The first is the authority: any that is left is one too many.
    if request.headers.contains(.host) {
      return Problem(.badRequest, "a request must have exactly one Host")
    }
    let codings = request.headers[values: .transferEncoding].flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }.map { $0.trimming(while: { $0 == " " || $0 == "\t" }).lowercased() }
    guard !codings.isEmpty else {
      let lengths = request.headers[values: .contentLength]
      return lengths.count > 1
        ? Problem(.badRequest, "a request must have at most one Content-Length") : nil
    }
    if request.headers.contains(.contentLength) { throw HTTPParserError.unexpectedContentLength }
    guard codings.last == "chunked" else { throw HTTPParserError.unknown }
    return codings.count == 1
      ? nil : Problem(.badRequest, "the only supported Transfer-Encoding is 'chunked'")
  }
}

extension Substring {
  /// The text without such characters at either end.
  fileprivate func trimming(while isLeftOut: (Character) -> Bool) -> Substring {
    var rest = drop(while: isLeftOut)
    while let last = rest.last, isLeftOut(last) { rest.removeLast() }
    return rest
  }
}

extension HTTPField.Name {
  // The text is a valid name, so it is not nil.
  fileprivate static let host = HTTPField.Name("Host") ?? .age
}

/// The pace of answers to requests without a token. Requests beyond it wait for their turn; those
/// that would wait too long are refused.
///
/// Safe from any thread.
final class RequestPace: Sendable {
  private let interval: Duration
  private let burst: Duration
  private let waitMax: Duration
  /// The next turn without earlier pauses; a pause gives up to `burst` back.
  private let next = Mutex(MonotonicInstant(nanoseconds: .min))

  /// - Parameters:
  ///   - perSecond: the number of turns per second.
  ///   - burst: the number of immediate turns after a pause.
  ///   - waitMax: the longest wait of a request.
  init(perSecond: Int, burst: Int, waitMax: Duration) {
    interval = .seconds(1) / perSecond
    self.burst = interval * burst
    self.waitMax = waitMax
  }

  /// The wait of a request that arrives now; nil if it is too long, and the request gets no turn.
  func turn(at now: MonotonicInstant) -> Duration? {
    next.withLock { next in
      let turn = max(next, now - burst) + interval
      guard turn - now <= waitMax else { return nil }
      next = turn
      return max(.zero, turn - now)
    }
  }
}
