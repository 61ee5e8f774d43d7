import FoundationEssentials
import TaktCore
import TaktSystem
import TaktTransfer
import TaktTime

/// `use: http` sends a request and checks the answer.
struct HTTPBuiltin: LongBuiltin {
  static let backoffMax = Duration.seconds(60)

  var kind: BuiltinKind { .network }

  var name: String { "http" }

  var summary: String {
    "sends an HTTP request and checks the response; it uses the same proxy variables as curl"
  }

  private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  var parameters: [ParameterSchema] {
    [
      ParameterSchema("url", .url, reaches: .address, summary: "the URL, with `http` or `https`"),
      ParameterSchema(
        "method", .choice(Self.methods), reaches: .nothing, isRequired: false,
        summary: "the method; by default GET, or POST if there is a body"),
      ParameterSchema(
        "headers", .map(.string), reaches: .header, isRequired: false,
        summary: "request headers by name"),
      ParameterSchema(
        "body", .string, reaches: .nothing, isRequired: false,
        summary: "the request body; by default, a hook sends the run's facts as JSON"),
      ParameterSchema(
        "user", .string, reaches: .user, isRequired: false,
        summary: "the user for basic authentication"),
      ParameterSchema(
        "password", .string, reaches: .header, isRequired: false, isSecret: true,
        summary: "the password for basic authentication"),
      ParameterSchema(
        "expect", .list(.string), reaches: .nothing, default: .list([.string("2xx")]),
        summary: "the statuses that count as success, such as `200`, `2xx` or `200..299`"),
      ParameterSchema(
        "body_contains", .string, reaches: .nothing, isRequired: false,
        summary: "a text that the response body must contain, within `max_body`"),
      ParameterSchema(
        "timeout", .duration(least: .milliseconds(1)), reaches: .nothing,
        default: .duration(.seconds(30)),
        summary: "the maximum length of one try, including redirects"),
      ParameterSchema(
        "retry_status", .list(.string), reaches: .nothing, isRequired: false,
        summary: "statuses to retry on, written as in `expect`"),
      ParameterSchema(
        "retries", .integer(0...20), reaches: .nothing, default: .integer(2),
        summary: "the maximum number of retries for `retry_status`"),
      ParameterSchema(
        "backoff", .duration(least: .zero), reaches: .nothing, default: .duration(.seconds(1)),
        summary:
          "the delay before the first retry; it doubles each time, up to 60s; after 429 and 503 it is at least what the server asks for with `Retry-After`"
      ),
      ParameterSchema(
        "redirects", .integer(0...20), reaches: .nothing, default: .integer(5),
        summary:
          "the maximum number of redirects to follow; another server gets neither credentials nor the body"
      ),
    ] + TLSParameters.schemas + [
      ParameterSchema(
        "max_body", .size, reaches: .nothing, default: .integer(1024 * 1024),
        summary: "how much of the response body to keep; up to 16MB more are read and discarded")
    ]
  }

  var reasons: [BuiltinReason] {
    [
      BuiltinReason("status(N)", "the status does not match `expect`"), Tries.reason,
      BuiltinReason("body", "the body does not contain `body_contains`"),
      BuiltinReason(
        "redirects",
        "too many redirects, or one that has no valid target, leads from https to http, or would send the body to another server"
      ),
      BuiltinReason("url", "the URL is not an http or https URL, or contains a user"),
      BuiltinReason("header", "a header's name or value contains a character that is not allowed"),
      BuiltinReason("parameters", "a list of statuses is invalid"),
      BuiltinReason(
        "proxy", "the proxy from the environment cannot be used, or refuses the request"),
    ] + NetworkFailure.reasons
  }

  /// Rejects words that name no status, and an invalid URL.
  func problems(in parameters: Parameters) -> [ParameterProblem] {
    var problems: [ParameterProblem] = []
    for name in ["expect", "retry_status"] {
      let words = parameters[name]?.list.map(\.string) ?? []
      for word in words where StatusSet.range(word) == nil && !word.contains("{{") {
        problems.append(
          ParameterProblem(name, "'\(word)' is not a status such as 200, 2xx or 200..299"))
      }
    }
    if let text = parameters["url"]?.string, !text.contains("{{") {
      do throws(HTTPRequestSpec.Mistake) { _ = try HTTPRequestSpec.url(text) } catch {
        problems.append(ParameterProblem("url", error.message))
      }
    }
    if let text = parameters["body"]?.string, text.contains("{{") {
      let type = parameters["headers"]?.map.first { $0.key.lowercased() == "content-type" }
      if let problem = JSONBody(text, contentType: type?.value.string)?.problem {
        problems.append(ParameterProblem("body", problem))
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

  func traits(with parameters: Parameters) -> ActionTraits { [] }

  /// The log shows the path of a request, in which a secret may be encoded, decoded or cut at a
  /// `?`.
  func disguises(of secret: String) -> [String] {
    let path = URL(string: "http://host/\(secret)".percentEncoded)?.path(percentEncoded: true)
    let paths = path.map { [String($0.dropFirst())] } ?? []
    return paths + ([secret] + paths).map(\.percentDecoded)
  }

  func run(_ call: BuiltinCall) -> BuiltinEnd {
    let spec: HTTPRequestSpec
    do throws(HTTPRequestSpec.Mistake) {
      spec = try HTTPRequestSpec(call)
    } catch {
      call.log(error.message, .warning)
      return .failed(error.reason)
    }
    let tries = Tries(
      countMax: spec.triesMax, backoff: spec.backoff, backoffMax: Self.backoffMax)
    do throws(Tries.Failure) {
      return try tries.run(call) { attempt(spec, call) }
    } catch {
      return .failed(error.reason)
    }
  }

  private func attempt(_ first: HTTPRequestSpec, _ call: BuiltinCall) -> Tries.Outcome<BuiltinEnd> {
    let deadline = ContinuousClock.now + min(first.timeout, .seconds(365 * 86_400))
    var spec = first
    var redirects = 0
    while true {
      let started = call.time.monotonic
      let answer: HTTPReply
      do throws(NetworkFailure) {
        answer = try Network.reply(
          to: spec.request(within: deadline - .now), call.cancellation)
      } catch {
        call.log("\(spec.method) \(spec.target): \(error.message)", .warning)
        return .over(.failed(error.reason))
      }
      let took = (call.time.monotonic - started).milliseconds
      call.log(
        "\(spec.method) \(spec.target): \(answer.status), \(answer.bodyBytes) bytes in \(took) ms"
      )
      guard HTTPRequestSpec.redirections.contains(answer.status),
        !spec.expected.contains(answer.status), answer.first("location") != nil
      else { return evaluate(answer, spec) }
      redirects += 1
      do throws(HTTPRequestSpec.Mistake) {
        guard redirects <= spec.redirectsMax else { throw .redirect("there are too many") }
        spec = try spec.following(answer)
      } catch {
        call.log(error.message, .warning)
        return .over(.failed(error.reason))
      }
    }
  }

  private func evaluate(_ answer: HTTPReply, _ spec: HTTPRequestSpec) -> Tries.Outcome<BuiltinEnd> {
    let end: BuiltinEnd
    if !spec.expected.contains(answer.status) {
      end = .failed("status(\(answer.status))")
    } else if let text = spec.wantedText, !answer.body.holds(Array(text.utf8)) {
      end = .failed("body")
    } else {
      return .over(.done)
    }
    return spec.retried.contains(answer.status) ? .again(end, asked: answer.askedWait) : .over(end)
  }
}
