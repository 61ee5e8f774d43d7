import TaktCore
import TaktSystem

/// Services whose messages go to the phone of a person on duty.
extension ChatNotice {
  private static let pushoverURL = "https://api.pushover.net"
  private static let pagerDutyURL = "https://events.pagerduty.com"
  /// ntfy turns a text of more than 4,096 bytes into a file.
  private static let ntfyBytesMax = 3900
  private static let gotifyUnitsMax = 8000

  var ntfy: Post? {
    guard let url = call.text("url"), let topic = Self.topic(of: url) else { return nil }
    var post = Post(
      url: topic.base,
      json: .object(
        [
          ("topic", .text(topic.name)), ("title", .text(message.title.cut(bytesMax: 200))),
          ("message", .text(plainText(withTitle: false, bytesMax: Self.ntfyBytesMax))),
          ("priority", .number(priority(or: isAlarm ? 4 : 3))),
          ("tags", .list([.text(isAlarm ? "warning" : "information_source")])),
        ] + (message.link.map { [("click", .text($0))] } ?? [])))
    if let token = call.text("token") { post.headers["authorization"] = "Bearer \(token)" }
    return post
  }

  /// The server's URL and the topic, which is the last part of the path.
  static func topic(of url: String) -> (base: String, name: String)? {
    let url = url.hasSuffix("/") ? url.dropLast() : url[...]
    guard let slash = url.lastIndex(of: "/"), url[..<slash].contains("://"),
      !url[..<slash].hasSuffix(":/"), case let name = url[url.index(after: slash)...],
      !name.isEmpty, !name.contains("?"), !name.contains("#")
    else { return nil }
    // The topic is sent in a message, not in the URL.
    return (String(url[...slash]), String(name).percentDecoded)
  }

  var gotify: Post? {
    guard let url = url("/message"), let token = call.text("token") else { return nil }
    var members: [(String, JSONDocument)] = [
      ("title", .text(message.title.cut(unitsMax: 250))),
      ("message", .text(plainText(withTitle: false, unitsMax: Self.gotifyUnitsMax))),
      ("priority", .number(priority(or: isAlarm ? 8 : 4))),
    ]
    if let link = message.link {
      let click = JSONDocument.object([("click", .object([("url", .text(link))]))])
      members.append(("extras", .object([("client::notification", click)])))
    }
    var post = Post(url: url, json: .object(members))
    post.headers["x-gotify-key"] = token
    return post
  }

  var pushover: Post? {
    guard let url = url("/1/messages.json", at: Self.pushoverURL),
      let token = call.text("token"), let user = call.text("user")
    else { return nil }
    let link = message.link.flatMap { $0.utf16.count > 512 ? nil : $0 }
    let priority = priority(or: 0)
    var fields = [
      ("token", token), ("user", user), ("title", message.title.cut(unitsMax: 250)),
      ("message", plainText(withTitle: false, withLink: false, unitsMax: 1024)),
      ("priority", String(priority)),
    ]
    // The highest priority needs the interval and the duration of its repetitions, in seconds.
    if priority == 2 { fields += [("retry", "60"), ("expire", "3600")] }
    if let link { fields.append(("url", link)) }
    var post = Post(url: url)
    post.contentType = "application/x-www-form-urlencoded"
    post.body = fields.map { "\($0)=\($1.percentEncodedPart)" }.joined(separator: "&")
    return post
  }

  var pagerduty: Post? {
    guard let url = url("/v2/enqueue", at: Self.pagerDutyURL), let token = call.text("token")
    else { return nil }
    var event: [(String, JSONDocument)] = [
      ("routing_key", .text(token)), ("event_action", .text(isOver ? "resolve" : "trigger")),
      ("dedup_key", .text(incident)),
    ]
    if !isOver {
      let facts = message.facts.map { ($0.name, JSONDocument.text($0.value)) }
      let details = facts + (message.output.isEmpty ? [] : [("Output", .text(message.output))])
      event += [
        (
          "payload",
          .object([
            ("summary", .text((text ?? message.title).cut(unitsMax: 1024))),
            ("source", .text(HostName.current)),
            ("severity", .text(hasFailed ? "error" : isAlarm ? "warning" : "info")),
            ("component", .text(call.request.spec.name.text)),
            ("custom_details", .object(details)),
          ])
        ), ("client", .text("takt")),
      ]
      if let link = message.link { event.append(("client_url", .text(link))) }
    }
    return Post(url: url, json: .object(event))
  }

  /// Groups events about one problem for PagerDuty: by default, those of one job on this machine. A
  /// long value is replaced by its digest.
  private var incident: String {
    let key =
      call.text("dedup_key").flatMap { $0.isEmpty ? nil : $0 }
      ?? "takt/\(HostName.current)/\(call.request.spec.name)"
    return key.utf8.count <= 255 ? key : SHA256.hash(key.utf8).hexadecimal
  }
}
