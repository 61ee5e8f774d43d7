import TaktCore
import TaktTime
import TaktTransfer

/// `use: notify` posts a readable message to a chat or a phone.
struct NotifyBuiltin: LongBuiltin {
  private static let telegramURL = "https://api.telegram.org"

  var waitsForNetwork: Bool { true }

  var name: String { "notify" }

  var summary: String {
    "posts a message to Slack, Microsoft Teams, Telegram or ntfy; in a hook, with the run's facts and the last lines of its output"
  }

  var parameters: [ParameterSchema] {
    [
      ParameterSchema(
        "to", .choice(ChatService.allCases.map(\.rawValue)), reaches: .address,
        summary: "the service, whose format the message has"),
      ParameterSchema(
        "url", .url, reaches: .address, isRequired: false, isSecret: true,
        summary:
          "the URL of the webhook, or for ntfy that of the topic, such as `https://ntfy.sh/TOPIC`; with `to: telegram` that of another Bot API server"
      ),
      ParameterSchema(
        "token", .string, reaches: .header, isRequired: false, isSecret: true,
        summary: "the token of the Telegram bot, or an access token of ntfy"),
      ParameterSchema(
        "chat", .string, reaches: .user, isRequired: false,
        summary: "the ID of the Telegram chat, or `@NAME` of a channel"),
      ParameterSchema(
        "text", .string, reaches: .nothing, isRequired: false,
        summary:
          "the message; by default what happened, the run's facts and the last lines of its output"
      ),
      ParameterSchema(
        "priority", .integer(1...5), reaches: .nothing, isRequired: false,
        summary: "the priority with ntfy; by default 4 for failures and stale jobs, otherwise 3"),
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
    let isTelegram = service == .telegram
    if !isTelegram, service != nil, parameters["url"] == nil {
      problems.append(ParameterProblem("to", "'to: \(service?.rawValue ?? "")' needs 'url'"))
    }
    if isTelegram, parameters["token"] == nil || parameters["chat"] == nil {
      problems.append(ParameterProblem("to", "'to: telegram' needs 'token' and 'chat'"))
    }
    if let problem = Post.problem(parameters["url"]?.string) {
      problems.append(ParameterProblem("url", problem))
    }
    let idle = [
      ("token", [ChatService.telegram, .ntfy]), ("chat", [.telegram]), ("priority", [.ntfy]),
    ]
    for (name, services) in idle where parameters[name] != nil {
      guard let service, !services.contains(service) else { continue }
      problems.append(ParameterProblem(name, "has no effect with 'to: \(service.rawValue)'"))
    }
    if service == .ntfy, let url = parameters["url"]?.string, !url.contains("{{"),
      Self.topic(of: url) == nil
    {
      problems.append(ParameterProblem("url", "the URL has no topic; write https://ntfy.sh/TOPIC"))
    }
    return problems
  }

  /// It only talks to a server.
  func traits(with parameters: Parameters) -> ActionTraits { [] }

  func run(_ call: BuiltinCall) -> BuiltinEnd {
    guard let service = ChatService(rawValue: call.text("to") ?? ""),
      let place = Self.place(of: service, call)
    else { return .failed("parameters") }
    let facts = call.request.facts
    let alarms: [HookKind] = [.onFailure, .onStale, .onLate, .onAlarmFailed]
    let isAlarm = facts.map { alarms.contains($0.hook) } ?? false
    let body = service.body(
      RunMessage(call.request), text: call.text("text"), chat: place.chat, isAlarm: isAlarm,
      priority: call.parameters["priority"]?.integer)
    var post = Post(url: place.url)
    post.contentType = "application/json; charset=utf-8"
    post.body = body.text
    if service == .ntfy, let token = call.text("token") {
      post.headers["authorization"] = "Bearer \(token)"
    }
    do throws(NetworkFailure) {
      let reply = try post.send(call)
      // Telegram says in the answer whether it took the message.
      let text = String(decoding: reply.body, as: UTF8.self).filter { $0 != " " }
      if service == .telegram, !text.contains("\"ok\":true") { return .failed("refused_message") }
      return .done
    } catch {
      return .failed(error.reason)
    }
  }

  /// Where a message goes; nil where something is missing.
  private static func place(
    of service: ChatService, _ call: BuiltinCall
  ) -> (url: String, chat: String)? {
    switch service {
    case .slack, .teams: return call.text("url").map { ($0, "") }
    case .telegram:
      guard let token = call.text("token"), let chat = call.text("chat") else { return nil }
      // A token has a colon, which a path may have.
      let part = token.split(separator: ":", omittingEmptySubsequences: false)
        .map { String($0).percentEncodedPart }.joined(separator: ":")
      let base = call.text("url") ?? telegramURL
      return (
        "\(base.hasSuffix("/") ? String(base.dropLast()) : base)/bot\(part)/sendMessage",
        chat
      )
    case .ntfy:
      guard let url = call.text("url"), let topic = topic(of: url) else { return nil }
      return (topic.base, topic.name)
    }
  }

  /// The server's URL and the topic, which is the last part of the path.
  private static func topic(of url: String) -> (base: String, name: String)? {
    let url = url.hasSuffix("/") ? url.dropLast() : url[...]
    guard let slash = url.lastIndex(of: "/"), url[..<slash].contains("://"),
      !url[..<slash].hasSuffix(":/"), case let name = url[url.index(after: slash)...],
      !name.isEmpty, !name.contains("?"), !name.contains("#")
    else { return nil }
    // It goes into a message, not into the URL.
    return (String(url[...slash]), String(name).percentDecoded)
  }
}
