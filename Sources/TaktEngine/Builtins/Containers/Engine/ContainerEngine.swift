import Glibc
import Synchronization
import TaktCore
import TaktSystem
import TaktTransfer

/// A container engine such as Docker or Podman, reached by its API over a Unix socket.
///
/// Nothing of it is created before the first request. Requests and endless streams have threads of
/// their own, so that neither waits for the other, nor for transfers of other jobs.
///
/// Safe from any thread. Methods that block say so.
package final class ContainerEngine: Sendable {
  private static let requests = Network.engine(thread: "takt-containers")
  private static let streams = Network.engine(thread: "takt-streams", activeMax: 2048)

  package let socketPath: String
  /// The version agreed on; nil before, and after the engine has been away.
  private let version = Mutex<ContainerAPIVersion?>(nil)

  package init(socketPath: String) { self.socketPath = socketPath }

  /// The longest path that fits in a socket's address.
  package static let pathBytesMax = 107

  /// Asks the engine for its version unless it is known. Blocks the thread.
  @discardableResult
  func agree(
    within timeout: Duration = .seconds(30), cancelledBy cancellation: Cancellation? = nil
  ) throws(ContainerFailure) -> ContainerAPIVersion {
    if let version = version.withLock(\.self) { return version }
    var request = ContainerRequest("GET", ["version"])
    request.timeout = timeout
    let reply = try send(request, below: "", cancellation)
    guard reply.status == 200, let found = EngineVersion(json: reply.body),
      let newest = found.newest.flatMap(ContainerAPIVersion.init)
    else {
      throw ContainerFailure(
        .notAnEngine, "\(socketPath) is no container engine: GET /version answers otherwise")
    }
    let oldest = found.oldest.flatMap(ContainerAPIVersion.init)
    guard let agreed = ContainerAPIVersion.agreed(newest: newest, oldest: oldest) else {
      throw ContainerFailure(
        .notAnEngine,
        "the container engine at \(socketPath) has API \(newest); takt needs "
          + "\(ContainerAPIVersion.least) or newer, as of Docker 19.03")
    }
    version.withLock { $0 = agreed }
    return agreed
  }

  /// Sends a request and returns the body of the answer. Blocks the thread, at most for the
  /// request's timeout, and as long again if the version is not known.
  ///
  /// - Parameter cancellation: gives it up; the engine may perform it all the same.
  @discardableResult
  func reply(
    to request: ContainerRequest, cancelledBy cancellation: Cancellation? = nil
  ) throws(ContainerFailure) -> [UInt8] {
    let version = try agree(within: request.timeout, cancelledBy: cancellation)
    let reply = try send(request, below: "/v\(version)", cancellation)
    guard (200..<300).contains(reply.status) || reply.status == 304 else {
      throw refusal(reply)
    }
    guard reply.bodyBytes <= request.bytesMax else {
      throw ContainerFailure(.notAnEngine, "the answer of \(socketPath) is too long")
    }
    return reply.body
  }

  /// Decodes the answer of a request. Blocks the thread.
  func object<Object: Decodable>(
    _ type: Object.Type, of request: ContainerRequest
  ) throws(ContainerFailure) -> Object {
    let body = try reply(to: request)
    guard let object = type.init(json: body) else {
      throw ContainerFailure(
        .notAnEngine,
        "\(socketPath) answers \(request.method) \(request.path) with something else")
    }
    return object
  }

  /// Starts a request whose answer arrives in parts and may never end. Blocks the thread only to
  /// agree on the version.
  ///
  /// - Parameters:
  ///   - onBytes: gets the parts, on the thread of the streams, which it must not block; false ends
  ///     the stream.
  ///   - onEnd: is called once, on that thread: nil if the engine has ended the stream.
  func stream(
    _ request: ContainerRequest, _ onBytes: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool,
    onEnd: @escaping @Sendable (ContainerFailure?) -> Void
  ) throws(ContainerFailure) -> RunningTransfer<HTTPReply> {
    var transfer = transfer(of: request, below: "/v\(try agree())")
    transfer.timeout = .seconds(365 * 86_400)
    transfer.onBody = onBytes
    transfer.bytesPerSecondMax = request.bytesPerSecondMax
    do throws(TransferFailure) {
      return try Self.streams.send(transfer) { [self] result in
        switch result {
        case .success(let reply):
          onEnd((200..<300).contains(reply.status) || reply.status == 101 ? nil : refusal(reply))
        case .failure(let failure): onEnd(self.failure(failure))
        }
      }
    } catch {
      throw failure(error)
    }
  }

  private func send(
    _ request: ContainerRequest, below prefix: String, _ cancellation: Cancellation? = nil
  ) throws(ContainerFailure) -> HTTPReply {
    do throws(TransferFailure) {
      let running = try Self.requests.start(transfer(of: request, below: prefix))
      guard let cancellation else { return try running.wait() }
      let result = cancellation.whileWatched(by: { running.cancel() }) {
        Result { () throws(TransferFailure) in try running.wait() }
      }
      return try result.get()
    } catch {
      throw failure(error)
    }
  }

  private func transfer(of request: ContainerRequest, below prefix: String) -> HTTPRequest {
    var headers = [(name: "User-Agent", value: "takt")]
    if request.body != nil { headers.append(("Content-Type", "application/json")) }
    var transfer = HTTPRequest(
      address: TransferAddress(scheme: "http", host: "localhost"),
      target: prefix + request.target, method: request.method, headers: headers,
      body: request.body.map { Array($0.utf8) }, trust: .system, timeout: request.timeout,
      keptBytesMax: request.bytesMax, discardedBytesMax: 0)
    transfer.socketPath = socketPath
    transfer.ignoresProxy = true
    return transfer
  }

  /// Another engine may listen next time, so the version is forgotten.
  private func failure(_ failure: TransferFailure) -> ContainerFailure {
    version.withLock { $0 = nil }
    return ContainerFailure(failure, socket: socketPath)
  }

  private func refusal(_ reply: HTTPReply) -> ContainerFailure {
    let says = EngineMessage(json: reply.body)?.message ?? "status \(reply.status)"
    return ContainerFailure(
      .refused(reply.status), "the container engine says: \(says.cut(bytesMax: 1000).printable)")
  }
}

extension ContainerFailure {
  /// Names the obstacle, as far as the file system shows it.
  static func sentence(noEngineAt path: String) -> String {
    guard path.utf8.count <= ContainerEngine.pathBytesMax else {
      return "the path of the socket is longer than \(ContainerEngine.pathBytesMax) bytes: \(path)"
    }
    do throws(SystemError) {
      guard try FileStatus(at: path).type == .socket else { return "\(path) is no socket" }
    } catch {
      return error.number == EACCES
        ? "takt's user may not reach the container engine at \(path)"
        : "no container engine: there is no socket \(path)"
    }
    guard access(path, R_OK | W_OK) == 0 else {
      return "takt's user may not use the container engine at \(path)"
    }
    return "no container engine listens at \(path)"
  }
}
