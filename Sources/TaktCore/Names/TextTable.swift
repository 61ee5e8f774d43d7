import TaktTime

/// A table for a terminal, as wide as it must be. It is built cell by cell, without a string for each,
/// because it may have a hundred thousand rows.
///
/// Cells are shown as they are: what another user may have written is made `printable` before.
package struct TextTable: Sendable {
  private let columnCount: Int
  private let emptyCell: String
  private var bytes: [UInt8] = []
  /// Where each cell ends, and how many columns of the terminal it takes.
  private var cells: [(end: Int, width: Int)] = []

  /// - Parameter emptyCell: what stands for nothing.
  package init(titles: [String], emptyCell: String = "") {
    columnCount = titles.count
    self.emptyCell = emptyCell
    add(row: titles)
  }

  /// Adds the next cell of the row, or the first of the next row.
  package mutating func add(_ write: (inout [UInt8]) -> Void) {
    let start = bytes.count
    write(&bytes)
    if bytes.count == start { bytes += emptyCell.utf8 }
    var end = start
    while end < bytes.count, bytes[end] < 0x80 { end += 1 }
    // Nearly all cells are of ASCII.
    let width = end == bytes.count ? end - start : TerminalWidth.of(bytes[start...])
    cells.append((bytes.count, width))
  }

  package mutating func add(row: [String]) {
    for text in row { add { $0.append(utf8: text) } }
  }

  /// All rows, with two spaces between the columns.
  ///
  /// - Parameters:
  ///   - width: so many columns has the terminal; nil (the default) for any number.
  ///   - least: the first column is cut to this width at most where the table is wider.
  package func text(width: Int? = nil, narrowingFirstTo least: Int = 0) -> [UInt8] {
    var widths = columnWidths
    if let width {
      let excess = widths.reduce(0, +) + 2 * (widths.count - 1) - width
      if excess > 0 { widths[0] = max(least, widths[0] - excess) }
    }
    var text: [UInt8] = []
    text.reserveCapacity(cells.count / columnCount * (widths.reduce(0, +) + 2 * columnCount))
    var start = 0
    for index in cells.indices {
      let (cell, width) = (cells[index], widths[index % columnCount])
      var shownWidth = cell.width
      if cell.width > width {
        let whole = String(decoding: bytes[start..<cell.end], as: UTF8.self)
        let cut = TerminalWidth.prefix(of: whole, upTo: width - 1)
        text.append(utf8: cut.text)
        text.append(utf8: "…")
        shownWidth = cut.width + 1
      } else {
        text += bytes[start..<cell.end]
      }
      start = cell.end
      if (index + 1) % columnCount == 0 {
        while text.last == UInt8(ascii: " ") { text.removeLast() }
        text.append(UInt8(ascii: "\n"))
      } else {
        let gap = max(0, width - shownWidth) + 2
        text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: gap))
      }
    }
    return text
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
