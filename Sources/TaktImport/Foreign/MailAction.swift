import TaktCore

/// A mail of another program as `use: mail`.
struct MailAction {
  var host: String
  var port: String?
  var user: String?
  var password: String?
  var from: String
  /// Separated by commas.
  var to: String

  /// Nil if takt could not send it.
  var value: DraftValue? {
    let receivers = to.split(separator: ",").map(\.trimmed)
    guard Self.isHost(host), Self.isAddress(from), !receivers.isEmpty,
      receivers.allSatisfy(Self.isAddress), let number = Int(port ?? "25"),
      (1...65535).contains(number)
    else { return nil }
    let security = [465: "tls", 587: "starttls"][number] ?? "none"
    var entries = [
      DraftEntry(key: "host", value: .text(host)),
      DraftEntry(key: "port", value: .word("\(number)")),
      DraftEntry(key: "tls", value: .word(security)),
    ]
    if let user, let password, !user.isEmpty, !password.isEmpty {
      entries.append(DraftEntry(key: "user", value: .text(Self.literal(user))))
      entries.append(DraftEntry(key: "password", value: .text(Self.literal(password))))
    }
    entries.append(DraftEntry(key: "from", value: .text(from)))
    entries.append(DraftEntry(key: "to", value: .list(receivers.map(DraftValue.text))))
    return .mapping(["use": .word("mail"), "with": .map(entries)])
  }

  /// Escapes the text so that no placeholder starts in it.
  static func literal(_ text: String) -> String { text.replacing("{{", with: "{{{{") }

  /// True for `user@host` or `Name <user@host>` in a form that takt accepts.
  static func isAddress(_ text: String) -> Bool {
    var box = text[...]
    if text.hasSuffix(">"), let open = text.lastIndex(of: "<") {
      guard !text[..<open].contains(where: { "\"<>{".contains($0) }) else { return false }
      box = text[text.index(after: open)...].dropLast()
    }
    return box.split(separator: "@", omittingEmptySubsequences: false).count == 2
      && !box.hasPrefix("@") && !box.hasSuffix("@") && !box.hasPrefix("-")
      && box.utf8.count <= 254
      && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
      && box.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"<>()[]\\,;:\"{".utf8.contains($0) }
  }

  static func isHost(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || ".-_".utf8.contains($0) }
  }
}
