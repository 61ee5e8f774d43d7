import TaktCore

/// Proves that each word of a source is in the jobs or in the report.
///
/// It splits the source at blanks and knows nothing of its grammar but the start of a comment, so
/// that a mistake in a reader cannot hide a word.
struct CoverageCheck {
  let report: ImportReport
  let texts: [String]

  /// Adds to the report the words that it does not mention, and texts that should be in the jobs
  /// and are not.
  func run(on sources: [SourceLines], commentSigns: (SourceLines) -> [Unicode.Scalar]) {
    var covered: [SourceLocation: [Range<Int>]] = [:]
    for entry in report.entries {
      var place = entry.token.place
      place.column = 0
      covered[place, default: []].append(entry.token.columns)
    }
    for source in sources {
      let signs = commentSigns(source)
      for line in source.lines {
        guard let trimmed = line.trimmed, !signs.contains(line.scalars[trimmed.lowerBound]) else {
          continue
        }
        let ranges = covered[SourceLocation(file: line.file, line: line.number)] ?? []
        var index = trimmed.lowerBound
        while index < trimmed.upperBound {
          let word = line.word(from: index)
          let columns = word.lowerBound + 1..<word.upperBound + 1
          // A lone backslash that continues a line has no meaning.
          if !ranges.contains(where: { $0.contains(columns.lowerBound) }),
            line.text(word) != "\\"
          {
            report.lose(line.token(word), "takt did not read this")
          }
          index = line.skipBlanks(from: word.upperBound)
        }
      }
    }
    let all = Set(texts)
    for entry in report.entries where entry.fate == .kept {
      for value in entry.values where !all.contains(value) {
        report.lose(entry.token, "this is missing in the jobs")
      }
    }
  }
}
