package import TaktCore

package struct SourceToken: Hashable, Sendable {
  package var place: SourceLocation
  package var text: String

  package init(_ text: String, at place: SourceLocation) {
    self.text = text
    self.place = place
  }

  var columns: Range<Int> {
    place.column..<place.column + max(1, text.unicodeScalars.count)
  }
}

/// One line of a source. Columns count Unicode scalars from 1.
struct SourceLine {
  let file: String
  let number: Int
  let scalars: [Unicode.Scalar]
  /// False for bytes that are not UTF-8, or that contain a NUL.
  var isText = true
  /// True if a carriage return, not included, precedes the line end.
  var endsWithReturn = false

  /// The line for programs that treat a carriage return as an ordinary character.
  var withReturn: SourceLine {
    guard endsWithReturn else { return self }
    return SourceLine(file: file, number: number, scalars: scalars + ["\r"], isText: isText)
  }

  func text(_ range: Range<Int>) -> String {
    String(String.UnicodeScalarView(scalars[range]))
  }

  var text: String { text(0..<scalars.count) }

  func token(_ range: Range<Int>) -> SourceToken {
    SourceToken(
      text(range),
      at: SourceLocation(file: file, line: number, column: range.lowerBound + 1))
  }

  /// Without blanks at both ends; nil if nothing remains.
  var trimmed: Range<Int>? {
    guard let first = scalars.firstIndex(where: { !Self.isBlank($0) }),
      let last = scalars.lastIndex(where: { !Self.isBlank($0) })
    else { return nil }
    return first..<last + 1
  }

  func skipBlanks(from index: Int) -> Int {
    scalars[index...].firstIndex { !Self.isBlank($0) } ?? scalars.count
  }

  func word(from index: Int) -> Range<Int> {
    index..<(scalars[index...].firstIndex(where: Self.isBlank) ?? scalars.count)
  }

  static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

  /// The rule of C's `isspace`.
  static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    isBlank(scalar) || (0x0a...0x0d).contains(scalar.value)
  }
}

struct SourceLines {
  let file: String
  let lines: [SourceLine]
  let endsWithinLine: Bool
  /// True if it started with a byte order mark, which is not included here.
  let hasByteOrderMark: Bool
  /// Lines that ended with a carriage return, which is not included here.
  let carriageReturns: [Int]

  /// The start of the first comment in the output of `takt export`; there, comments name the jobs.
  static let exportMark = "Written by takt export,"

  var isExported: Bool { lines.first?.text.hasPrefix("# \(Self.exportMark)") == true }

  init(file: String, bytes: [UInt8]) {
    self.file = file
    var lines: [SourceLine] = []
    var returns: [Int] = []
    var rest = bytes[...]
    hasByteOrderMark = rest.starts(with: [0xef, 0xbb, 0xbf])
    if hasByteOrderMark { rest = rest.dropFirst(3) }
    endsWithinLine = rest.last.map { $0 != UInt8(ascii: "\n") } ?? false
    if rest.last == UInt8(ascii: "\n") { rest = rest.dropLast() }
    if !rest.isEmpty || !endsWithinLine && !bytes.isEmpty {
      for line in rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        var line = line
        let number = lines.count + 1
        let endsWithReturn = line.last == UInt8(ascii: "\r")
        if endsWithReturn {
          line = line.dropLast()
          returns.append(number)
        }
        let valid = String(validating: line, as: UTF8.self)
        lines.append(
          SourceLine(
            file: file, number: number,
            scalars: Array((valid ?? String(decoding: line, as: UTF8.self)).unicodeScalars),
            isText: valid != nil && !line.contains(0), endsWithReturn: endsWithReturn))
      }
    }
    self.lines = lines
    carriageReturns = returns
  }
}
