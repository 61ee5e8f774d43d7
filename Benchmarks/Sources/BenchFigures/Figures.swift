import Foundation

/// The figures of one benchmark, as JSON rows for `make bench-report`.
///
/// `--json FILE` on the command line names the file; without it, nothing is written.
package final class Figures {
  /// The command line without `--json FILE`.
  package let arguments: [String]
  private let path: String?
  private var rows: [Figure] = []

  package init(_ arguments: [String] = CommandLine.arguments) {
    var rest = arguments
    var path: String?
    if let index = rest.firstIndex(of: "--json"), index + 1 < rest.count {
      path = rest[index + 1]
      rest.removeSubrange(index...index + 1)
    }
    self.arguments = rest
    self.path = path
  }

  package func add(_ figure: Figure) { rows.append(figure) }

  /// Writes all rows; called once, at the end.
  package func write() throws {
    guard let path else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    try encoder.encode(rows).write(to: URL(fileURLWithPath: path))
  }
}
