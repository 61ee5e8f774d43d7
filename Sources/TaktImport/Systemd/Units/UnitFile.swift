import TaktCore

struct UnitEntry {
  var section: String
  var key: String
  /// Without blanks at both ends; continued lines are joined by a blank.
  var value: String
  /// One for each of its lines.
  var tokens: [SourceToken]

  var place: SourceLocation { tokens[0].place }
}

enum UnitFile {
  private static let entriesMax = 10_000

  static func entries(of source: SourceLines, _ report: ImportReport) -> [UnitEntry] {
    var entries: [UnitEntry] = []
    var section = ""
    var current: UnitEntry?
    for line in source.lines {
      guard entries.count < entriesMax else {
        report.cannotRead(source.file, "more than \(entriesMax) assignments")
        break
      }
      guard let trimmed = line.trimmed else {
        if let entry = current { entries.append(trimmedValue(entry)) }
        current = nil
        continue
      }
      let first = line.scalars[trimmed.lowerBound]
      // Comments are allowed between the lines of a value.
      if first == "#" || first == ";" { continue }
      let token = line.token(trimmed)
      guard line.isText else {
        report.lose(token, "this line is not UTF-8 text")
        current = nil
        continue
      }
      report.expect(token)
      if var entry = current {
        entry.tokens.append(token)
        let (text, goesOn) = continued(line.text(trimmed.lowerBound..<line.scalars.count))
        entry.value += " " + text
        current = goesOn ? entry : nil
        if current == nil { entries.append(trimmedValue(entry)) }
        continue
      }
      if first == "[", token.text.hasSuffix("]") {
        section = String(token.text.dropFirst().dropLast())
        report.keep(token, as: "section")
        continue
      }
      let whole = line.text(trimmed.lowerBound..<line.scalars.count)
      guard let sign = whole.firstIndex(of: "="), !section.isEmpty else {
        report.lose(
          token,
          section.isEmpty ? "systemd ignores what stands before a section" : "this assigns nothing",
          severity: .noMeaning)
        continue
      }
      let (text, goesOn) = continued(String(whole[whole.index(after: sign)...]))
      let entry = UnitEntry(
        section: section, key: whole[..<sign].trimmed, value: text, tokens: [token])
      if goesOn { current = entry } else { entries.append(trimmedValue(entry)) }
    }
    if let entry = current { entries.append(trimmedValue(entry)) }
    return entries
  }

  /// A line continues after an unescaped backslash at its very end.
  private static func continued(_ text: String) -> (text: String, goesOn: Bool) {
    let count = text.reversed().prefix { $0 == "\\" }.count
    return count % 2 == 1 ? (String(text.dropLast()), true) : (text, false)
  }

  private static func trimmedValue(_ entry: UnitEntry) -> UnitEntry {
    var entry = entry
    entry.value = entry.value[...].trimmed
    return entry
  }
}

extension Substring {
  var trimmed: String {
    var text = self
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
