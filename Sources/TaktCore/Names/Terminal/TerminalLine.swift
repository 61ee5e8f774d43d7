/// A line of output as a terminal shows it, when the program goes back in it and writes over it:
/// a progress bar. Each character counts as one column.
package struct TerminalLine {
  private struct Cell {
    var bytes: Range<Int>
    var style: Int
    /// The number of times that the start of the line had been erased before.
    var erasures: Int
  }

  /// No sequence moves further to the right, unless the line is longer.
  private static let columnsMax = 8192
  private static let tabColumns = 8
  /// The most characters that the sequences of a line add, blank or move. Anything beyond is
  /// ignored.
  private static let workMax = 16 * columnsMax

  private let line: [UInt8]
  private var cells: [Cell] = []
  private var column = 0
  private var work = 0
  /// The column up to which the start of the line was erased, each time. The result is computed
  /// once, at the end.
  private var erasures: [Int] = []
  private var ends = TerminalStringEnds()
  private var style = TerminalStyle()
  /// The styles that cells refer to by number; the first is that before the line.
  private var styles = [TerminalStyle()]
  private var styleNumbers: [TerminalStyle: Int] = [:]
  private var current = 0
  /// True if a sequence has changed the style since `current` was set.
  private var isStyleNew = false
  /// The start of a sequence or a character whose rest is missing.
  private var end = 0

  /// True if the program goes back in the line, so that the line is not just its bytes.
  package static func goesBack(_ line: [UInt8]) -> Bool { firstReturn(in: line) != nil }

  /// The first place at which the program goes back.
  private static func firstReturn(in line: [UInt8]) -> Int? {
    var ends = TerminalStringEnds()
    var next = 0
    while next < line.count {
      switch line[next] {
      case 13, 8: return next
      case 0x1B, 0xC2:
        guard let sequence = TerminalSequence(in: line, at: next, &ends) else { break }
        if case .control(_, let final) = sequence.kind,
          final == UInt8(ascii: "D") || final == UInt8(ascii: "G")
        {
          return next
        }
        next = sequence.range.upperBound
        continue
      default: break
      }
      next += 1
    }
    return nil
  }

  /// The final content of the line, without the spaces behind it.
  package static func lastState(of line: [UInt8]) -> [UInt8] {
    guard let first = firstReturn(in: line) else { return line }
    // Most such lines are of a text whose lines end with CR and LF.
    if first == line.count - 1, !line.contains(0x1B) { return Array(line.dropLast()) }
    var state = Self(line)
    state.run(to: line.count)
    return state.shown(trimmed: true)
  }

  /// The shortest bytes that show the same, and that further output continues as it would the line.
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

  /// The longest sequence that is waited for.
  private static let sequenceMax = 1024

  /// The number of bytes at the end that may be the start of a sequence or of a character.
  package static func unfinishedBytes(of line: [UInt8]) -> Int {
    let cut = line.cutCharacterBytes
    if cut > 0 { return cut }
    var ends = TerminalStringEnds()
    var next = max(0, line.count - sequenceMax)
    while let start = line[next...].firstIndex(of: 0x1B) {
      guard let sequence = TerminalSequence(in: line, at: start, &ends), sequence.isComplete else {
        return line.count - start
      }
      next = sequence.range.upperBound
    }
    return 0
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
      case 9:
        move(to: (column / Self.tabColumns + 1) * Self.tabColumns)
        next += 1
      case 0x1B, 0xC2:
        if let sequence = TerminalSequence(in: line, at: next, &ends) {
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
    // A cursor beyond the end has no character before it.
    if isCombining(start..<next), cells.indices.contains(column - 1),
      cells[column - 1].bytes.upperBound == start
    {
      cells[column - 1].bytes = cells[column - 1].bytes.lowerBound..<next
      return next
    }
    pad()
    setStyle()
    let cell = Cell(bytes: start..<next, style: current, erasures: erasures.count)
    if column < cells.count { cells[column] = cell } else { cells.append(cell) }
    column += 1
    return next
  }

  /// True for a character that belongs to the one before: an accent, a joiner, a variant.
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
    let missing = column - cells.count
    guard missing > 0 else { return }
    guard hasTime(for: missing) else {
      column = cells.count
      return
    }
    cells.append(contentsOf: repeatElement(blank, count: missing))
  }

  private var blank: Cell { Cell(bytes: 0..<0, style: 0, erasures: erasures.count) }

  private mutating func hasTime(for count: Int) -> Bool {
    work += count
    return work <= Self.workMax
  }

  private mutating func apply(_ sequence: TerminalSequence) {
    guard case .control(let parameters, let final) = sequence.kind else { return }
    let text = line[parameters]
    let number = Self.number(in: text)
    switch final {
    // With another sign in front it is about something else.
    case UInt8(ascii: "m") where text.first.map { $0 < 0x3C } ?? true:
      style.apply(text)
      isStyleNew = true
    case UInt8(ascii: "K"), UInt8(ascii: "J"): erase(number ?? 0)
    case UInt8(ascii: "X"): erase(characters: max(1, number ?? 1))
    case UInt8(ascii: "P"): delete(max(1, number ?? 1))
    case UInt8(ascii: "@"): insert(max(1, number ?? 1))
    case UInt8(ascii: "C"): move(to: column + min(max(1, number ?? 1), Self.columnsMax))
    case UInt8(ascii: "D"): move(to: column - max(1, number ?? 1))
    case UInt8(ascii: "G"): move(to: max(1, number ?? 1) - 1)
    default: break
    }
  }

  /// A number, or one that is larger than any line; nil for none.
  private static func number(in text: ArraySlice<UInt8>) -> Int? {
    guard !text.isEmpty, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return text.reduce(0) { min($0 * 10 + Int($1) - 0x30, 1 << 20) }
  }

  private mutating func move(to place: Int) {
    column = min(max(0, place), max(Self.columnsMax, cells.count))
  }

  private mutating func setStyle() {
    guard isStyleNew else { return }
    isStyleNew = false
    if let known = styleNumbers[style] {
      current = known
    } else {
      styles.append(style)
      current = styles.count - 1
      styleNumbers[style] = current
    }
  }

  private mutating func erase(_ part: Int) {
    switch part {
    case 0: if column < cells.count { cells.removeSubrange(column...) }
    case 1: erasures.append(column)
    case 2: cells = []
    default: break
    }
  }

  private mutating func erase(characters count: Int) {
    let end = min(column, cells.count) + min(count, max(0, cells.count - column))
    guard column < end, hasTime(for: end - column) else { return }
    for place in column..<end { cells[place] = blank }
  }

  /// Moves the characters behind to the left.
  private mutating func delete(_ count: Int) {
    guard column < cells.count, hasTime(for: cells.count - column) else { return }
    cells.removeSubrange(column..<(column + min(count, cells.count - column)))
  }

  /// Moves the characters behind to the right.
  private mutating func insert(_ count: Int) {
    guard column < cells.count, hasTime(for: count + cells.count - column) else { return }
    cells.insert(contentsOf: repeatElement(blank, count: count), at: column)
  }

  /// Blanks what was written before the start of the line was erased.
  private mutating func applyErasures() {
    var furthest = erasures
    for place in furthest.indices.dropLast().reversed() {
      furthest[place] = max(furthest[place], furthest[place + 1])
    }
    for place in cells.indices
    where cells[place].erasures < furthest.count && place <= furthest[cells[place].erasures] {
      cells[place].bytes = 0..<0
      cells[place].style = 0
    }
    erasures = []
  }

  private mutating func shown(trimmed isTrimmed: Bool) -> [UInt8] {
    if !erasures.isEmpty { applyErasures() }
    setStyle()
    var bytes: [UInt8] = []
    var shownStyle: TerminalStyle?
    // A style is written as a whole; beyond this a line that changes it all the time has none.
    let styledBytesMax = 2 * line.count + Self.columnsMax
    func change(to style: Int, _ bytes: inout [UInt8]) {
      if style == 0, shownStyle == nil { return }
      let wanted =
        style == 0 || bytes.count > styledBytesMax ? TerminalStyle() : styles[style]
      guard wanted != shownStyle else { return }
      bytes += wanted.sequence
      shownStyle = wanted
    }
    func isBlank(_ cell: Cell) -> Bool {
      (cell.bytes.isEmpty || cell.bytes.count == 1 && line[cell.bytes.lowerBound] == 32)
        && styles[cell.style] == TerminalStyle()
    }
    var count = cells.count
    while isTrimmed, count > 0, isBlank(cells[count - 1]) { count -= 1 }
    var style = 0
    for cell in cells[..<count] {
      if cell.style != style {
        style = cell.style
        change(to: style, &bytes)
      }
      if cell.bytes.isEmpty { bytes.append(32) }
      for place in cell.bytes { bytes.append(line[place]) }
    }
    change(to: current, &bytes)
    return bytes
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
