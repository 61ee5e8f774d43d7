import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// What a server has answered.
struct HTTPAnswer: Sendable {
  var status: Int
  var headers: HTTPHeaders
  /// The beginning of the body.
  var body: [UInt8]
  /// How long the body was, as far as it was read.
  var bodyBytes: Int
}

/// Takes an answer in: keeps the beginning of the body, reads on for a while, and then lets go.
///
/// Safe from any thread.
final class HTTPAnswerReader: HTTPClientResponseDelegate {
  /// What is read and not kept, beyond which the connection is not worth it.
  static let discardedBytesMax = 16 * 1024 * 1024

  /// The rest of the body is not wanted.
  struct Enough: Error {}

  private let keptBytesMax: Int
  private let received = Mutex<HTTPAnswer?>(nil)

  init(keptBytesMax: Int) { self.keptBytesMax = keptBytesMax }

  /// What has come so far; nil before the head of the answer.
  var answer: HTTPAnswer? { received.withLock(\.self) }

  func didReceiveHead(
    task: HTTPClient.Task<Void>, _ head: HTTPResponseHead
  ) -> EventLoopFuture<Void> {
    received.withLock {
      $0 = HTTPAnswer(
        status: Int(head.status.code), headers: head.headers, body: [], bodyBytes: 0)
    }
    return task.eventLoop.makeSucceededVoidFuture()
  }

  func didReceiveBodyPart(
    task: HTTPClient.Task<Void>, _ buffer: ByteBuffer
  ) -> EventLoopFuture<Void> {
    let isEnough = received.withLock { received -> Bool in
      guard var answer = received else { return false }
      // No second owner while the bytes are appended.
      received = nil
      answer.bodyBytes += buffer.readableBytes
      let room = keptBytesMax - answer.body.count
      answer.body.append(contentsOf: buffer.readableBytesView.prefix(max(0, room)))
      received = answer
      return answer.bodyBytes > keptBytesMax + Self.discardedBytesMax
    }
    return isEnough
      ? task.eventLoop.makeFailedFuture(Enough()) : task.eventLoop.makeSucceededVoidFuture()
  }

  func didFinishRequest(task: HTTPClient.Task<Void>) throws {}
}
