import TaktCore
import TaktTime

/// JSON that is only written.
indirect enum JSONDocument {
  case text(String)
  case number(Int)
  case flag(Bool)
  case list([JSONDocument])
  case object([(String, JSONDocument)])

  var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .text(let text): JSONText.append(text, to: &bytes)
    case .number(let number): bytes.append(decimal: Int64(number))
    case .flag(let flag): bytes.append(utf8: flag ? "true" : "false")
    case .list(let items):
      bytes.append(UInt8(ascii: "["))
      for (place, item) in items.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        item.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (place, member) in members.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONText.append(member.0, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.1.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}

/// A service that shows messages to people, and the form that it wants them in.
enum ChatService: String, CaseIterable {
  case slack, teams, telegram, ntfy

  /// A longer text is cut, so that the service neither refuses nor splits it.
  var textBytesMax: Int {
    switch self {
    // Slack splits a message behind 4,000 characters, Telegram refuses one of more than 4,096, and
    // ntfy makes a file of one with more bytes than that. Teams takes 28 KB with all that is around.
    case .slack, .telegram, .ntfy: 3900
    case .teams: 16_000
    }
  }

  /// The body of a request.
  func body(_ message: RunMessage, text: String?, chat: String, isAlarm: Bool, priority: Int?)
    -> JSONDocument
  {
    switch self {
    case .slack: .object([("text", .text(slackText(message, text)))])
    case .teams: teams(message, text)
    case .telegram:
      .object([
        ("chat_id", .text(chat)), ("text", .text(plainText(message, text, withTitle: true))),
        ("link_preview_options", .object([("is_disabled", .flag(true))])),
      ])
    case .ntfy:
      .object(
        [
          ("topic", .text(chat)), ("title", .text(message.title.cut(bytesMax: 200))),
          ("message", .text(plainText(message, text, withTitle: false))),
          ("priority", .number(priority ?? (isAlarm ? 4 : 3))),
          ("tags", .list([.text(isAlarm ? "warning" : "information_source")])),
        ] + (message.link.map { [("click", .text($0))] } ?? []))
    }
  }

  /// The title, the facts and the last lines; of those the end counts.
  private func plainText(_ message: RunMessage, _ text: String?, withTitle: Bool) -> String {
    if let text { return text.cut(bytesMax: textBytesMax) }
    var lines = withTitle ? [message.title, ""] : []
    lines += message.factLines
    if !message.output.isEmpty { lines += ["", message.output] }
    return lines.joined(separator: "\n").cut(bytesMax: textBytesMax)
  }

  private func slackText(_ message: RunMessage, _ text: String?) -> String {
    if let text { return text.slackEscaped(bytesMax: textBytesMax) }
    let head =
      (["*\(message.title.slackEscaped(bytesMax: 500))*"]
      + message.factLines.map { $0.slackEscaped(bytesMax: 300) }).joined(separator: "\n")
    if message.output.isEmpty { return head.cut(bytesMax: textBytesMax) }
    // Fences in the output would end the block.
    let room = max(0, textBytesMax - head.utf8.count - 16)
    let output = message.output.replacing("```", with: "'''").slackEscaped(bytesMax: room)
    return "\(head)\n```\n\(output)\n```"
  }

  private func teams(_ message: RunMessage, _ text: String?) -> JSONDocument {
    func block(_ text: String, _ more: [(String, JSONDocument)] = []) -> JSONDocument {
      .object([("type", .text("TextBlock")), ("text", .text(text)), ("wrap", .flag(true))] + more)
    }
    var body: [JSONDocument]
    if let text {
      body = [block(text.cut(bytesMax: textBytesMax))]
    } else {
      let facts = message.facts.map { fact -> JSONDocument in
        .object([("title", .text(fact.name)), ("value", .text(fact.value.cut(bytesMax: 500)))])
      }
      body = [
        block(
          message.title.cut(bytesMax: 500),
          [("weight", .text("Bolder")), ("size", .text("Medium"))]),
        .object([("type", .text("FactSet")), ("facts", .list(facts))]),
      ]
      if !message.output.isEmpty {
        // A text block joins lines that only one line end parts.
        body.append(
          block(
            message.output.replacing("\n", with: "\n\n").cut(bytesMax: 8000),
            [("fontType", .text("Monospace"))]))
      }
    }
    var card: [(String, JSONDocument)] = [
      ("$schema", .text("http://adaptivecards.io/schemas/adaptive-card.json")),
      ("type", .text("AdaptiveCard")), ("version", .text("1.4")), ("body", .list(body)),
    ]
    if let link = message.link {
      card.append(
        (
          "actions",
          .list([
            .object([
              ("type", .text("Action.OpenUrl")), ("title", .text("Open the run")),
              ("url", .text(link)),
            ])
          ])
        ))
    }
    return .object([
      ("type", .text("message")),
      (
        "attachments",
        .list([
          .object([
            ("contentType", .text("application/vnd.microsoft.card.adaptive")),
            ("content", .object(card)),
          ])
        ])
      ),
    ])
  }
}

extension String {
  /// The text as Slack shows it as it is, within so many bytes.
  fileprivate func slackEscaped(bytesMax: Int) -> String {
    var pieces = map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      default: String(character)
      }
    }
    var count = pieces.reduce(0) { $0 + $1.utf8.count }
    if count <= bytesMax { return pieces.joined() }
    // Whole pieces, so that no escape is cut.
    while let last = pieces.last, count > max(0, bytesMax - 3) {
      count -= last.utf8.count
      pieces.removeLast()
    }
    return pieces.joined() + "…"
  }
}
