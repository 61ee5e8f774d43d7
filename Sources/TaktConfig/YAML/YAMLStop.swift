import TaktCore

/// The reason why the rest of a file cannot be read.
enum YAMLStop: Error, Equatable {
  case syntax(YAMLSyntaxProblem)
  /// Nested collections, deeper than the bound.
  case tooDeep(YAMLMark)
  /// More nodes than the bound, those of aliases counted each time.
  case tooManyNodes(YAMLMark)
  case empty
  case manyDocuments(YAMLMark)
  /// The text was cut before bytes that are no text, which has been reported.
  case cut
}

extension Reporter {
  func report(_ stop: YAMLStop, in kind: FileKind) {
    switch stop {
    case .syntax(let problem):
      let sentence =
        sentenceByLines(of: problem) ?? problem.sentence(character: character(at: problem.mark))
      report(
        sentence.code, at: sentence.mark, sentence.message, hint: sentence.hint)
    case .tooDeep(let mark):
      report(.tooDeep, at: mark, "values are nested more than 64 deep")
    case .tooManyNodes(let mark):
      report(
        .tooManyNodes, at: mark,
        "the file has more than 10 million values, counting each use of an alias",
        hint: "use fewer aliases")
    case .empty:
      if source.flaw == nil {
        report(
          .empty, at: .wholeFile, "the file is empty", hint: "start it with '\(kind.firstKey):'")
      }
    case .manyDocuments(let mark):
      report(
        .manyDocuments, at: mark, "a second document starts here",
        hint: kind.moreHint)
    case .cut: break
    }
  }
}

/// The words for a kind of file that is empty, or has more than one document.
struct FileKind {
  var firstKey: String
  var moreHint: String
}
