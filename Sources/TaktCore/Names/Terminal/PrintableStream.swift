/// The output of a run for a terminal: its bytes come in pieces of any size.
///
/// Colors are kept or removed; all else that controls the terminal is made visible.
package struct PrintableStream: Sendable {
  private static let lineBytesMax = 8192
  /// The longest sequence for a colour whose rest is waited for.
  private static let colourBytesMax = 256

  private let isColoured: Bool
  /// The unfinished line, and the part of it on the terminal.
  private var line: [UInt8] = []
  private var shownBytes = 0
  /// The style that the program has set, at the start of the line and now.
  private var lineStyle = TerminalStyle()
  private var style = TerminalStyle()
  /// The terminal's style; plain again whenever `add` returns, as the program may end there.
  private var shownStyle = TerminalStyle()

  /// - Parameter isColoured: true to keep colors.
  package init(isColoured: Bool = false) { self.isColoured = isColoured }

  /// The next part. A line that the program writes over is drawn again, in its new state.
  package mutating func add(_ bytes: [UInt8]) -> [UInt8] {
    var shown: [UInt8] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 10) {
      extend(with: rest[..<end], isWhole: true, &shown)
      // An end of a line in a colour would colour the rest of it.
      change(to: TerminalStyle(), &shown)
      shown.append(10)
      (line, shownBytes, lineStyle) = ([], 0, style)
      rest = rest[(end + 1)...]
    }
    extend(with: rest, isWhole: false, &shown)
    change(to: TerminalStyle(), &shown)
    return shown
  }

  private mutating func extend(
    with bytes: ArraySlice<UInt8>, isWhole: Bool, _ shown: inout [UInt8]
  ) {
    guard !bytes.isEmpty || isWhole && shownBytes < line.count else { return }
    line += bytes
    if TerminalLine.goesBack(line) {
      if shownBytes > 0 {
        change(to: TerminalStyle(), &shown)
        shown += Array("\r\u{1B}[K".utf8)
      }
      style = lineStyle
      draw(TerminalLine.lastState(of: line), &shown)
      if !isWhole { line = TerminalLine.open(line) }
      shownBytes = line.count
      return
    }
    // A character or a colour whose rest may follow waits for it.
    let end = line.count - (isWhole ? 0 : unfinishedBytes)
    guard end > shownBytes else { return }
    draw(Array(line[shownBytes..<end]), &shown)
    shownBytes = end
    if line.count > Self.lineBytesMax {
      line.removeFirst(end)
      shownBytes = 0
      lineStyle = style
    }
  }

  private var unfinishedBytes: Int {
    let cut = line.cutCharacterBytes
    if cut > 0 { return cut }
    let first = max(shownBytes, line.count - Self.colourBytesMax)
    guard first < line.count,
      let start = line[first...].lastIndex(where: { $0 == 0x1B || $0 == 0xC2 })
    else { return 0 }
    if start + 1 == line.count { return 1 }
    var ends = TerminalStringEnds()
    guard line[start + 1] == UInt8(ascii: "[") || line[start + 1] == 0x9B,
      let sequence = TerminalSequence(in: line, at: start, &ends), !sequence.isComplete
    else { return 0 }
    return line.count - start
  }

  /// Shows a text; its colours become the style of what follows them.
  private mutating func draw(_ bytes: [UInt8], _ shown: inout [UInt8]) {
    var ends = TerminalStringEnds()
    var start = 0
    var next = 0
    while let place = bytes[next...].firstIndex(where: { $0 == 0x1B || $0 == 0xC2 }) {
      guard let sequence = TerminalSequence(in: bytes, at: place, &ends),
        let colour = sequence.colour(in: bytes)
      else {
        next = place + 1
        continue
      }
      show(bytes[start..<place], &shown)
      style.apply(colour)
      next = sequence.range.upperBound
      start = next
    }
    show(bytes[start...], &shown)
  }

  private mutating func show(_ bytes: ArraySlice<UInt8>, _ shown: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    if isColoured { change(to: style.unconcealed, &shown) }
    shown += Array(String(decoding: bytes, as: UTF8.self).printableLines.utf8)
  }

  private mutating func change(to wanted: TerminalStyle, _ shown: inout [UInt8]) {
    guard wanted != shownStyle else { return }
    shown += wanted.sequence
    shownStyle = wanted
  }
}

extension TerminalSequence {
  /// The parameters of a sequence that sets colours; nil of any other. With another sign in front of
  /// them, or between them and the letter, it is about something else.
  fileprivate func colour(in bytes: [UInt8]) -> ArraySlice<UInt8>? {
    guard case .control(let parameters, UInt8(ascii: "m")) = kind,
      parameters.upperBound + 1 == range.upperBound,
      bytes[parameters].first.map({ $0 < 0x3C }) ?? true
    else { return nil }
    return bytes[parameters]
  }
}
