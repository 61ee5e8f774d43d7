/// An address as `user@host` or `Name <user@host>`; a user of this machine needs no host.
struct MailAddress: Equatable {
  /// The address for the server.
  var mailbox: String
  /// The person's name; empty without one.
  var name: String

  /// Nil for a text that is no address, more than one, or more than an address.
  init?(_ text: String) {
    var mailbox = Self.trimmed(text[...])
    var name = ""[...]
    if mailbox.last == ">", let open = mailbox.lastIndex(of: "<") {
      name = Self.trimmed(mailbox[..<open])
      mailbox = mailbox[mailbox.index(after: open)...].dropLast()
      if name.count >= 2, name.first == "\"", name.last == "\"" {
        name = name.dropFirst().dropLast()
      }
    }
    let parts = mailbox.split(separator: "@", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
      mailbox.first != "-", mailbox.utf8.count <= 254,
      mailbox.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !Self.special.contains($0) }),
      !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
    else { return nil }
    self.mailbox = String(mailbox)
    self.name = String(name)
  }

  private static let special = Set("<>()[]\\,;:\"".utf8)

  private static func trimmed(_ text: Substring) -> Substring {
    let rest = text.drop { $0 == " " }
    return rest.prefix(rest.count - rest.reversed().prefix { $0 == " " }.count)
  }

  /// The value for a header.
  var header: String {
    guard !name.isEmpty else { return mailbox }
    let isPlain = name.utf8.allSatisfy { $0 < 0x7f } && !name.contains("=?")
    let escaped = name.reduce(into: "") { text, character in
      if character == "\"" || character == "\\" { text.append("\\") }
      text.append(character)
    }
    return (isPlain ? "\"\(escaped)\"" : MailHeader.encoded(name)) + " <\(mailbox)>"
  }
}
