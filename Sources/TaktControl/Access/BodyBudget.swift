import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// How many bytes of bodies are in memory, over all requests of a server: from the time at which a
/// body is received until its request is answered. A plan waits for the ones before it, with its
/// text.
///
/// Safe from any thread.
final class BodyBudget: Sendable {
  /// Four of the largest bodies.
  static let bytesMax = 4 * ControlContext.bodyBytesMax
  /// So much of each body does not count, so that no large ones keep an order out. The number of
  /// connections bounds these.
  static let freeBytes = 64 << 10

  private let bytesMax: Int
  private let used = Atomic<Int>(0)

  init(bytesMax: Int = BodyBudget.bytesMax) { self.bytesMax = bytesMax }

  /// What one request holds of it.
  final class Share: Sendable {
    private let budget: BodyBudget
    private let held = Atomic<Int>(0)

    init(of budget: BodyBudget) { self.budget = budget }

    /// Makes room for a body of so many bytes, which has no more than before; throws where there is
    /// none.
    func hold(_ bytes: Int) throws {
      let more = bytes - BodyBudget.freeBytes - held.load(ordering: .relaxed)
      guard more > 0 else { return }
      held.add(more, ordering: .relaxed)
      guard budget.used.add(more, ordering: .relaxed).newValue <= budget.bytesMax else {
        var problem = Problem(
          .unavailable, "other requests have too many bytes in memory", detail: "Retry in a second."
        )
        problem.headers[.retryAfter] = "1"
        // What was not read of the body is not waited for.
        problem.headers[.connection] = "close"
        throw problem
      }
    }

    deinit { budget.used.subtract(held.load(ordering: .relaxed), ordering: .relaxed) }
  }
}

/// Receives the body of a request within the budget.
struct BodyBudgetMiddleware: RouterMiddleware {
  let budget: BodyBudget

  func handle(
    _ request: Request, context: ControlContext,
    next: (Request, ControlContext) async throws -> Response
  ) async throws -> Response {
    let share = BodyBudget.Share(of: budget)
    defer { withExtendedLifetime(share) {} }
    if let length = request.headers[.contentLength].flatMap({ Int($0) }) {
      // At once: of many that come together some are received, and not a part of each.
      try share.hold(length)
      return try await next(request, context)
    }
    guard request.headers.contains(.transferEncoding) else {
      return try await next(request, context)
    }
    let body = RequestBody(asyncSequence: CountedBody(body: request.body, share: share))
    return try await next(Request(head: request.head, body: body), context)
  }
}

/// A body of which nobody knows the length.
private struct CountedBody: AsyncSequence, Sendable {
  let body: RequestBody
  let share: BodyBudget.Share

  struct AsyncIterator: AsyncIteratorProtocol {
    var body: RequestBody.AsyncIterator
    let share: BodyBudget.Share
    var bytes = 0

    mutating func next() async throws -> ByteBuffer? {
      guard let buffer = try await body.next() else { return nil }
      bytes += buffer.readableBytes
      try share.hold(bytes)
      return buffer
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(body: body.makeAsyncIterator(), share: share)
  }
}
