import TaktCore

/// The content and the destination of a message to a chat or a phone.
struct ChatNotice {
  let service: ChatService
  let call: BuiltinCall
  let message: RunMessage
  /// The message in the file; nil for the facts of the run.
  let text: String?

  init(to service: ChatService, _ call: BuiltinCall) {
    self.service = service
    self.call = call
    let message = RunMessage(call.request)
    self.message = message
    // No service accepts an empty message, and the output of a run may be empty.
    text = call.text("text").map { text in
      let shown = RunMessage.shown(text)
      return shown.allSatisfy(\.isWhitespace) ? message.title : shown
    }
  }

  private var hook: HookKind? { call.request.facts?.hook }

  var isAlarm: Bool {
    hook.map { [.onFailure, .onStale, .onLate, .onAlarmFailed].contains($0) } ?? false
  }

  /// True if the problem of an earlier alarm is over.
  var isOver: Bool { hook.map { [.onSuccess, .onRecover].contains($0) } ?? false }

  var hasFailed: Bool { hook.map { [.onFailure, .onAlarmFailed].contains($0) } ?? false }

  /// The priority in the file, limited to those of the service; `substitute` by default.
  func priority(or substitute: Int) -> Int {
    let given = call.parameters["priority"]?.integer ?? substitute
    return service.priorities.map { min(max(given, $0.lowerBound), $0.upperBound) } ?? given
  }

  /// The URL of the server with a path; nil without a server.
  func url(_ path: String, at server: String? = nil) -> String? {
    guard let base = call.text("url") ?? server else { return nil }
    return "\(base.hasSuffix("/") ? String(base.dropLast()) : base)\(path)"
  }

  /// The text in the file; by default the facts, and the end of the last lines of the output.
  func plainText(withTitle: Bool, withLink: Bool = true, unitsMax: Int) -> String {
    if let text { return text.cut(unitsMax: unitsMax) }
    let lines =
      (withTitle ? [message.title, ""] : []) + (withLink ? message.factLines : message.factTable)
    let head = lines.joined(separator: "\n").cut(unitsMax: unitsMax)
    let gap = "\n\n"
    let room = unitsMax - head.utf16.count - gap.utf16.count
    return message.output.isEmpty || room <= 0
      ? head : head + gap + message.output.end(unitsMax: room)
  }
}

extension Post {
  init(_ method: String = "POST", url: String, json: JSONDocument) {
    self.init(
      url: url, method: method, contentType: "application/json; charset=utf-8", body: json.text)
  }
}
