/// A line of output as a terminal shows it, when the program goes back in it and writes over it:
/// a progress bar. Each character counts as one column.
package struct TerminalLine {
  private struct Cell {
    var bytes: Range<Int>
    var style: Int
  }

  /// No sequence moves further to the right, unless the line is longer.
  private static let columnsMax = 8192

  private let line: [UInt8]
  private var cells: [Cell] = []
  private var column = 0
  private var style = TerminalStyle()
  /// The styles that cells refer to by number; the first is that before the line.
  private var styles: [[UInt8]] = [[]]
  private var current = 0
  /// Where a sequence or a character starts whose rest is missing.
  private var end = 0

  /// Whether a line goes back: whether it is anything else than its bytes.
  package static func goesBack(_ line: [UInt8]) -> Bool { line.contains(13) || line.contains(8) }

  /// What the line shows in the end; without the spaces behind it.
  package static func lastState(of line: [UInt8]) -> [UInt8] {
    // Most such lines are of a text whose lines end with CR and LF.
    guard let first = line.firstIndex(where: { $0 == 13 || $0 == 8 }) else { return line }
    if first == line.count - 1 { return Array(line.dropLast()) }
    var state = Self(line)
    state.run(to: line.count)
    return state.shown(trimmed: true)
  }

  /// The shortest bytes that show the same, and that what follows continues as it would the line.
  package static func open(_ line: [UInt8]) -> [UInt8] {
    var state = Self(line)
    state.run(to: line.count - unfinishedBytes(of: line))
    var bytes = state.shown(trimmed: false)
    if state.column != state.cells.count {
      bytes.append(13)
      if state.column > 0 { bytes += Array("\u{1B}[\(state.column)C".utf8) }
    }
    return bytes + line[state.end...]
  }

  private init(_ line: [UInt8]) { self.line = line }

  /// How many bytes at the end may be the start of a sequence or of a character.
  package static func unfinishedBytes(of line: [UInt8]) -> Int {
    let cut = line.cutCharacterBytes
    if cut > 0 { return cut }
    guard let start = line.suffix(64).lastIndex(of: 0x1B) else { return 0 }
    guard let sequence = TerminalSequence(in: line, at: start) else { return line.count - start }
    return sequence.isComplete ? 0 : line.count - start
  }

  private mutating func run(to limit: Int) {
    var next = 0
    while next < limit {
      switch line[next] {
      case 13:
        column = 0
        next += 1
      case 8:
        column = max(0, column - 1)
        next += 1
      case 0x1B, 0xC2:
        if let sequence = TerminalSequence(in: line, at: next) {
          apply(sequence)
          next = sequence.range.upperBound
        } else {
          next = put(at: next, before: limit)
        }
      default: next = put(at: next, before: limit)
      }
    }
    end = next
  }

  /// Writes the character that starts there; returns where the next one does.
  private mutating func put(at start: Int, before limit: Int) -> Int {
    let byte = line[start]
    let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
    var next = start + 1
    while next < min(start + length, limit), line[next] & 0xC0 == 0x80 { next += 1 }
    if isCombining(start..<next), column > 0, cells[column - 1].bytes.upperBound == start {
      cells[column - 1].bytes = cells[column - 1].bytes.lowerBound..<next
      return next
    }
    pad()
    let cell = Cell(bytes: start..<next, style: current)
    if column < cells.count { cells[column] = cell } else { cells.append(cell) }
    column += 1
    return next
  }

  /// Whether a character belongs to the one before: an accent, a joiner, a variant.
  private func isCombining(_ range: Range<Int>) -> Bool {
    guard range.count > 1,
      let scalar = String(decoding: line[range], as: UTF8.self).unicodeScalars.first
    else { return false }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return true
    default: return scalar == "\u{200D}"
    }
  }

  private mutating func pad() {
    while cells.count < column { cells.append(Cell(bytes: 0..<0, style: 0)) }
  }

  private mutating func apply(_ sequence: TerminalSequence) {
    guard case .control(let parameters, let final) = sequence.kind else { return }
    let text = line[parameters]
    let number = Int(String(decoding: text, as: UTF8.self))
    switch final {
    case UInt8(ascii: "m"):
      style.apply(text)
      setStyle()
    case UInt8(ascii: "K"): erase(number ?? 0)
    case UInt8(ascii: "C"): move(to: column + min(max(1, number ?? 1), Self.columnsMax))
    case UInt8(ascii: "D"): move(to: column - max(1, number ?? 1))
    case UInt8(ascii: "G"): move(to: max(1, number ?? 1) - 1)
    default: break
    }
  }

  private mutating func move(to place: Int) {
    column = min(max(0, place), max(Self.columnsMax, cells.count))
  }

  private mutating func setStyle() {
    let bytes = style.sequence
    if let known = styles.firstIndex(of: bytes), known > 0 {
      current = known
    } else {
      styles.append(bytes)
      current = styles.count - 1
    }
  }

  private mutating func erase(_ part: Int) {
    if part == 0 {
      if column < cells.count { cells.removeSubrange(column...) }
    } else if part == 2 {
      cells = []
    } else if part == 1 {
      for place in 0..<min(column + 1, cells.count) { cells[place] = Cell(bytes: 0..<0, style: 0) }
    }
  }

  private func shown(trimmed isTrimmed: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    var shownStyle: [UInt8] = []
    func change(to style: Int, _ bytes: inout [UInt8]) {
      if style == 0, shownStyle.isEmpty { return }
      let wanted = style == 0 ? TerminalStyle().sequence : styles[style]
      guard wanted != shownStyle else { return }
      bytes += wanted
      shownStyle = wanted
    }
    var count = cells.count
    while isTrimmed, count > 0, isBlank(cells[count - 1]) { count -= 1 }
    for cell in cells[..<count] {
      change(to: cell.style, &bytes)
      if cell.bytes.isEmpty { bytes.append(32) } else { bytes += line[cell.bytes] }
    }
    change(to: current, &bytes)
    return bytes
  }

  private func isBlank(_ cell: Cell) -> Bool {
    [[], TerminalStyle().sequence].contains(styles[cell.style])
      && (cell.bytes.isEmpty || line[cell.bytes].elementsEqual([32]))
  }
}

