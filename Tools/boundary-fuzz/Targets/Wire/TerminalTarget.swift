import TaktCore

/// A line of output in which the cursor moves back, whole and in two pieces. The line as shown is
/// never much longer.
struct TerminalTarget: FuzzTarget {
  static let name = "terminal"
  static let summary = "a line of output, as a terminal shows it"

  mutating func read(_ bytes: [UInt8]) {
    let line = bytes.filter { $0 != 10 }
    guard let first = line.first else { return }
    check(TerminalLine.lastState(of: line), of: line)
    let open = TerminalLine.open(Array(line[..<(Int(first) % line.count)]))
    check(open, of: line)
    check(TerminalLine.lastState(of: open + line), of: line)
    _ = line.withoutTerminalSequences
  }

  private func check(_ shown: [UInt8], of line: [UInt8]) {
    precondition(shown.count <= 128 * (line.count + 8192), "\(shown.count) bytes are shown")
  }
}
