import FoundationEssentials
import TaktCore
import TaktTransfer

/// A short request that notifies a server of a run; it is retried for a while.
///
/// The log has only the server's name: the path is often the only secret.
struct Post {
  static let timeoutDefault = Duration.seconds(10)
  static let retriesDefault = 3
  private static let answerBytesMax = 4096
  /// The first wait between two tries; each further one is twice as long.
  private static let backoff = Duration.seconds(1)
  /// More than ten retries reach.
  private static let backoffMax = Duration.seconds(3600)

  var url: String
  var method = "POST"
  var contentType: String?
  var headers: [String: String] = [:]
  var body = ""

  static let schemas: [ParameterSchema] =
    [
      ParameterSchema(
        "timeout", .duration(least: .milliseconds(1)), reaches: .nothing,
        default: .duration(timeoutDefault),
        summary: "the maximum length of one try"),
      ParameterSchema(
        "retries", .integer(0...10), reaches: .nothing, default: .integer(retriesDefault),
        summary:
          "the maximum number of retries if the server cannot be reached, is busy (429) or fails (5xx); after 1s, 2s, 4s and so on, or as long as the server asks for with `Retry-After`"
      ),
    ] + TLSParameters.schemas

  static let reasons =
    [
      BuiltinReason("status(N)", "the server answers with another status than 2xx"), Tries.reason,
      BuiltinReason("url", "the URL is not an http or https URL, or contains a user"),
      BuiltinReason("header", "a header contains a character that is not allowed"),
      BuiltinReason(
        "proxy", "the proxy from the environment cannot be used, or refuses the request"),
    ] + NetworkFailure.reasons

  /// Returns the answer of the server that accepted it. Blocks the thread.
  func send(_ call: BuiltinCall) throws(NetworkFailure) -> HTTPReply {
    let spec: HTTPRequestSpec
    do throws(HTTPRequestSpec.Mistake) { spec = try HTTPRequestSpec(self.call(call)) } catch {
      call.log(error.message, .warning)
      throw NetworkFailure(reason: error.reason, message: error.message)
    }
    let server = "\(spec.method) \(spec.url.host ?? "")"
    let tries = Tries(
      countMax: call.integer("retries", or: Self.retriesDefault) + 1, backoff: Self.backoff,
      backoffMax: Self.backoffMax)
    let result: Result<HTTPReply, NetworkFailure>
    do throws(Tries.Failure) {
      result = try tries.run(call) { attempt(spec, server, call) }
    } catch {
      throw NetworkFailure(reason: error.reason, message: "")
    }
    return try result.get()
  }

  private func attempt(
    _ spec: HTTPRequestSpec, _ server: String, _ call: BuiltinCall
  ) -> Tries.Outcome<Result<HTTPReply, NetworkFailure>> {
    let reply: HTTPReply
    do throws(NetworkFailure) {
      reply = try Network.reply(to: spec.request(within: spec.timeout), call.cancellation)
    } catch {
      call.log("\(server): \(error.message)", .warning)
      let isFinal = [LongAttempt.cancelled, "no_libcurl"].contains(error.reason)
      return isFinal ? .over(.failure(error)) : .again(.failure(error), asked: nil)
    }
    call.log("\(server): \(reply.status)")
    if (200...299).contains(reply.status) { return .over(.success(reply)) }
    let failure = NetworkFailure(reason: "status(\(reply.status))", message: "")
    // Any other status means that the server has refused the request itself.
    let mayHelp = reply.status == 429 || reply.status >= 500
    return mayHelp ? .again(.failure(failure), asked: reply.askedWait) : .over(.failure(failure))
  }

  /// The call of `http` that makes this request.
  private func call(_ call: BuiltinCall) -> BuiltinCall {
    var parameters: Parameters = [
      "url": .string(url), "method": .string(method),
      "timeout": .duration(call.duration("timeout", or: Self.timeoutDefault)),
      "max_body": .integer(Self.answerBytesMax),
    ]
    for name in ["ca_file", "insecure"] { parameters[name] = call.parameters[name] }
    var headers = headers
    if let contentType { headers["content-type"] = contentType }
    parameters["headers"] = .map(headers.mapValues { .string($0) })
    // Without a body, a hook would send its facts with any other method.
    if method != "GET" { parameters["body"] = .string(body) }
    return BuiltinCall(
      request: call.request, parameters: parameters, cancellation: call.cancellation,
      time: call.time, output: call.output)
  }

  /// Checks a URL in a jobs file; nil for one with placeholders.
  static func problem(_ text: String?) -> String? {
    guard let text, !text.contains("{{") else { return nil }
    do throws(HTTPRequestSpec.Mistake) {
      _ = try HTTPRequestSpec.url(text, userHint: "")
    } catch {
      return error.message
    }
    return nil
  }
}
