/// Valid and unique names of jobs.
struct JobNames {
  private var used: Set<String> = []
  /// The next number for each name in use.
  private var numbers: [String: Int] = [:]
  static let bytesMax = 128

  /// A valid name similar to the text; with a number if it is taken.
  mutating func name(like text: String) -> String {
    let base = Self.valid(text)
    var name = base
    var number = numbers[base] ?? 2
    while !used.insert(name).inserted {
      let suffix = "-\(number)"
      name = String(base.prefix(Self.bytesMax - suffix.utf8.count)) + suffix
      number += 1
    }
    numbers[base] = number
    return name
  }

  static func valid(_ text: String) -> String {
    var name = ""
    for scalar in text.unicodeScalars.prefix(Self.bytesMax) {
      let isAllowed =
        scalar.isASCII
        && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "._-".unicodeScalars.contains(scalar))
      let sign = isAllowed ? Character(scalar) : "-"
      if sign == "-", name.hasSuffix("-") { continue }
      name.append(sign)
    }
    while let first = name.first, !first.isLetter && !first.isNumber { name.removeFirst() }
    while let last = name.last, !last.isLetter && !last.isNumber { name.removeLast() }
    return name.isEmpty ? "job" : name
  }
}
