import TaktCore

/// The colours of the table of `takt status`.
///
/// The daemon's text has none, and nothing in it may control the terminal: the line of titles
/// determines the cells.
struct StatusColours {
  static func paint(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // For a family its own table comes first, and then that of its jobs.
    var columns: [Column] = []
    return lines.map { line in
      if line.hasPrefix("JOB ") {
        columns = Column.all(in: line)
        return line
      }
      // A table ends with the first line that is no row of it, such as the sum.
      guard let names = columns.first, let parts = names.split(line) else {
        columns = []
        return line
      }
      return parts.name + paint(parts.cells, from: columns)
    }.joined(separator: "\n")
  }

  private static func paint(_ cells: String, from columns: [Column]) -> String {
    let characters = Array(cells)
    let base = columns[0].end
    var painted = ""
    for column in columns.dropFirst() {
      let (start, end) = (column.start - base, min(characters.count, column.end - base))
      guard start < end else { break }
      let cell = String(characters[start..<end])
      let words = String(cell.reversed().drop { $0 == " " }.reversed())
      painted += colour(of: words, in: column.title).paint(words) + cell.dropFirst(words.count)
    }
    return painted
  }

  private static func colour(of cell: String, in title: String) -> TerminalColour {
    switch title {
    case "STATE" where cell.contains("stale") || cell.contains("no machine"): .yellow
    case "STATE" where cell.contains(" failed"): .red
    case "LAST" where cell.hasPrefix("succeeded"): .green
    case "LAST" where ["failed", "timed_out", "interrupted"].contains { cell.hasPrefix($0) }: .red
    case "FAILED" where cell != "-": .red
    case "NOT RUN" where cell != "-": .yellow
    default: .none
    }
  }

  /// A column of the table: from its title to the next one's.
  private struct Column {
    let title: String
    let start: Int
    let end: Int

    /// Titles are separated by two spaces or more; one may be within a title.
    static func all(in line: String) -> [Self] {
      var columns: [Self] = []
      let characters = Array(line)
      var starts = characters.indices.filter { place in
        characters[place] != " "
          && (place < 2 || (characters[place - 1] == " " && characters[place - 2] == " "))
          && (place == 0 || characters[place - 1] == " ")
      }
      starts.append(.max)
      for (start, end) in zip(starts, starts.dropFirst()) {
        let title = String(characters[start..<min(end, characters.count)])
        columns.append(
          Self(
            title: String(title.reversed().drop { $0 == " " }.reversed()), start: start, end: end))
      }
      return columns
    }

    /// The cells after the name, whose characters may be wider than one column; nil if the line is
    /// no row of the table.
    func split(_ line: String) -> (name: String, cells: String)? {
      let name = TerminalWidth.prefix(of: line, upTo: end)
      guard name.width == end, name.text.hasSuffix("  "), name.text.first != " " else { return nil }
      return (name.text, String(line.dropFirst(name.text.count)))
    }
  }
}
