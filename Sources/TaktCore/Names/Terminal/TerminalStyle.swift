/// The effect of the sequences for colors so far.
struct TerminalStyle: Hashable {
  /// Traits such as bold: a bit for each of the codes 1 to 9.
  private var traits: UInt16 = 0
  /// The codes of a colour in ten bits each, the first one lowest, and how many they are in the
  /// highest byte.
  private var colour: UInt64 = 0
  private var ground: UInt64 = 0

  /// The sequence that makes any style this one.
  var sequence: [UInt8] {
    var bytes: [UInt8] = [0x1B, UInt8(ascii: "["), UInt8(ascii: "0")]
    func append(_ code: UInt64) {
      bytes.append(UInt8(ascii: ";"))
      for unit in [100, 10, 1] as [UInt64] where code >= unit || unit == 1 {
        bytes.append(UInt8(ascii: "0") + UInt8(code / unit % 10))
      }
    }
    for code in 1...9 as ClosedRange<UInt64> where traits >> code & 1 != 0 { append(code) }
    for colour in [colour, ground] {
      for place in 0..<(colour >> 56) { append(colour >> (10 * place) & 1023) }
    }
    bytes.append(UInt8(ascii: "m"))
    return bytes
  }

  /// The same with a text that can be read, which one of the traits hides.
  var unconcealed: Self {
    var style = self
    style.traits &= ~(1 << 8)
    return style
  }

  mutating func apply(_ parameters: ArraySlice<UInt8>) {
    let codes = Self.codes(of: parameters)
    var next = 0
    while next < codes.count {
      let code = codes[next].value
      var end = codes[(next + 1)...].firstIndex { !$0.isPart } ?? codes.count
      var parts = codes[(next + 1)..<end].map(\.value)
      let isColour = code == 38 || code == 48 || code == 58
      if isColour, !parts.isEmpty {
        // A colour may name the space that it is in.
        if parts[0] == 2, parts.count > 4 { parts.remove(at: 1) }
      } else if isColour, end < codes.count {
        end = min(end + (codes[end].value == 2 ? 4 : 2), codes.count)
        parts = codes[(next + 1)..<end].map(\.value)
      }
      apply(code, parts)
      next = end
    }
  }

  /// The numbers, each with true if a colon makes it a part of the one before.
  private static func codes(of parameters: ArraySlice<UInt8>) -> [(value: Int, isPart: Bool)] {
    var codes = [(value: 0, isPart: false)]
    for byte in parameters {
      if byte == 0x3A || byte == 0x3B {
        if codes.count == 32 { break }
        codes.append((0, byte == 0x3A))
      } else if byte < 0x3A {
        let last = codes.count - 1
        codes[last].value = min(codes[last].value * 10 + Int(byte) - 0x30, 999)
      }
    }
    return codes
  }

  /// - Parameter parts: further codes, such as those of the color.
  private mutating func apply(_ code: Int, _ parts: [Int]) {
    switch code {
    case 0: self = Self()
    case 4 where parts.first == 0: traits &= ~(1 << 4)
    case 1...9: traits |= 1 << UInt16(code)
    case 22: traits &= ~0b110
    case 23...29: traits &= ~(1 << UInt16(code - 20))
    case 30...38, 90...97: colour = Self.packed([code] + parts.prefix(4))
    case 39: colour = 0
    case 40...48, 100...107: ground = Self.packed([code] + parts.prefix(4))
    case 49: ground = 0
    default: break
    }
  }

  private static func packed(_ codes: [Int]) -> UInt64 {
    codes.reversed().reduce(0) { $0 << 10 | UInt64($1) } | UInt64(codes.count) << 56
  }
}
