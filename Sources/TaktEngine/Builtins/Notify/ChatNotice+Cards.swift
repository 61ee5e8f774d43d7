/// Slack and Microsoft Teams.
extension ChatNotice {
  /// Slack splits a message after 4,000 characters.
  private static let slackBytesMax = 3900
  /// Teams accepts 28 KB with all formatting.
  private static let teamsBytesMax = 16_000

  var slack: Post? {
    call.text("url").map { Post(url: $0, json: .object([("text", .text(slackText))])) }
  }

  private var slackText: String {
    let bytesMax = Self.slackBytesMax
    if let text { return text.slackEscaped(bytesMax: bytesMax) }
    let head =
      (["*\(message.title.slackEscaped(bytesMax: 500))*"]
      + message.factLines.map { $0.slackEscaped(bytesMax: 300) }).joined(separator: "\n")
    if message.output.isEmpty { return head.cut(bytesMax: bytesMax) }
    // Fences in the output would end the block.
    let room = max(0, bytesMax - head.utf8.count - 16)
    let output = message.output.withoutFences.slackEscaped(bytesMax: room)
    return "\(head)\n```\n\(output)\n```"
  }

  var teams: Post? {
    call.text("url").map { Post(url: $0, json: teamsMessage) }
  }

  private var teamsMessage: JSONDocument {
    var card: [(String, JSONDocument)] = [
      ("$schema", .text("http://adaptivecards.io/schemas/adaptive-card.json")),
      ("type", .text("AdaptiveCard")), ("version", .text("1.4")), ("body", .list(teamsBlocks)),
    ]
    if let link = message.link {
      let action: [(String, JSONDocument)] = [
        ("type", .text("Action.OpenUrl")), ("title", .text("Open the run")), ("url", .text(link)),
      ]
      card.append(("actions", .list([.object(action)])))
    }
    let attachment: [(String, JSONDocument)] = [
      ("contentType", .text("application/vnd.microsoft.card.adaptive")), ("content", .object(card)),
    ]
    return .object([
      ("type", .text("message")), ("attachments", .list([.object(attachment)])),
    ])
  }

  private var teamsBlocks: [JSONDocument] {
    func block(_ text: String, _ more: [(String, JSONDocument)] = []) -> JSONDocument {
      .object([("type", .text("TextBlock")), ("text", .text(text)), ("wrap", .flag(true))] + more)
    }
    if let text { return [block(text.cut(bytesMax: Self.teamsBytesMax))] }
    let facts = message.facts.map { fact -> JSONDocument in
      .object([("title", .text(fact.name)), ("value", .text(fact.value.cut(bytesMax: 500)))])
    }
    let blocks = [
      block(
        message.title.cut(bytesMax: 500), [("weight", .text("Bolder")), ("size", .text("Medium"))]),
      .object([("type", .text("FactSet")), ("facts", .list(facts))]),
    ]
    if message.output.isEmpty { return blocks }
    // A text block joins lines that are separated by a single line end.
    return blocks + [
      block(
        message.output.replacing("\n", with: "\n\n").cut(bytesMax: 8000),
        [("fontType", .text("Monospace"))])
    ]
  }
}

extension String {
  /// The text escaped for Slack, within this many bytes.
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
    // Only whole pieces are removed, so that no escape is cut.
    while let last = pieces.last, count > max(0, bytesMax - 3) {
      count -= last.utf8.count
      pieces.removeLast()
    }
    return pieces.joined() + "…"
  }
}
