import TaktCore
import TaktTransfer

/// `use: ping` tells a monitor that a run has started or ended.
struct PingBuiltin: LongBuiltin {
  /// The minimum of a body that every check keeps.
  private static let bodyBytesMax = 10_000

  var kind: BuiltinKind { .network }

  var name: String { "ping" }

  var summary: String {
    "reports a run to a check at healthchecks.io, or at a server with its protocol, or to a Sentry cron monitor; most jobs use the key `ping` instead"
  }

  var parameters: [ParameterSchema] {
    [
      ParameterSchema(
        "url", .url, reaches: .address, isRequired: false, isSecret: true,
        summary:
          "the URL of the check, `https://hc-ping.com/UUID` or `https://hc-ping.com/KEY/SLUG`, or that of a Sentry monitor's check-ins; either this or `dsn` is required"
      ),
      ParameterSchema(
        "dsn", .url, reaches: .address, isRequired: false, isSecret: true,
        summary: "the DSN of a Sentry project, instead of `url`"),
      ParameterSchema(
        "monitor", .string, reaches: .address, isRequired: false,
        summary: "the slug of the Sentry monitor"),
      ParameterSchema(
        "environment", .string, reaches: .nothing, isRequired: false,
        summary: "the environment of the Sentry check-ins; by default Sentry's, `production`"),
      ParameterSchema(
        "output", .boolean, reaches: .nothing, default: .boolean(true),
        summary: "whether to send the end of the run's output to a check, up to 10,000 bytes"),
    ] + Post.schemas
  }

  var reasons: [BuiltinReason] {
    [
      BuiltinReason("not_found", "the server does not know the check"),
      BuiltinReason("parameters", "`dsn` is not a DSN, or `url` and `dsn` are both missing"),
    ] + Post.reasons
  }

  func problems(in parameters: Parameters) -> [ParameterProblem] {
    var problems: [ParameterProblem] = []
    if (parameters["url"] == nil) == (parameters["dsn"] == nil) {
      problems.append(ParameterProblem(nil, "needs either 'url' or 'dsn'"))
    }
    if let problem = Post.problem(parameters["url"]?.string) {
      problems.append(ParameterProblem("url", problem))
    }
    if (parameters["dsn"] == nil) != (parameters["monitor"] == nil) {
      problems.append(ParameterProblem("monitor", "'dsn' and 'monitor' must be set together"))
    }
    if let dsn = parameters["dsn"]?.string, !dsn.contains("{{"),
      PingTarget(dsn: dsn, monitor: "x", environment: nil) == nil
    {
      problems.append(
        ParameterProblem("dsn", "'dsn' is not a DSN such as https://KEY@HOST/PROJECT"))
    }
    if let monitor = parameters["monitor"]?.string, !monitor.contains("{{"),
      !monitor.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"/?#%".utf8.contains($0) })
    {
      problems.append(ParameterProblem("monitor", "'\(monitor)' is not the slug of a monitor"))
    }
    return problems
  }

  func traits(with parameters: Parameters) -> ActionTraits { [] }

  func run(_ call: BuiltinCall) -> BuiltinEnd {
    guard let target = target(call) else { return .failed("parameters") }
    let facts = call.request.facts
    guard let url = target.url(of: PingTarget.Signal(facts), run: RunUUID.of(call.request)) else {
      return .done
    }
    var post = Post(url: url)
    if case .check = target {
      post.contentType = "text/plain; charset=utf-8"
      if call.flag("output"), let facts, facts.hook != .onStart {
        post.body = facts.output.endText(bytesMax: Self.bodyBytesMax)
      }
    }
    do throws(NetworkFailure) {
      let reply = try post.send(call)
      // Older servers report this with a status of 200.
      let isUnknown = reply.body.starts(with: "OK (not found)".utf8)
      return isUnknown ? .failed("not_found") : .done
    } catch {
      return .failed(error.reason == "status(404)" ? "not_found" : error.reason)
    }
  }

  private func target(_ call: BuiltinCall) -> PingTarget? {
    let environment = call.text("environment")
    if let url = call.text("url") { return PingTarget(url: url, environment: environment) }
    return PingTarget(
      dsn: call.text("dsn") ?? "", monitor: call.text("monitor") ?? "", environment: environment)
  }
}
