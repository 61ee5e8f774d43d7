import TaktCore
import TaktTransfer

/// `use: notify` posts a readable message to a chat or a phone.
struct NotifyBuiltin: LongBuiltin {
  var kind: BuiltinKind { .network }

  var name: String { "notify" }

  var summary: String {
    "posts a message to Slack, Discord, Microsoft Teams, Telegram, Matrix, ntfy, Gotify, Pushover or PagerDuty; in a hook, with the run's facts and the last lines of its output"
  }

  var parameters: [ParameterSchema] {
    [
      ParameterSchema(
        "to", .choice(ChatService.allCases.map(\.rawValue)), reaches: .address,
        summary: "the service, whose format the message has"),
      ParameterSchema(
        "url", .url, reaches: .address, isRequired: false, isSecret: true,
        summary:
          "the URL of the webhook; for ntfy that of the topic, such as `https://ntfy.sh/TOPIC`; for Matrix and Gotify that of the server; with `to: telegram`, `pushover` or `pagerduty` that of another server than the usual one, such as `https://events.eu.pagerduty.com`"
      ),
      ParameterSchema(
        "token", .string, reaches: .header, isRequired: false, isSecret: true,
        summary:
          "the token of the Telegram bot, or of the application of Gotify or Pushover; an access token of Matrix or ntfy; the integration key of PagerDuty"
      ),
      ParameterSchema(
        "chat", .string, reaches: .user, isRequired: false,
        summary:
          "the ID of the Telegram chat, or `@NAME` of a channel; the ID of the Matrix room, such as `!abc:example.org`"
      ),
      ParameterSchema(
        "user", .string, reaches: .user, isRequired: false, isSecret: true,
        summary: "the key of the Pushover user or group"),
      ParameterSchema(
        "text", .string, reaches: .nothing, isRequired: false,
        summary:
          "the message; by default what happened, the run's facts and the last lines of its output"
      ),
      ParameterSchema(
        "priority", .integer(-2...10), reaches: .nothing, isRequired: false,
        summary:
          "the priority: 1 to 5 with ntfy, by default 4 for failures and for late and stale jobs, otherwise 3; 0 to 10 with Gotify, by default 8 and 4; -2 to 2 with Pushover, by default 0, and 2 repeats each minute for an hour until somebody confirms it"
      ),
      ParameterSchema(
        "dedup_key", .string, reaches: .nothing, isRequired: false,
        summary:
          "what tells PagerDuty that events are about one problem; by default the machine and the job"
      ),
    ] + Post.schemas
  }

  var reasons: [BuiltinReason] {
    [
      BuiltinReason("parameters", "a parameter that the service needs is missing"),
      BuiltinReason("refused_message", "the service refuses the message"),
    ] + Post.reasons
  }

  func problems(in parameters: Parameters) -> [ParameterProblem] {
    var problems: [ParameterProblem] = []
    let service = ChatService(rawValue: parameters["to"]?.string ?? "")
    if let service, service.needs.contains(where: { parameters[$0]?.string.isEmpty != false }) {
      let names = service.needs.map { "'\($0)'" }
      let list = [names.dropLast().joined(separator: ", "), names.last ?? ""]
        .filter { !$0.isEmpty }.joined(separator: " and ")
      problems.append(ParameterProblem("to", "'to: \(service.rawValue)' needs \(list)"))
    }
    if let problem = Post.problem(parameters["url"]?.string) {
      problems.append(ParameterProblem("url", problem))
    }
    guard let service else { return problems }
    for name in ChatService.ownParameters where parameters[name] != nil && !service.takes(name) {
      problems.append(
        ParameterProblem(name, "'\(name)' has no effect with 'to: \(service.rawValue)'"))
    }
    if let priority = parameters["priority"]?.integer, let range = service.priorities,
      !range.contains(priority)
    {
      problems.append(
        ParameterProblem(
          "priority",
          "'priority' must be \(range.lowerBound) to \(range.upperBound) with "
            + "'to: \(service.rawValue)'"))
    }
    return problems + Self.problems(of: service, in: parameters)
  }

  /// Checks texts that a service reads in its own way. A placeholder may have any value.
  private static func problems(
    of service: ChatService, in parameters: Parameters
  ) -> [ParameterProblem] {
    func literal(_ name: String) -> String? {
      parameters[name].flatMap { $0.string.contains("{{") ? nil : $0.string }
    }
    if service == .ntfy, let url = literal("url"), ChatNotice.topic(of: url) == nil {
      return [ParameterProblem("url", "the URL has no topic; write https://ntfy.sh/TOPIC")]
    }
    if service == .matrix, let room = literal("chat"), !room.hasPrefix("!") {
      return [
        ParameterProblem(
          "chat", "the ID of a room starts with '!'; '#ops:example.org' is only its address")
      ]
    }
    return []
  }

  func traits(with parameters: Parameters) -> ActionTraits { [] }

  func run(_ call: BuiltinCall) -> BuiltinEnd {
    guard let service = ChatService(rawValue: call.text("to") ?? ""),
      // A secret may be empty.
      service.needs.allSatisfy({ call.text($0)?.isEmpty == false }),
      let post = service.post(ChatNotice(to: service, call))
    else { return .failed("parameters") }
    do throws(NetworkFailure) {
      let reply = try post.send(call)
      // Telegram reports in the answer whether it accepted the message.
      let text = String(decoding: reply.body, as: UTF8.self).filter { $0 != " " }
      if service == .telegram, !text.contains("\"ok\":true") { return .failed("refused_message") }
      return .done
    } catch {
      return .failed(error.reason)
    }
  }
}
