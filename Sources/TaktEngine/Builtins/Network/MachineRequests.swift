import Dispatch
package import TaktCore
import TaktTime
import TaktTransfer

/// Requests to the APIs of other machines, on a thread of their own: they and the requests of jobs
/// do not wait for each other.
package final class MachineRequests: MachineAPI {
  /// Starts requests, which may load libcurl.
  private let queue = DispatchQueue(label: "takt.machines", qos: .utility)
  private let engine = Network.engine(thread: "takt-machines")

  package init() {}

  package func send(
    _ request: MachineRequest,
    reply: @escaping @Sendable (Result<MachineReply, MachineFailure>) -> Void
  ) {
    queue.async { [engine] in
      do throws(TransferFailure) {
        try engine.send(HTTPRequest(request)) { result in
          reply(
            result.map { MachineReply($0, bytesMax: request.bytesMax) }
              .mapError { MachineFailure($0, within: request.timeout) })
        }
      } catch {
        reply(.failure(MachineFailure(error, within: request.timeout)))
      }
    }
  }
}

extension HTTPRequest {
  fileprivate init(_ request: MachineRequest) {
    let address = request.address
    self.init(
      address: TransferAddress(
        scheme: address.scheme.rawValue, host: address.host, port: address.port),
      target: request.target, method: request.method, headers: request.headers,
      body: request.body, trust: .system, timeout: request.timeout,
      keptBytesMax: request.bytesMax, discardedBytesMax: 0)
  }
}

extension MachineReply {
  fileprivate init(_ reply: HTTPReply, bytesMax: Int) {
    self.init(
      status: reply.status,
      headers: Dictionary(reply.headers.map { ($0.name.lowercased(), $0.value) }) { $1 },
      body: reply.body, isCut: reply.bodyBytes > bytesMax)
  }
}

extension MachineFailure {
  fileprivate init(_ failure: TransferFailure, within timeout: Duration) {
    switch failure.cause {
    case .timeout:
      self.init("timed out after \(DurationText.format(timeout))", isUncertain: true)
    case .noLibrary, .noThread, .noDescriptors, .refused, .unreachable, .noAddress, .tls, .proxy:
      self.init(NetworkFailure(failure).message)
    case .closed, .badProtocol, .cancelled, .startTLS, .authentication, .recipient, .mail, .system,
      .other:
      self.init(NetworkFailure(failure).message, isUncertain: true)
    }
  }
}
