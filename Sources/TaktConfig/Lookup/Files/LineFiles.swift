import TaktSystem

/// The files of one load whose lines are values of `for_each`, each read once however many jobs
/// name it.
final class LineFiles {
  private static let sizeBound = 16 << 20
  static let linesMax = 100_000

  struct Line {
    var text: String
    var mark: YAMLMark
  }

  /// The lines of one file, with the reporter of their mistakes.
  final class Lines {
    let all: [Line]
    let reporter: Reporter

    fileprivate init(_ all: [Line], _ reporter: Reporter) {
      self.all = all
      self.reporter = reporter
    }
  }

  private let files: LoadFiles
  private(set) var answers = FileAnswers<Lines>()
  /// The number of requests for lines.
  private(set) var useCount = 0
  /// The definitions that have used lines: a hash of each.
  private(set) var families: Set<UInt64> = []
  private var reporters: [Reporter] = []

  init(_ files: LoadFiles) { self.files = files }

  /// The mistakes in these files.
  var logs: [ProblemLog] { reporters.map(\.log) }

  /// The lines of the file at an absolute path; nil if it cannot be read, which is reported at
  /// `mark`.
  func lines(of path: String, shown: String, at mark: YAMLMark, reporter: Reporter) -> Lines? {
    useCount += 1
    return answers.answer(path, shown: shown, at: mark, reporter: reporter) {
      () throws(FileProblem) in
      let contents = try files.readPatiently(path, as: .list, bound: Self.sizeBound)
      let source = SourceText(file: shown, bytes: FileBytes(contents.bytes))
      // Readers of a message may not be allowed to read the file.
      let reporter = Reporter(source, showsLines: false)
      reporters.append(reporter)
      if let flaw = source.flaw { reporter.report(flaw) }
      return (Lines(Self.lines(of: source), reporter), contents.identity)
    }
  }

  /// True if a definition with `for_each` may use lines. A text from a client may use them only in
  /// the same way as the running jobs file: the results of other uses would reveal them.
  ///
  /// - Parameter number: the hash of the definition.
  func mayUseLines(family number: UInt64) -> Bool {
    if let reach = files.reach { return reach.has(family: number) }
    families.insert(number)
    return true
  }

  /// The lines without surrounding spaces; empty lines and those that start with `#` are left out.
  /// At most one more than the bound.
  private static func lines(of source: SourceText) -> [Line] {
    source.withText { bytes in
      let starts = LineBreak.lineStarts(in: bytes, from: 0, to: bytes.count)
      var lines: [Line] = []
      for (place, start) in starts.enumerated() {
        var (first, last) = (start, place + 1 < starts.count ? starts[place + 1] : bytes.count)
        while last > first, isSpace(bytes[last - 1]) { last -= 1 }
        while first < last, isSpace(bytes[first]) { first += 1 }
        guard first < last, bytes[first] != UInt8(ascii: "#") else { continue }
        if lines.count > linesMax { break }
        lines.append(
          Line(
            text: String(decoding: bytes[first..<last], as: UTF8.self),
            mark: YAMLMark(
              line: UInt32(clamping: place + 1), column: UInt32(clamping: first - start + 1))))
      }
      return lines
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || LineBreak.isPlain(byte)
  }
}
