import TaktCore
import TaktSystem

/// The files of one load whose lines are values of `for_each`, each read once however many jobs name
/// it.
final class LineFiles {
  /// The most bytes that one may have.
  private static let sizeBound = 16 << 20
  /// The most lines that count.
  static let linesMax = 100_000

  /// One line that counts.
  struct Line {
    var text: String
    var mark: YAMLMark
  }

  /// The lines of one file, and where their mistakes are reported.
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
  /// How often lines were asked for.
  private(set) var useCount = 0
  /// The definitions that have used lines: a hash of what each says.
  private(set) var families: Set<UInt64> = []
  private var reporters: [Reporter] = []

  init(_ files: LoadFiles) { self.files = files }

  /// What is wrong in them.
  var logs: [ProblemLog] { reporters.map(\.log) }

  /// The lines of the file at an absolute path; nil where it cannot be read, which is then reported
  /// at `mark`.
  func lines(of path: String, shown: String, at mark: YAMLMark, reporter: Reporter) -> Lines? {
    useCount += 1
    return answers.answer(path, shown: shown, at: mark, reporter: reporter) {
      () throws(FileProblem) in
      let contents = try files.readPatiently(path, as: .list, bound: Self.sizeBound)
      let source = SourceText(file: shown, bytes: FileBytes(contents.bytes))
      // Whoever reads a message need not be one who may read the file.
      let reporter = Reporter(source, showsLines: false)
      reporters.append(reporter)
      if let flaw = source.flaw { reporter.report(flaw) }
      return (Lines(Self.lines(of: source), reporter), contents.identity)
    }
  }

  /// Whether a definition with `for_each` may use lines. A text that a client has sent may use them as
  /// the running jobs file does, and in no other way: what becomes of other uses would tell them.
  ///
  /// - Parameter number: the hash of the definition.
  func mayUseLines(family number: UInt64) -> Bool {
    if let reach = files.reach { return reach.has(family: number) }
    families.insert(number)
    return true
  }

  /// Its lines without spaces round them; empty lines and those that start with `#` are left out. Of
  /// more than count, one more.
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
