/// Sizes as people write them in a jobs file: `512B`, `64KB`, `1.5MB`, `1GiB`.
package enum SizeText {
  package enum Problem: Error, Hashable, Sendable {
    case noNumber
    case noUnit
    /// A unit that is none of `B KB MB GB TB`.
    case unknownUnit(String)
    /// A sign: sizes are never negative.
    case negative
    /// No whole number of bytes.
    case tooFine
    /// More than 1024 TB.
    case tooLarge
  }

  /// The largest size there is: 1024 TB.
  package static let maximumBytes = 1 << 50

  private static let units: [(names: [String], shift: Int)] = [
    (["TB", "TiB"], 40), (["GB", "GiB"], 30), (["MB", "MiB"], 20), (["KB", "KiB"], 10),
    (["B"], 0),
  ]

  /// Reads one number with its unit; a KB is 1024 bytes, and so is a KiB.
  package static func parse(_ text: String) throws(Problem) -> Int {
    if text.hasPrefix("-") { throw .negative }
    var rest = Array(text.utf8)[...]
    let digits = readDigits(&rest)
    var fraction: ArraySlice<UInt8> = []
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = readDigits(&rest)
      if fraction.isEmpty { throw .noNumber }
    }
    if digits.isEmpty { throw .noNumber }
    if rest.isEmpty { throw .noUnit }
    let name = String(decoding: rest, as: UTF8.self)
    guard let shift = units.first(where: { $0.names.contains(name) })?.shift else {
      throw .unknownUnit(name)
    }
    return try bytes(digits, fraction, shift: shift)
  }

  /// The likely unit of `k`, `Mb` or `gib`; nil if that is unclear.
  package static func unit(meantBy text: String) -> String? {
    let letters = text.lowercased()
    return units.lazy.map { $0.names[0] }.first { name in
      let unit = name.lowercased()
      return letters == unit || letters == unit.prefix(1) || letters == unit.prefix(1) + "ib"
    }
  }

  private static func bytes(
    _ digits: ArraySlice<UInt8>, _ fraction: ArraySlice<UInt8>, shift: Int
  ) throws(Problem) -> Int {
    var whole = 0
    for digit in digits {
      whole = whole * 10 + Int(digit - UInt8(ascii: "0"))
      if whole > maximumBytes >> shift { throw .tooLarge }
    }
    let significant = fraction.reversed().drop { $0 == UInt8(ascii: "0") }.reversed()
    // With six places the product of the fraction and a TB stays far below the largest Int.
    guard significant.count <= 6 else { throw .tooFine }
    var (part, divisor) = (0, 1)
    for digit in significant {
      part = part * 10 + Int(digit - UInt8(ascii: "0"))
      divisor *= 10
    }
    part <<= shift
    guard part.isMultiple(of: divisor) else { throw .tooFine }
    let sum = whole << shift + part / divisor
    if sum > maximumBytes { throw .tooLarge }
    return sum
  }

  private static func readDigits(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(digits.count)
    return digits
  }

  /// The size in the largest unit of which it is a whole number: `64KB`, `1537B`.
  package static func format(_ bytes: Int) -> String {
    for unit in units where bytes >= 1 << unit.shift && bytes.isMultiple(of: 1 << unit.shift) {
      return "\(bytes >> unit.shift)\(unit.names[0])"
    }
    return "\(bytes)B"
  }
}
