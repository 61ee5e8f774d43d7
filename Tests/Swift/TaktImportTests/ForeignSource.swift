import TaktConfig
import TaktCore

@testable import TaktImport

extension ImportFixture {
  /// What comes of a file of another program, which takt reads by its content alone.
  ///
  /// - Parameter files: others beside it, by name.
  static func imported(
    _ text: String, as name: String, files: [String: String] = [:]
  ) throws -> Importer.Result {
    let fixture = try ImportFixture()
    for (name, text) in files { try fixture.write(text, to: name) }
    fixture.options.readYAML = { file, bytes in
      let yaml = ForeignYAML(file: file, bytes: bytes)
      return ForeignFile(
        documents: yaml.documents.map { node($0, file) },
        problems: yaml.problems.map { ($0.location, $0.message) })
    }
    return fixture.run(try fixture.write(text, to: name))
  }

  private static func node(_ node: ForeignYAML.Node, _ file: String) -> ForeignNode {
    let content: ForeignNode.Content =
      switch node.content {
      case .scalar(let text): .scalar(text)
      case .null: .null
      case .list(let items): .list(items.map { Self.node($0, file) })
      case .map(let entries):
        .map(
          entries.map {
            ForeignEntry(
              key: $0.key, at: SourceLocation(file: file, line: $0.line, column: $0.column),
              value: Self.node($0.value, file))
          })
      }
    return ForeignNode(
      content, at: SourceLocation(file: file, line: node.line, column: node.column))
  }
}

extension Importer.Result {
  /// The words of a job's command.
  func words(_ number: Int = 0) -> [String] {
    guard jobs.indices.contains(number), case .list(let words)? = jobs[number][.run] else {
      return []
    }
    return words.flatMap(\.texts)
  }

  func value(_ key: JobKey, _ number: Int = 0) -> DraftValue? {
    jobs.indices.contains(number) ? jobs[number][key] : nil
  }

  var isDisabled: Bool { value(.enabled) == .word("false") }
}
