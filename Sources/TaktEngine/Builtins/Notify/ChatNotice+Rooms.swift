import TaktCore

/// Services whose messages go to a room. Slack and Teams have their own file.
extension ChatNotice {
  private static let telegramURL = "https://api.telegram.org"
  /// Telegram refuses a text of more than 4,096.
  private static let telegramBytesMax = 3900
  /// Discord refuses a text of more than 2,000 characters.
  private static let discordUnitsMax = 2000
  /// A Matrix event has at most 65,536 bytes; a unit has at most three.
  private static let matrixUnitsMax = 10_000

  var discord: Post? {
    call.text("url").map { url in
      Post(
        url: url,
        json: .object([
          ("content", .text(discordText)),
          // Output of a job notifies no user, not even with `@everyone`.
          ("allowed_mentions", .object([("parse", .list([]))])),
          // No previews of links in the output.
          ("flags", .number(4)),
        ]))
    }
  }

  private var discordText: String {
    if let text { return text.cut(unitsMax: Self.discordUnitsMax) }
    let head = "**\(message.title.cut(unitsMax: 300).discordEscaped)**\n"
    let link = message.link.flatMap { $0.utf16.count > 500 ? nil : "\n<\($0)>" } ?? ""
    let (opening, closing) = ("```\n", "\n```")
    let frame = head + opening + closing + link
    var room = Self.discordUnitsMax - frame.utf16.count
    // Fences in it would end the block.
    var block = message.factTable.joined(separator: "\n").withoutFences.cut(unitsMax: room / 2)
    room -= block.utf16.count
    if !message.output.isEmpty {
      block += "\n\n" + message.output.withoutFences.end(unitsMax: room - 2)
    }
    return head + opening + block + closing + link
  }

  var telegram: Post? {
    guard let token = call.text("token"), let chat = call.text("chat") else { return nil }
    // A token has a colon, which is allowed in a path.
    let part = token.split(separator: ":", omittingEmptySubsequences: false)
      .map { String($0).percentEncodedPart }.joined(separator: ":")
    return url("/bot\(part)/sendMessage", at: Self.telegramURL).map { url in
      Post(
        url: url,
        json: .object([
          ("chat_id", .text(chat)),
          ("text", .text(plainText(withTitle: true, bytesMax: Self.telegramBytesMax))),
          ("link_preview_options", .object([("is_disabled", .flag(true))])),
        ]))
    }
  }

  var matrix: Post? {
    guard let token = call.text("token"), let room = call.text("chat"),
      // The same in each try, so that the server shows the message once.
      let url = url(
        "/_matrix/client/v3/rooms/\(room.percentEncodedPart)/send/m.room.message/"
          + RunUUID.ofMessage(call.request))
    else { return nil }
    var content: [(String, JSONDocument)] = [
      // Clients show no notification for an `m.notice`.
      ("msgtype", .text("m.text")),
      ("body", .text(plainText(withTitle: true, unitsMax: Self.matrixUnitsMax))),
      // Output of a job notifies no user, not even with `@room`.
      ("m.mentions", .object([])),
    ]
    if text == nil {
      content += [
        ("format", .text("org.matrix.custom.html")), ("formatted_body", .text(matrixMarkup)),
      ]
    }
    var post = Post("PUT", url: url, json: .object(content))
    post.headers["authorization"] = "Bearer \(token)"
    return post
  }

  private var matrixMarkup: String {
    func escaped(_ text: String) -> String { [Placeholders.Filter.html].applied(to: text) }
    let block = message.factTable + (message.output.isEmpty ? [] : ["", message.output])
    return "<strong>\(escaped(message.title))</strong>"
      + "<pre><code>\(escaped(block.joined(separator: "\n")))</code></pre>"
      + (message.link.map { "<a href=\"\(escaped($0))\">\(escaped($0))</a>" } ?? "")
  }

  /// `plainText`, limited in bytes; a cut removes the end.
  func plainText(withTitle: Bool, bytesMax: Int) -> String {
    plainText(withTitle: withTitle, unitsMax: .max).cut(bytesMax: bytesMax)
  }
}

extension String {
  /// The text without delimiters of code blocks.
  var withoutFences: String { replacing("```", with: "'''") }

  fileprivate var discordEscaped: String {
    String(flatMap { "\\*_~`|<>[]#".contains($0) ? ["\\", $0] : [$0] })
  }
}
