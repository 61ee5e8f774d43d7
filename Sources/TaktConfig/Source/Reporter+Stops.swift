import TaktCore

extension Reporter {
  /// Reports why the rest of the file was not read.
  ///
  /// - Parameter kind: what kind of file it is.
  func report(_ stop: YAMLStop, in kind: FileKind = .jobs) {
    switch stop {
    case .syntax(let problem):
      let character = source.character(at: problem.mark)
      let sentence = problem.sentence(character: character)
      report(
        sentence.code, at: sentence.mark, sentence.message, hint: sentence.hint)
    case .tooDeep(let mark):
      report(.tooDeep, at: mark, "values stand more than 64 deep inside one another")
    case .tooManyNodes(let mark):
      report(
        .tooManyNodes, at: mark, "the file has more than 10 million values, aliases written out",
        hint: "use fewer aliases")
    case .empty:
      if source.flaw == nil {
        report(.empty, at: .wholeFile, "the file is empty", hint: "begin with '\(kind.firstKey):'")
      }
    case .manyDocuments(let mark):
      report(
        .manyDocuments, at: mark, "a second document begins here",
        hint: kind.moreHint)
    case .cut: break
    }
  }

  /// Reports bytes that are no text.
  func report(_ flaw: TextFlaw) {
    let mark = source.mark(of: flaw)
    switch flaw.kind {
    case .otherEncoding:
      report(.notUTF8, at: mark, "the file is UTF-16", hint: "save it as UTF-8")
    case .zero:
      report(.notUTF8, at: mark, "a zero byte stands here, so this is no text file")
    case .notUTF8:
      report(
        .notUTF8, at: mark, "this character is not UTF-8", hint: "save the file as UTF-8")
    case .control(let value):
      let digits = String(value, radix: 16, uppercase: true)
      let code = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      report(
        .syntax, at: mark, "the control character U+\(code) cannot stand in the file",
        hint: "remove it, or write \\u\(code) in double quotes")
    }
  }
}

/// The kinds of files that are read.
enum FileKind {
  case jobs, manifest

  fileprivate var firstKey: String { self == .jobs ? Key.jobs : PluginKey.name }

  fileprivate var moreHint: String {
    switch self {
    case .jobs: "a jobs file has one; use 'include' for more files"
    case .manifest: "a manifest has one"
    }
  }
}
