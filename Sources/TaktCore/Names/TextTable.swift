import TaktTime

/// A table for a terminal, as wide as it must be. It is built cell by cell, without a string for each,
/// because it may have a hundred thousand rows.
///
/// Cells are shown as they are: what another user may have written is made `printable` before.
package struct TextTable: Sendable {
  private let columnCount: Int
  private let emptyCell: String
  private var bytes: [UInt8] = []
  /// For each cell, its end, its width in columns of the terminal, and its color.
  private var cells: [(end: Int, width: Int, colour: TerminalColour)] = []

  /// - Parameter emptyCell: shown for an empty text.
  package init(titles: [String], emptyCell: String = "") {
    columnCount = titles.count
    self.emptyCell = emptyCell
    add(row: titles)
  }

  /// Adds the next cell of the row, or the first of the next row.
  package mutating func add(
    in colour: TerminalColour = .none, _ write: (inout [UInt8]) -> Void
  ) {
    let start = bytes.count
    write(&bytes)
    if bytes.count == start { bytes += emptyCell.utf8 }
    var end = start
    while end < bytes.count, bytes[end] < 0x80 { end += 1 }
    // Nearly all cells are of ASCII.
    let width = end == bytes.count ? end - start : TerminalWidth.of(bytes[start...])
    cells.append((bytes.count, width, colour))
  }

  package mutating func add(row: [String]) {
    for text in row { add { $0.append(utf8: text) } }
  }

  /// A column that is cut if the table is wider than the terminal, and its greatest width then.
  package struct Narrowing {
    var column: Int
    var least: Int

    package init(_ column: Int, to least: Int) {
      self.column = column
      self.least = least
    }
  }

  /// All rows, with two spaces between the columns, in the order of their ranks; those of one rank
  /// as they were added.
  ///
  /// - Parameters:
  ///   - width: the terminal's columns; nil (the default) for any number.
  ///   - narrowing: the columns that are cut, in turn, if the table is wider.
  ///   - ranks: one for each row but the titles; nil (the default) for the order of addition.
  package func text(
    width: Int? = nil, narrowing: [Narrowing] = [], ranks: [UInt8]? = nil
  ) -> [UInt8] {
    var widths = columnWidths
    if let width {
      for cut in narrowing {
        let excess = widths.reduce(0, +) + 2 * (widths.count - 1) - width
        if excess > 0, widths[cut.column] > cut.least {
          widths[cut.column] = max(cut.least, widths[cut.column] - excess)
        }
      }
    }
    var text: [UInt8] = []
    text.reserveCapacity(cells.count / columnCount * (widths.reduce(0, +) + 2 * columnCount))
    let rows = cells.count / columnCount
    guard let ranks else {
      for row in 0..<rows { append(row, widths, to: &text) }
      return text
    }
    append(0, widths, to: &text)
    for rank in (ranks.min() ?? 0)...(ranks.max() ?? 0) {
      for row in 1..<max(1, rows) where ranks[row - 1] == rank { append(row, widths, to: &text) }
    }
    return text
  }

  private func append(_ row: Int, _ widths: [Int], to text: inout [UInt8]) {
    let first = row * columnCount
    var start = first == 0 ? 0 : cells[first - 1].end
    for column in 0..<columnCount {
      let (cell, width) = (cells[first + column], widths[column])
      var shownWidth = cell.width
      cell.colour.begin(in: &text)
      if cell.width > width {
        let whole = String(decoding: bytes[start..<cell.end], as: UTF8.self)
        let cut = TerminalWidth.prefix(of: whole, upTo: width - 1)
        text.append(utf8: cut.text)
        text.append(utf8: "…")
        shownWidth = cut.width + 1
      } else {
        text += bytes[start..<cell.end]
      }
      cell.colour.end(in: &text)
      start = cell.end
      if column + 1 == columnCount {
        while text.last == UInt8(ascii: " ") { text.removeLast() }
        text.append(UInt8(ascii: "\n"))
      } else {
        let gap = max(0, width - shownWidth) + 2
        text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: gap))
      }
    }
  }

  /// The width of the widest cell of each column.
  private var columnWidths: [Int] {
    var widths = [Int](repeating: 0, count: columnCount)
    for index in cells.indices {
      widths[index % columnCount] = max(widths[index % columnCount], cells[index].width)
    }
    return widths
  }
}

package enum TerminalColour: UInt8, Sendable {
  case none = 0
  case red = 31
  case green = 32
  case yellow = 33

  /// Ends a text that has a color.
  private static let reset = "\u{1b}[0m"

  func begin(in text: inout [UInt8]) {
    if self != .none { text.append(utf8: "\u{1b}[\(rawValue)m") }
  }

  func end(in text: inout [UInt8]) {
    if self != .none { text.append(utf8: Self.reset) }
  }

  /// The text in this colour. It is made `printable` before.
  package func paint(_ text: String) -> String {
    self == .none ? text : "\u{1b}[\(rawValue)m\(text)\(Self.reset)"
  }
}
