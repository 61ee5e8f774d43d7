import FoundationEssentials

package enum JSONKeys {
  /// A key that an object has twice, of which readers take one or the other; nil where none has. The
  /// text must be well-formed.
  package static func duplicate(in text: [UInt8]) -> String? {
    // Of each object and array that is open; nil for an array.
    var open: [Set<String>?] = []
    var isKeyNext = false
    var place = 0
    while place < text.count {
      switch text[place] {
      case UInt8(ascii: "{"):
        open.append([])
        isKeyNext = true
      case UInt8(ascii: "["):
        open.append(nil)
        isKeyNext = false
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = open.popLast()
        isKeyNext = false
      case UInt8(ascii: ","): isKeyNext = open.last.flatMap(\.self) != nil
      case UInt8(ascii: "\""):
        let end = end(ofStringAt: place, in: text[...])
        if isKeyNext, let last = open.indices.last {
          let key = key(text[place..<end])
          if open[last]?.insert(key).inserted == false { return key }
          isKeyNext = false
        }
        place = end
        continue
      default: break
      }
      place += 1
    }
    return nil
  }

  /// Finds a comma after the last element of an array, or the last member of an object.
  static func hasCommaAtEnd(_ text: [UInt8]) -> Bool {
    var isBehindComma = false
    var place = 0
    while place < text.count {
      switch text[place] {
      case UInt8(ascii: ","): isBehindComma = true
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if isBehindComma { return true }
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
      case UInt8(ascii: "\""):
        isBehindComma = false
        place = end(ofStringAt: place, in: text[...])
        continue
      default: isBehindComma = false
      }
      place += 1
    }
    return false
  }

  static func end(ofStringAt start: Int, in text: ArraySlice<UInt8>) -> Int {
    var place = start + 1
    while place < text.endIndex, text[place] != UInt8(ascii: "\"") {
      place += text[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(place + 1, text.endIndex)
  }

  static func key(_ quoted: ArraySlice<UInt8>) -> String {
    if quoted.contains(UInt8(ascii: "\\")),
      let key = try? JSONDecoder().decode(String.self, from: Data(quoted))
    {
      return key
    }
    return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
  }
}
