import FoundationEssentials

/// A value within a JSON text, passed on unchanged.
package struct JSONPiece {
  package let text: ArraySlice<UInt8>

  /// A text that others have sent; nil unless all of it is well-formed UTF-8 and JSON.
  package init?(checking text: [UInt8]) {
    // Foundation reads more than JSON: UTF-16 and UTF-32, which have zero bytes, a byte order mark,
    // and a comma behind the last element.
    guard !text.contains(0), text.first != 0xef, String(validating: text, as: UTF8.self) != nil,
      !JSONKeys.hasCommaAtEnd(text),
      (try? JSONDecoder().decode(AnyJSON.self, from: Data(text))) != nil
    else { return nil }
    self.init(text[...])
  }

  /// `text` is part of a text that was checked; of any other the pieces mean nothing.
  init(_ text: ArraySlice<UInt8>) { self.text = text }

  /// The value of an object's first member of this name; nil where it has none.
  package subscript(name: String) -> JSONPiece? { members.first { $0.key == name }?.value }

  /// The members of an object; none of another value.
  package var members: [(key: String, value: JSONPiece)] {
    parts(between: "{").compactMap { part in
      guard let quote = part.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
      let end = JSONKeys.end(ofStringAt: quote, in: part)
      guard let colon = part[end...].firstIndex(of: UInt8(ascii: ":")) else { return nil }
      return (JSONKeys.key(part[quote..<end]), JSONPiece(part[(colon + 1)...].trimmed))
    }
  }

  /// The elements of an array; none of another value.
  package var elements: [JSONPiece] { parts(between: "[").map { JSONPiece($0.trimmed) } }

  /// The members of an object, with commas between them: each name once, and none of those.
  func members(without dropped: Set<String>) -> [UInt8] {
    var seen = dropped
    var json = JSONWriter()
    for (key, value) in members where seen.insert(key).inserted {
      json.member(named: key, raw: value.text)
    }
    return json.bytes
  }

  /// The pieces between the commas within the outermost brackets.
  private func parts(between open: Unicode.Scalar) -> [ArraySlice<UInt8>] {
    let text = text.trimmed
    guard text.first == UInt8(ascii: open), text.count > 2 else { return [] }
    var parts: [ArraySlice<UInt8>] = []
    var start = text.startIndex + 1
    var (place, depth) = (start, 0)
    let last = text.endIndex - 1
    while place < last {
      switch text[place] {
      case UInt8(ascii: "\""):
        place = JSONKeys.end(ofStringAt: place, in: text)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        parts.append(text[start..<place])
        start = place + 1
      default: break
      }
      place += 1
    }
    let rest = text[start..<max(start, last)]
    return parts.isEmpty && rest.trimmed.isEmpty ? [] : parts + [rest]
  }
}

package struct AnyKey: CodingKey {
  package let stringValue: String
  package var intValue: Int? { nil }

  package init(stringValue: String) { self.stringValue = stringValue }
  package init?(intValue: Int) { nil }
}

/// Decodes each part of a value: Foundation checks a number or an escape only then.
private struct AnyJSON: Decodable {
  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: AnyKey.self) {
      for key in container.allKeys { _ = try container.decode(AnyJSON.self, forKey: key) }
    } else if var container = try? decoder.unkeyedContainer() {
      while !container.isAtEnd { _ = try container.decode(AnyJSON.self) }
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() || (try? container.decode(Bool.self)) != nil { return }
      if (try? container.decode(String.self)) != nil { return }
      _ = try container.decode(Double.self)
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate var trimmed: ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
    guard let first = firstIndex(where: { !isSpace($0) }),
      let last = lastIndex(where: { !isSpace($0) })
    else { return [] }
    return self[first...last]
  }
}
