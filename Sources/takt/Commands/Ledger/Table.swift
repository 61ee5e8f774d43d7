import TaktCore

/// Columns for people, as wide as they must be.
struct Table {
  var titles: [String]
  var rows: [[String]]

  /// Prints the titles and the rows; nothing without rows.
  func print() {
    guard !rows.isEmpty else { return }
    let widths = titles.indices.map { column in
      ([titles] + rows).map { $0[column].count }.max() ?? 0
    }
    for row in [titles] + rows {
      var line = ""
      for (cell, width) in zip(row, widths) {
        line += cell + String(repeating: " ", count: width - cell.count + 2)
      }
      while line.last == " " { line.removeLast() }
      Console.print(line)
    }
  }
}