extension [UInt8] {
  /// Lines as a terminal shows them in the end; without the carriage returns at their ends.
  package var linesForPeople: [UInt8] {
    guard TerminalLine.goesBack(self) else { return self }
    let lines = split(separator: 10, omittingEmptySubsequences: false)
    return Array(lines.map { TerminalLine.lastState(of: Array($0)) }.joined(separator: [10]))
  }
}

/// What sequences for colours have switched on.
private struct TerminalStyle {
  /// A colour, or a trait such as bold, with the codes that switch it on.
  private enum Trait: Hashable {
    case colour, ground
    case trait(Int)
  }

  private var on: [(trait: Trait, codes: [Int])] = []

  /// The sequence that makes any style this one.
  var sequence: [UInt8] {
    let codes = [0] + on.flatMap(\.codes)
    return Array("\u{1B}[\(codes.map(String.init).joined(separator: ";"))m".utf8)
  }

  mutating func apply(_ parameters: ArraySlice<UInt8>) {
    let texts = parameters.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == 0x3A || $0 == 0x3B })
    let codes = texts.prefix(32).map { min(Int(String(decoding: $0, as: UTF8.self)) ?? 0, 999) }
    var next = 0
    while next < codes.count {
      let code = codes[next]
      var count = 1
      if code == 38 || code == 48, next + 1 < codes.count {
        count = min(codes[next + 1] == 2 ? 5 : 3, codes.count - next)
      }
      apply(code, Array(codes[next..<(next + count)]))
      next += count
    }
  }

  private mutating func apply(_ code: Int, _ codes: [Int]) {
    switch code {
    case 0: on = []
    case 1...9: set(.trait(code), codes)
    case 22: for code in [1, 2] { set(.trait(code), nil) }
    case 23...29: set(.trait(code - 20), nil)
    case 30...38, 90...97: set(.colour, codes)
    case 39: set(.colour, nil)
    case 40...48, 100...107: set(.ground, codes)
    case 49: set(.ground, nil)
    default: break
    }
  }

  private mutating func set(_ trait: Trait, _ codes: [Int]?) {
    on.removeAll { $0.trait == trait }
    if let codes { on.append((trait, codes)) }
  }
}
