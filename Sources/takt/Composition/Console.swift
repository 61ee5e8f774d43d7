import ArgumentParser
import FoundationEssentials
import Glibc
import Synchronization
import TaktCore
import TaktSystem
import TaktTime

/// The output of commands to the user. Texts of any origin are shown without characters that
/// control the terminal.
enum Console {
  /// A line on standard output.
  static func print(_ line: String, in colour: TerminalColour = .none) {
    let line = line.printableLines
    if let taken = ConsoleSink.current { return taken.add(output: line) }
    Swift.print(isColoured ? colour.paint(line) : line)
  }

  /// JSON on standard output, as a command or a daemon wrote it.
  static func printJSON(_ json: [UInt8]) {
    let line = String(decoding: json, as: UTF8.self).printableJSON
    if let taken = ConsoleSink.current { return taken.add(output: line) }
    Swift.print(line)
  }

  static func flush() { fflush(nil) }

  static func error(_ line: String) {
    if let taken = ConsoleSink.current { return taken.add(error: line.printableLines) }
    // Unbuffered: the program may end right after this.
    (line.printableLines + "\n").withCString { text in
      _ = Glibc.write(STDERR_FILENO, text, strlen(text))
    }
  }

  /// A line on standard error.
  static func error(_ line: String, in colour: TerminalColour) {
    guard isColoured(on: STDERR_FILENO) else { return error(line) }
    _ = Array("\(colour.paint(line.printableLines))\n".utf8).write(to: STDERR_FILENO)
  }

  /// A diagnostic on standard error, with its severity in colour.
  static func error(_ diagnostic: Diagnostic) {
    let (text, word) = (diagnostic.text, " \(diagnostic.severity.rawValue): ")
    guard isColoured(on: STDERR_FILENO), let range = text.firstRange(of: word) else {
      return error(text)
    }
    let colour: TerminalColour = diagnostic.severity == .error ? .red : .yellow
    let parts = [text[..<range.lowerBound], text[range.upperBound...]].map {
      String($0).printableLines
    }
    let severity = colour.paint("\(diagnostic.severity.rawValue):")
    _ = Array("\(parts[0]) \(severity) \(parts[1])\n".utf8).write(to: STDERR_FILENO)
  }

  private static let output = Mutex(PrintableStream(isColoured: isColoured))

  /// Part of a run's output on standard output: on a terminal without characters that control it,
  /// and in colour if wanted.
  static func showOutput(_ bytes: [UInt8]) {
    write(isatty(STDOUT_FILENO) == 1 ? output.withLock { $0.add(bytes) } : bytes)
  }

  /// Unchanged bytes on standard output: a file, or the output of a run.
  static func write(_ bytes: [UInt8]) {
    if let taken = ConsoleSink.current {
      return taken.add(output: String(decoding: bytes, as: UTF8.self))
    }
    // Earlier output comes first.
    fflush(nil)
    // A reader that is gone has seen enough.
    guard let number = bytes.write(to: STDOUT_FILENO).number,
      number != EPIPE
    else { return }
    Console.error("takt: cannot write: \(SystemError.text(number))")
    exit(ExitCode.unwritable.rawValue)
  }

  /// The columns of the terminal; 120 without one.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 120 }
    return min(1000, max(20, Int(size.ws_col)))
  }

  /// The lines of the terminal; 24 without one.
  static var height: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
    return min(1000, max(5, Int(size.ws_row)))
  }

  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  static var isColoured: Bool { isColoured(on: STDOUT_FILENO) }

  /// True if colour is wanted: on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
  static func isColoured(on descriptor: Int32) -> Bool {
    guard ConsoleSink.current == nil, isatty(descriptor) == 1 else { return false }
    if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
    return getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
  }
}

extension Console {
  /// A table on standard output; nothing without rows.
  static func print(titles: [String], rows: [[String]]) {
    guard !rows.isEmpty else { return }
    var table = TextTable(titles: titles)
    for row in rows { table.add(row: row.map(\.printable)) }
    // In one piece: it may have a line for each of many thousand jobs.
    write(table.text())
  }

  /// A table on standard output that fits a terminal, with its outcomes in colour; nothing without
  /// rows.
  ///
  /// - Parameter narrowing: the columns to cut on a narrow terminal, in turn.
  static func print(
    titles: [String], rows: [[String]], outcomes column: Int, narrowing: [TextTable.Narrowing]
  ) {
    guard !rows.isEmpty else { return }
    var table = TextTable(titles: titles)
    let isColoured = isColoured
    for row in rows {
      for (place, text) in row.enumerated() {
        let colour = isColoured && place == column ? colour(ofOutcome: text) : .none
        table.add(in: colour) { $0.append(utf8: text.printable) }
      }
    }
    write(table.text(width: isTerminal ? width : nil, narrowing: narrowing))
  }

  private static func colour(ofOutcome text: String) -> TerminalColour {
    switch Outcome(rawValue: text) {
    case .succeeded: .green
    case .failed, .timedOut, .interrupted: .red
    case .cancelled: .yellow
    case nil: .none
    }
  }
}

extension Encodable {
  /// The output of `--json`: one line, with sorted keys.
  var jsonLine: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Answers of commands consist of numbers and texts, which always can be encoded.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self).printableJSON }
      ?? "{}"
  }
}
