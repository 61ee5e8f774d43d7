import FoundationEssentials
import TaktCore

/// The body of a request in a jobs file, parsed as JSON.
struct JSONBody {
  private let parts: [Placeholders.Part]

  /// Nil for a body that is not JSON: by its `Content-Type`, or without one, by parsing it with a
  /// digit for each placeholder.
  init?(_ text: String, contentType: String?) {
    guard let parts = try? Placeholders.parse(text) else { return nil }
    self.parts = parts
    if let contentType {
      guard contentType.lowercased().contains("json") else { return nil }
    } else {
      guard Self.isDocument(text: parts.map { $0.literal ?? "0" }.joined()) else { return nil }
    }
  }

  private static func isDocument(text: String) -> Bool {
    guard let first = text.utf8.first(where: { !" \t\r\n".utf8.contains($0) }),
      "{[".utf8.contains(first)
    else { return false }
    return (try? JSONDecoder().decode(Anything.self, from: Data(text.utf8))) != nil
  }

  /// Accepts any JSON, only to check it.
  private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
  }

  /// Describes the first placeholder whose value may break the body.
  var problem: String? {
    var isInString = false
    var isEscaped = false
    for part in parts {
      switch part {
      case .text(let text):
        for byte in text.utf8 {
          switch byte {
          case _ where isEscaped: isEscaped = false
          case UInt8(ascii: "\\"): isEscaped = isInString
          case UInt8(ascii: "\""): isInString.toggle()
          default: break
          }
        }
      case .name(let name, let filters):
        isEscaped = false
        guard name.isArbitrary else { break }
        let name = name.rawValue
        if isInString, ![.json, .url].contains(filters.last) {
          return "'{{\(name)}}' can break the JSON string it is in; write '{{\(name)|json}}'"
        }
        if !isInString, filters.last == .json {
          return "'{{\(name)|json}}' is text for a JSON string; write '\"{{\(name)|json}}\"'"
        }
      // The author of the file knows the secret.
      case .secret: isEscaped = false
      }
    }
    return nil
  }
}

extension Placeholders.Part {
  fileprivate var literal: String? { if case .text(let text) = self { text } else { nil } }
}

extension Placeholders.Name {
  /// True if its value may have any characters. All others are words, numbers, names and addresses.
  fileprivate var isArbitrary: Bool {
    switch self {
    case .output: true
    case .job, .run, .slot, .attempt, .fence, .hook, .host, .outcome, .reason, .streak, .attempts,
      .runURL, .durationMilliseconds, .latenessMilliseconds, .cpu, .memory:
      false
    }
  }
}
