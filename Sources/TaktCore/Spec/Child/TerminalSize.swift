/// The size of a command's terminal window.
package struct TerminalSize: Hashable, Sendable {
  /// Of text. Default 24.
  package var rows = 24
  /// Of characters in a row. Default 80.
  package var columns = 80

  package init() {}

  package init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }

  var words: String { "\(rows) rows, \(columns) columns" }
}
