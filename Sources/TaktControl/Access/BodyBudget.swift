import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// A bound on the bytes of bodies in memory, over all requests of a server: from the start of
/// receiving a body until its request is answered. A plan keeps its text while it waits for earlier
/// ones.
///
/// Safe from any thread.
final class BodyBudget: Sendable {
  /// Four of the largest bodies.
  static let bytesMax = 4 * ControlContext.bodyBytesMax
  /// The part of each body that does not count, so that large bodies cannot block commands. The
  /// number of connections bounds these parts.
  static let freeBytes = 64 << 10

  private let bytesMax: Int
  private let used = Atomic<Int>(0)

  init(bytesMax: Int = BodyBudget.bytesMax) { self.bytesMax = bytesMax }

  /// The bytes that one request holds.
  final class Share: Sendable {
    private let budget: BodyBudget
    private let held = Atomic<Int>(0)

    init(of budget: BodyBudget) { self.budget = budget }

    /// Makes room for a body of this total size; throws if there is none.
    func hold(_ bytes: Int) throws {
      let more = bytes - BodyBudget.freeBytes - held.load(ordering: .relaxed)
      guard more > 0 else { return }
      held.add(more, ordering: .relaxed)
      guard budget.used.add(more, ordering: .relaxed).newValue <= budget.bytesMax else {
        var problem = Problem(
          .unavailable, "other requests have too many bytes in memory", detail: "Retry in a second."
        )
        problem.headers[.retryAfter] = "1"
        // The rest of the body is not awaited.
        problem.headers[.connection] = "close"
        throw problem
      }
    }

    deinit { budget.used.subtract(held.load(ordering: .relaxed), ordering: .relaxed) }
  }
}

struct BodyBudgetMiddleware: RouterMiddleware {
  let budget: BodyBudget

  func handle(
    _ request: Request, context: ControlContext,
    next: (Request, ControlContext) async throws -> Response
  ) async throws -> Response {
    let share = BodyBudget.Share(of: budget)
    defer { withExtendedLifetime(share) {} }
    if let length = request.headers[.contentLength].flatMap({ Int($0) }) {
      // At once: of many concurrent bodies some are received whole, rather than a part of each.
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

/// A body of unknown length.
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
