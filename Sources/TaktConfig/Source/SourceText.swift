import TaktCore

/// One file's text, and the way from a mark to what people read: line, column and the line's text.
final class SourceText {
  /// The file's path as it is shown.
  let file: String
  /// The line in which bytes begin that are no text; what stands from there on is not read.
  let cutLine: UInt32?
  /// Why, when there is such a line.
  let flaw: TextFlaw?

  private let bytes: FileBytes
  private let start: Int
  private let end: Int
  private var lineStarts: [Int] = []

  /// Takes the bytes of a file; a byte order mark in front is passed over.
  init(file: String, bytes: FileBytes) {
    self.file = file
    self.bytes = bytes
    start = bytes.buffer.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    flaw = TextFlaw.first(in: bytes.buffer, from: start)
    guard let flaw else {
      cutLine = nil
      end = bytes.buffer.count
      return
    }
    lineStarts = LineBreak.lineStarts(in: bytes.buffer, from: start, to: flaw.offset)
    cutLine = UInt32(clamping: lineStarts.count)
    end = lineStarts.last ?? start
  }

  /// What is read: without the byte order mark, up to the line of the flaw.
  var text: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes.buffer[start..<end]) }

  /// A mark as people read it, with the text of its line; a line of more than 64 KB is not shown.
  func place(of mark: YAMLMark) -> (location: SourceLocation, line: String?) {
    guard mark.line > 0 else { return (SourceLocation(file: file), nil) }
    var location = SourceLocation(file: file, line: Int(mark.line), column: Int(mark.column))
    let line = bytes(ofLine: Int(mark.line))
    guard line.count <= 65_536 else { return (location, nil) }
    let text = String(decoding: line, as: UTF8.self)
    // A mark counts code points, a person sees characters.
    location.column = text.unicodeScalars.prefix(Int(mark.column) - 1).characterCount + 1
    return (location, text)
  }

  /// What stands at a mark.
  func character(at mark: YAMLMark) -> Character? {
    let line = String(decoding: bytes(ofLine: Int(mark.line)).prefix(65_536), as: UTF8.self)
    return line.unicodeScalars.dropFirst(Int(mark.column) - 1).first.map(Character.init)
  }

  /// The mark of the flaw: bytes before it on its line count as code points.
  func mark(of flaw: TextFlaw) -> YAMLMark {
    let before = bytes.buffer[end..<flaw.offset]
    let column = before.reduce(into: 1) { count, byte in
      if byte & 0xc0 != 0x80 { count += 1 }
    }
    return YAMLMark(line: cutLine ?? 1, column: UInt32(clamping: column))
  }

  private func bytes(ofLine line: Int) -> Slice<UnsafeBufferPointer<UInt8>> {
    if lineStarts.isEmpty || flaw != nil, lineStarts.count <= line {
      lineStarts = LineBreak.lineStarts(in: bytes.buffer, from: start, to: bytes.buffer.count)
    }
    guard line > 0, line <= lineStarts.count else { return bytes.buffer[end..<end] }
    let first = lineStarts[line - 1]
    var last = line < lineStarts.count ? lineStarts[line] : bytes.buffer.count
    while last > first, LineBreak.isPlain(bytes.buffer[last - 1]) { last -= 1 }
    return bytes.buffer[first..<last]
  }
}

extension Substring.UnicodeScalarView {
  fileprivate var characterCount: Int { Substring(self).count }
}
