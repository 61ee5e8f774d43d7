import TaktCore
import TaktTransfer
import TaktTime

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `use: http` sends a request and judges the answer.
struct HTTPBuiltin: LongBuiltin {
  /// A wait between two tries never grows longer.
  static let backoffMax = Duration.seconds(60)

  var waitsForNetwork: Bool { true }

  var name: String { "http" }

  var summary: String {
    "sends an HTTP request and judges the answer; proxies are taken from the environment as curl does"
  }

  private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  var parameters: [ParameterSchema] {
    [
      ParameterSchema("url", .string, summary: "where to, by `http` or `https`"),
      ParameterSchema(
        "method", .choice(Self.methods), isRequired: false,
        summary: "GET when left out, POST where there is a body"),
      ParameterSchema(
        "headers", .map(.string), isRequired: false, summary: "headers of the request by name"),
      ParameterSchema(
        "body", .string, isRequired: false,
        summary: "what is sent; a hook without one sends the run's facts as JSON"),
      ParameterSchema(
        "user", .string, isRequired: false, summary: "the user of basic authentication"),
      ParameterSchema(
        "password", .string, isRequired: false, isSecret: true,
        summary: "the password of basic authentication"),
      ParameterSchema(
        "expect", .list(.string), default: .list([.string("2xx")]),
        summary: "the statuses of success: `200`, `2xx`, `200..299`"),
      ParameterSchema(
        "body_contains", .string, isRequired: false,
        summary: "a text that the answer's body must hold, within `max_body`"),
      ParameterSchema(
        "timeout", .duration(least: .milliseconds(1)), default: .duration(.seconds(30)),
        summary: "how long one try may take, redirections included"),
      ParameterSchema(
        "retry_status", .list(.string), isRequired: false,
        summary: "statuses after which it is tried again, written as in `expect`"),
      ParameterSchema(
        "retries", .integer(0...20), default: .integer(2),
        summary: "how many more tries `retry_status` allows"),
      ParameterSchema(
        "backoff", .duration(least: .zero), default: .duration(.seconds(1)),
        summary: "the wait before the second try; it doubles each time, up to 60s"),
      ParameterSchema(
        "redirects", .integer(0...20), default: .integer(5),
        summary:
          "how many redirections are followed; another server gets no header that may be a credential, and no body"
      ),
    ] + TLSParameters.schemas + [
      ParameterSchema(
        "max_body", .size, default: .integer(1024 * 1024),
        summary: "how much of the answer's body is kept; 16MB more are read and passed over")
    ]
  }

  var reasons: [BuiltinReason] {
    [
      BuiltinReason("status(N)", "the status is none of `expect`"),
      BuiltinReason("body", "the body does not hold `body_contains`"),
      BuiltinReason(
        "redirects",
        "more redirections than `redirects`, one to nowhere, one from https to http, or one that would take the body to another server"
      ),
      BuiltinReason("url", "the URL is none of http or https, or has a user in it"),
      BuiltinReason("header", "a header's name or value holds what no header can"),
      BuiltinReason("parameters", "a list of statuses is none"),
      BuiltinReason("proxy", "the proxy of the environment cannot be used, or refuses"),
    ] + NetworkFailure.reasons
  }

  /// Words that name no status; a URL that is none.
  func problems(in parameters: Parameters) -> [ParameterProblem] {
    var problems: [ParameterProblem] = []
    for name in ["expect", "retry_status"] {
      let words = parameters[name]?.list.map(\.string) ?? []
      for word in words where StatusSet.range(word) == nil && !word.contains("{{") {
        problems.append(
          ParameterProblem(name, "'\(word)' is no status such as 200, 2xx or 200..299"))
      }
    }
    if let text = parameters["url"]?.string, !text.contains("{{") {
      do throws(HTTPOrder.Mistake) { _ = try HTTPOrder.url(text) } catch {
        problems.append(ParameterProblem("url", error.message))
      }
    }
    if parameters["password"] != nil, parameters["user"] == nil {
      problems.append(ParameterProblem("password", "has no effect without 'user'"))
    }
    for name in ["retries", "backoff"] where parameters[name] != nil {
      if parameters["retry_status"] == nil {
        problems.append(ParameterProblem(name, "has no effect without 'retry_status'"))
      }
    }
    if parameters["ca_file"] != nil, parameters["insecure"]?.boolean == true {
      problems.append(ParameterProblem("ca_file", "has no effect with 'insecure'"))
    }
    return problems
  }

  /// It only talks to a server.
  func traits(with parameters: Parameters) -> ActionTraits { [] }

  /// The log shows the path of a request, in which a secret may be encoded, decoded or cut at a `?`.
  func disguises(of secret: String) -> [String] {
    let path = URL(string: "http://host/\(secret)".percentEncoded)?.path(percentEncoded: true)
    let paths = path.map { [String($0.dropFirst())] } ?? []
    return paths + ([secret] + paths).map(\.percentDecoded)
  }

  func run(_ call: BuiltinCall) -> BuiltinEnd {
    let order: HTTPOrder
    do throws(HTTPOrder.Mistake) {
      order = try HTTPOrder(call)
    } catch {
      call.log(error.message, .warning)
      return .failed(error.reason)
    }
    var wait = min(order.backoff, Self.backoffMax)
    for number in 1...order.triesMax {
      let (end, isRetried) = attempt(order, call)
      guard isRetried, number < order.triesMax else { return end }
      guard call.cancellation.sleep(wait) else { return .failed(LongAttempt.cancelled) }
      wait = min(wait * 2, Self.backoffMax)
    }
    return .failed(LongAttempt.cancelled)
  }

  private func attempt(_ first: HTTPOrder, _ call: BuiltinCall) -> (BuiltinEnd, isRetried: Bool) {
    let deadline = ContinuousClock.now + min(first.timeout, .seconds(365 * 86_400))
    var order = first
    var redirects = 0
    while true {
      let started = call.time.monotonic
      let answer: HTTPReply
      do throws(NetworkFailure) {
        answer = try Network.reply(
          to: order.request(within: deadline - .now), call.cancellation)
      } catch {
        call.log("\(order.method) \(order.target): \(error.message)", .warning)
        return (.failed(error.reason), false)
      }
      let took = (call.time.monotonic - started).milliseconds
      call.log(
        "\(order.method) \(order.target): \(answer.status), \(answer.bodyBytes) bytes in \(took) ms"
      )
      guard HTTPOrder.redirections.contains(answer.status),
        !order.expected.contains(answer.status), answer.first("location") != nil
      else { return judge(answer, order) }
      redirects += 1
      do throws(HTTPOrder.Mistake) {
        guard redirects <= order.redirectsMax else { throw .redirect("there are too many") }
        order = try order.following(answer)
      } catch {
        call.log(error.message, .warning)
        return (.failed(error.reason), false)
      }
    }
  }

  private func judge(_ answer: HTTPReply, _ order: HTTPOrder) -> (BuiltinEnd, isRetried: Bool) {
    guard order.expected.contains(answer.status) else {
      return (.failed("status(\(answer.status))"), order.retried.contains(answer.status))
    }
    if let text = order.wantedText, !answer.body.holds(Array(text.utf8)) {
      return (.failed("body"), order.retried.contains(answer.status))
    }
    return (.done, false)
  }
}
