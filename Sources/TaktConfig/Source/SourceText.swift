import TaktCore
import TaktSystem

/// One file's text, with the conversion of marks for people: line, column and the line's text.
final class SourceText {
  /// The file's path in messages.
  let file: String
  /// The line with the first bytes that are no text; from there on nothing is read.
  let cutLine: UInt32?
  /// Nil if all bytes are text.
  let flaw: TextFlaw?

  private let bytes: FileBytes
  private let start: Int
  private let end: Int
  private var lineStarts: [Int] = []
  private lazy var secretLines = findSecretLines()

  /// Skips a byte order mark at the start.
  init(file: String, bytes: FileBytes) {
    self.file = file
    self.bytes = bytes
    let start = bytes.withBytes { $0.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0 }
    let flaw = bytes.withBytes { TextFlaw.first(in: $0, from: start) }
    self.start = start
    self.flaw = flaw
    guard let flaw else {
      cutLine = nil
      end = bytes.withBytes(\.count)
      return
    }
    let lines = bytes.withBytes { LineBreak.lineStarts(in: $0, from: start, to: flaw.offset) }
    cutLine = UInt32(clamping: lines.count)
    end = lines.last ?? start
  }

  /// Lends the text that is read: without the byte order mark, up to the line of the flaw. Its
  /// address is always the same.
  func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    bytes.withBytes { body(UnsafeBufferPointer(rebasing: $0[start..<end])) }
  }

  /// The place of a mark for people, with the text of its line; a line of more than 64 KB, and one
  /// that may hold a secret, is not shown.
  func place(of mark: YAMLMark) -> (location: SourceLocation, line: String?) {
    guard mark.line > 0 else { return (SourceLocation(file: file), nil) }
    var location = SourceLocation(file: file, line: Int(mark.line), column: Int(mark.column))
    guard let text = text(ofLine: Int(mark.line)) else { return (location, nil) }
    // A mark counts code points, a person sees characters.
    location.column = text.unicodeScalars.prefix(Int(mark.column) - 1).characterCount + 1
    return (location, isSecret(location.line) ? nil : text)
  }

  /// True if a line may hold a secret.
  func isSecret(_ line: Int) -> Bool { secretLines.numbers.contains(line) }

  func character(at mark: YAMLMark) -> Character? {
    guard let text = text(ofLine: Int(mark.line)) else { return nil }
    return text.unicodeScalars.dropFirst(Int(mark.column) - 1).first.map(Character.init)
  }

  /// The mark of the flaw: bytes before it on its line count as code points.
  func mark(of flaw: TextFlaw) -> YAMLMark {
    let column = bytes.withBytes { bytes in
      bytes[end..<flaw.offset].reduce(into: 1) { count, byte in
        if byte & 0xc0 != 0x80 { count += 1 }
      }
    }
    return YAMLMark(line: cutLine ?? 1, column: UInt32(clamping: column))
  }

  private func findSecretLines() -> SecretLines {
    bytes.withBytes { SecretLines(in: $0, starts: lines(of: $0)) }
  }

  /// A line without its end; nil if there is no such line, and for one of more than 64 KB.
  func text(ofLine line: Int) -> String? {
    bytes.withBytes { bytes in
      let lineStarts = lines(of: bytes)
      guard line > 0, line <= lineStarts.count else { return nil }
      let first = lineStarts[line - 1]
      var last = line < lineStarts.count ? lineStarts[line] : bytes.count
      while last > first, LineBreak.isPlain(bytes[last - 1]) { last -= 1 }
      return last - first <= 65_536 ? String(decoding: bytes[first..<last], as: UTF8.self) : nil
    }
  }

  /// The offset of each line's first byte.
  private func lines(of bytes: UnsafeBufferPointer<UInt8>) -> [Int] {
    if lineStarts.isEmpty {
      lineStarts = LineBreak.lineStarts(in: bytes, from: start, to: bytes.count)
    }
    return lineStarts
  }
}

extension Substring.UnicodeScalarView {
  fileprivate var characterCount: Int { Substring(self).count }
}

/// A place in a YAML text, as libyaml counts: lines and code points, from 1.
struct YAMLMark: Hashable, Comparable, Sendable {
  /// From 1; 0 for the file as a whole.
  var line: UInt32
  /// From 1, in code points.
  var column: UInt32

  static let wholeFile = YAMLMark(line: 0, column: 0)

  static func < (left: Self, right: Self) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// The ends of lines, by libyaml's rules, so that its marks match our lines.
enum LineBreak {
  /// True for a carriage return or a line feed.
  static func isPlain(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }

  /// The offset of each line's first byte; the first is `start`.
  static func lineStarts(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
  ) -> [Int] {
    var starts = [start]
    var index = start
    while index < end {
      // Nearly all bytes are neither a line break nor the first of one.
      if bytes[index] > 0x0d, bytes[index] < 0xc2 {
        index += 1
        continue
      }
      let length = length(in: bytes, at: index, end: end)
      if length > 0 { starts.append(index + length) }
      index += max(1, length)
    }
    return starts
  }

  /// The length in bytes of a line break at `index`; 0 for none.
  private static func length(in bytes: UnsafeBufferPointer<UInt8>, at index: Int, end: Int) -> Int {
    func byte(_ distance: Int) -> UInt8 { index + distance < end ? bytes[index + distance] : 0 }
    switch bytes[index] {
    case 0x0a: return 1
    case 0x0d: return byte(1) == 0x0a ? 2 : 1
    case 0xc2: return byte(1) == 0x85 ? 2 : 0
    case 0xe2: return byte(1) == 0x80 && (byte(2) == 0xa8 || byte(2) == 0xa9) ? 3 : 0
    default: return 0
    }
  }
}
