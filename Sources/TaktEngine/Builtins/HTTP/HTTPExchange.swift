import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import TaktCore

/// One request and its answer, redirections not followed. It blocks its thread.
struct HTTPExchange {
  /// Why there is no answer.
  struct Failure: Error {
    var reason: String
    var message: String
  }

  let order: HTTPOrder
  let cancellation: Cancellation
  let deadline: NIODeadline

  func run() throws(Failure) -> HTTPAnswer {
    let proxy: ProxyEnvironment.Proxy?
    do {
      proxy = try HTTPClients.environment.proxy(
        scheme: order.url.scheme?.lowercased() ?? "", host: order.url.host ?? "")
    } catch {
      throw Failure(reason: "proxy", message: "the environment names a proxy that is none of HTTP")
    }
    let client: HTTPClient
    do throws(NetworkLoop.Failure) {
      client = try HTTPClients.client(for: proxy)
    } catch {
      throw Failure(reason: error.reason, message: error.message)
    }
    let reader = HTTPAnswerReader(keptBytesMax: order.keptBytesMax)
    do {
      let task = client.execute(request: try request(), delegate: reader, deadline: deadline)
      try cancellation.whileWatched(by: { task.cancel() }) { try task.futureResult.wait() }
    } catch is HTTPAnswerReader.Enough {
      // The head and the beginning are all that is wanted.
    } catch {
      throw Failure(
        reason: NetworkFailure.reason(of: error), message: NetworkFailure.sentence(of: error))
    }
    guard let answer = reader.answer else {
      throw Failure(reason: "closed", message: "no answer")
    }
    return answer
  }

  private func request() throws -> HTTPClient.Request {
    var headers = HTTPHeaders()
    for (name, value) in order.headers { headers.add(name: name, value: value) }
    if !headers.contains(name: "user-agent") { headers.add(name: "user-agent", value: "takt") }
    return try HTTPClient.Request(
      url: order.url, method: HTTPMethod(rawValue: order.method), headers: headers,
      body: order.body.map { .byteBuffer(ByteBuffer(bytes: $0)) }, tlsConfiguration: order.tls)
  }
}
