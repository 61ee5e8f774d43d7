import FoundationEssentials
import TaktTime

/// A mail as text: only ASCII, and lines of at most 998 bytes, whatever its content.
struct MailMessage {
  /// Bytes of a run's output that are attached.
  static let attachmentBytesMax = 65_536

  var from: MailAddress
  var to: [MailAddress]
  var subject: String
  var body: String
  /// The name and the bytes of an attached text file.
  var attachment: (name: String, bytes: [UInt8])?
  var date: WallInstant
  /// Globally unique.
  var id: String

  func text(lineEnd: String) -> String {
    var lines = [
      "From: \(from.header)", "To: \(to.map(\.header).joined(separator: ",\r\n "))",
      "Subject: \(MailHeader.text(subject))", "Date: \(MailHeader.date(date))",
      "Message-ID: <\(id)>", "MIME-Version: 1.0", "Auto-Submitted: auto-generated",
    ]
    if let attachment {
      let boundary = "takt-\(id.filter { $0.isLetter || $0.isNumber }.prefix(40))"
      lines += ["Content-Type: multipart/mixed; boundary=\"\(boundary)\"", "", "--\(boundary)"]
      lines += bodyPart() + ["--\(boundary)"]
      lines += [
        "Content-Type: text/plain; charset=utf-8; name=\"\(attachment.name)\"",
        "Content-Disposition: attachment; filename=\"\(attachment.name)\"",
        "Content-Transfer-Encoding: base64", "",
      ]
      lines += Self.base64(attachment.bytes) + ["--\(boundary)--"]
    } else {
      lines += bodyPart()
    }
    let text = lines.flatMap { $0.split(separator: "\r\n", omittingEmptySubsequences: false) }
    return text.joined(separator: lineEnd) + lineEnd
  }

  private func bodyPart() -> [String] {
    let lines = Self.lines(body)
    let isPlain = lines.allSatisfy { line in
      line.utf8.count <= 900 && line.utf8.allSatisfy { ($0 >= 0x20 && $0 < 0x7f) || $0 == 9 }
    }
    let type = "Content-Type: text/plain; charset=utf-8"
    if isPlain { return [type, "Content-Transfer-Encoding: 7bit", ""] + lines }
    let bytes = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    return [type, "Content-Transfer-Encoding: base64", ""] + Self.base64(bytes)
  }

  private static func lines(_ text: String) -> [String] {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  private static func base64(_ bytes: [UInt8]) -> [String] {
    let text = Array(Data(bytes).base64EncodedString().utf8)
    return stride(from: 0, to: text.count, by: 76).map {
      String(decoding: text[$0..<min($0 + 76, text.count)], as: UTF8.self)
    }
  }
}
