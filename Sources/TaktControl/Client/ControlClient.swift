import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Talks to a takt that runs, by its Unix socket.
///
/// For the commands: calls block. Safe from any thread.
public final class ControlClient: Sendable {
  /// An answer.
  public struct Answer: Sendable {
    /// The status of HTTP.
    public var status: Int
    /// The whole body.
    public var bytes: [UInt8]
  }

  private let group: MultiThreadedEventLoopGroup
  private let client: HTTPClient
  private let path: String

  /// A client of the socket at `path`.
  public init(socket path: String) {
    self.path = path
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.decompression = .disabled
    configuration.timeout.connect = .seconds(5)
    client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
  }

  deinit {
    // Nothing is in progress: each call has waited for its end.
    try? client.syncShutdown()
    try? group.syncShutdownGracefully()
  }

  /// Asks, and waits for the whole answer.
  ///
  /// - Parameter target: The path and the query.
  public func ask(
    _ method: String, _ target: String, body: [UInt8]? = nil, accept: String = "application/json"
  ) throws(ControlTrouble) -> Answer {
    let collector = Collector(nil)
    let status = try run(method, target, body, accept, collector)
    return Answer(status: status, bytes: collector.bytes)
  }

  /// Asks, and hands on what comes until the stream ends. The body of a refusal is collected
  /// instead.
  public func follow(
    _ target: String, accept: String, _ take: @escaping @Sendable ([UInt8]) -> Void
  ) throws(ControlTrouble) -> Answer {
    let collector = Collector(take)
    let status = try run("GET", target, nil, accept, collector)
    return Answer(status: status, bytes: collector.bytes)
  }

  private func run(
    _ method: String, _ target: String, _ body: [UInt8]?, _ accept: String,
    _ collector: Collector
  ) throws(ControlTrouble) -> Int {
    do {
      guard let base = URL(httpURLWithSocketPath: path, uri: target) else {
        throw ControlTrouble("\(path) cannot be the path of a socket")
      }
      let request = try HTTPClient.Request(
        url: base, method: HTTPMethod(rawValue: method), headers: ["Accept": accept],
        body: body.map { .bytes($0) })
      return try client.execute(request: request, delegate: collector).wait()
    } catch let trouble as ControlTrouble {
      throw trouble
    } catch {
      throw ControlTrouble("\(error)")
    }
  }
}

/// Takes an answer as it comes. Used on the client's event loop, and read when that is done.
///
/// `@unchecked Sendable`: `bytes` and `status` are written on the event loop that the request runs
/// on, and read after its future is fulfilled, which orders the two.
private final class Collector: HTTPClientResponseDelegate, @unchecked Sendable {
  private(set) var bytes: [UInt8] = []
  private var status = 0
  /// Gets what comes in place of `bytes`; nil for nobody.
  private let take: (@Sendable ([UInt8]) -> Void)?

  init(_ take: (@Sendable ([UInt8]) -> Void)?) { self.take = take }

  func didReceiveHead(
    task: HTTPClient.Task<Int>, _ head: HTTPResponseHead
  ) -> EventLoopFuture<Void> {
    status = Int(head.status.code)
    return task.eventLoop.makeSucceededVoidFuture()
  }

  func didReceiveBodyPart(
    task: HTTPClient.Task<Int>, _ buffer: ByteBuffer
  ) -> EventLoopFuture<Void> {
    let part = Array(buffer: buffer)
    if let take, status < 300 { take(part) } else { bytes += part }
    return task.eventLoop.makeSucceededVoidFuture()
  }

  func didFinishRequest(task: HTTPClient.Task<Int>) throws -> Int { status }
}
