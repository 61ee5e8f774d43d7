/// The difference of two texts in the format of `patch` and `git apply`.
package enum UnifiedDiff {
  private static let context = 3

  private struct Row {
    var sign: Character
    var text: Substring
    var old: Int
    var new: Int
  }

  /// Empty for equal texts.
  package static func text(_ old: String, _ new: String, file: String) -> String {
    let rows = rows(lines(of: old), lines(of: new))
    let changed = rows.indices.filter { rows[$0].sign != " " }
    guard let first = changed.first else { return "" }
    var ranges: [Range<Int>] = []
    var range = max(0, first - context)..<min(rows.count, first + context + 1)
    for place in changed.dropFirst() {
      if place - context <= range.upperBound {
        range = range.lowerBound..<min(rows.count, place + context + 1)
      } else {
        ranges.append(range)
        range = place - context..<min(rows.count, place + context + 1)
      }
    }
    ranges.append(range)
    // An absolute path also follows the letter.
    let path = file.hasPrefix("/") ? String(file.dropFirst()) : file
    return "--- a/\(path)\n+++ b/\(path)\n" + ranges.map { hunk(rows[$0]) }.joined()
  }

  private static func hunk(_ rows: ArraySlice<Row>) -> String {
    let old = rows.filter { $0.sign != "+" }
    let new = rows.filter { $0.sign != "-" }
    func place(_ rows: [Row], _ line: KeyPath<Row, Int>, _ other: Int) -> String {
      "\(rows.first.map { $0[keyPath: line] + 1 } ?? other),\(rows.count)"
    }
    let first = rows[rows.startIndex]
    return "@@ -\(place(old, \.old, first.old)) +\(place(new, \.new, first.new)) @@\n"
      + rows.map { row in
        "\(row.sign)\(row.text)"
          + (row.text.utf8.last == UInt8(ascii: "\n") ? "" : "\n\\ No newline at end of file\n")
      }.joined()
  }

  /// The lines with their ends.
  private static func lines(of text: String) -> [Substring] {
    var lines: [Substring] = []
    var rest = text.utf8[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { rest.index(after: $0) }
      lines.append(Substring(rest[..<(end ?? rest.endIndex)]))
      rest = rest[(end ?? rest.endIndex)...]
    }
    return lines
  }

  private static func rows(_ old: [Substring], _ new: [Substring]) -> [Row] {
    let difference = new.difference(from: old)
    var removed: Set<Int> = []
    var added: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var rows: [Row] = []
    var (a, b) = (0, 0)
    while a < old.count || b < new.count {
      if removed.contains(a) {
        rows.append(Row(sign: "-", text: old[a], old: a, new: b))
        a += 1
      } else if added.contains(b) {
        rows.append(Row(sign: "+", text: new[b], old: a, new: b))
        b += 1
      } else {
        rows.append(Row(sign: " ", text: new[b], old: a, new: b))
        a += 1
        b += 1
      }
    }
    return rows
  }
}
