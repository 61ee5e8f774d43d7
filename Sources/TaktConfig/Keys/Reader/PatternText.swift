import Glibc

/// A POSIX extended regular expression for `grep -E`, within bounds on the time and the memory that
/// it takes to compile and to match.
enum PatternText {
  enum Problem: Error, Equatable {
    /// More than 1 KiB.
    case tooLong
    /// A back-reference such as `\1`, which can take extremely long to match.
    case backReference
    /// Repetitions that multiply to more than 100, or that expand the pattern to more than 2000
    /// characters, since the system expands them.
    case tooMuchRepetition
    /// Groups nested more than 100 deep.
    case tooDeep
    /// Refused by the system, with its own words.
    case invalid(String)
  }

  static func check(_ text: String) throws(Problem) {
    guard text.utf8.count <= 1024 else { throw .tooLong }
    var scanner = Scanner(rest: Array(text.utf8)[...])
    let weight = try scanner.alternatives(depth: 0)
    guard weight.product <= 100, weight.length <= 2000 else { throw .tooMuchRepetition }
    var pattern = regex_t()
    let error = regcomp(&pattern, text, REG_EXTENDED | REG_NOSUB)
    guard error == 0 else {
      var buffer = [CChar](repeating: 0, count: 200)
      // At most the size of the buffer is written.
      _ = regerror(error, &pattern, &buffer, buffer.count)
      throw .invalid(
        String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    regfree(&pattern)
  }

  /// The size of a part of a pattern with its repetitions expanded.
  private struct Weight {
    var length = 0
    /// The largest product of nested repetitions.
    var product = 1

    mutating func add(_ other: Weight) {
      length = min(length + other.length, .max >> 20)
      product = max(product, other.product)
    }

    func repeated(_ count: Int) -> Weight {
      // Bounded at each step, so that no product overflows.
      Weight(length: min(length * count, 1 << 20), product: min(product * max(1, count), 1 << 20))
    }
  }

  /// Reads a pattern as far as its weight requires; other mistakes are left to the system.
  private struct Scanner {
    var rest: ArraySlice<UInt8>

    mutating func alternatives(depth: Int) throws(Problem) -> Weight {
      guard depth <= 100 else { throw .tooDeep }
      var sum = Weight()
      var last = Weight()
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: ")") where depth > 0:
          sum.add(last)
          return sum
        case UInt8(ascii: "("):
          sum.add(last)
          last = try alternatives(depth: depth + 1)
          last.length += 1
        case UInt8(ascii: "*"), UInt8(ascii: "?"): break
        // The system expands `a+` to `aa*`.
        case UInt8(ascii: "+"): last = last.repeated(2)
        case UInt8(ascii: "{"): last = last.repeated(repetition())
        default:
          if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst(),
            (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(escaped)
          {
            throw .backReference
          }
          if byte == UInt8(ascii: "[") { skipBracket() }
          sum.add(last)
          last = Weight(length: 1)
        }
      }
      sum.add(last)
      return sum
    }

    /// The larger bound of `{n}`, `{n,}`, `{n,m}`; one more for an open one.
    private mutating func repetition() -> Int {
      let inner = rest.prefix { $0 != UInt8(ascii: "}") }
      guard rest.count > inner.count else { return 1 }
      rest = rest.dropFirst(inner.count + 1)
      let bounds = inner.split(
        separator: UInt8(ascii: ","), omittingEmptySubsequences: false
      ).map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
      let isOpen = bounds.count > 1 && bounds.last == 0
      return min(1 << 20, max(1, (bounds.max() ?? 1)) + (isOpen ? 1 : 0))
    }

    /// Skips to the end of `[…]`; a `]` that comes first, and classes such as `[:alpha:]`, do not
    /// end it.
    private mutating func skipBracket() {
      if rest.first == UInt8(ascii: "^") { rest.removeFirst() }
      if rest.first == UInt8(ascii: "]") { rest.removeFirst() }
      while let byte = rest.popFirst(), byte != UInt8(ascii: "]") {
        guard byte == UInt8(ascii: "["), let sign = rest.first, ":.=".utf8.contains(sign) else {
          continue
        }
        let end: [UInt8] = [sign, UInt8(ascii: "]")]
        rest.removeFirst()
        while !rest.isEmpty, !rest.starts(with: end) { rest.removeFirst() }
        rest = rest.dropFirst(2)
      }
    }
  }
}
