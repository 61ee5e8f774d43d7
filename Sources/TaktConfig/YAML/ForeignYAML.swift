package import TaktCore
import TaktSystem

/// YAML texts of other programs, as plain trees.
package struct ForeignYAML {
  /// A value with its place, from 1.
  package struct Node: Sendable {
    package indirect enum Content: Sendable {
      case scalar(String)
      case null
      case list([Node])
      case map([(key: String, line: Int, column: Int, value: Node)])
    }

    package var line: Int
    package var column: Int
    package var content: Content
  }

  /// The documents of the text, each by itself; those that are wrong are left out.
  package private(set) var documents: [Node] = []
  package private(set) var problems: [Diagnostic] = []

  /// The lines before a document are read with it.
  private static let documentsMax = 100

  /// Collections inside collections, and values, that one document may have.
  private static let limits = YAMLLimits(depth: 64, nodes: 100_000)

  package init(file: String, bytes: [UInt8]) {
    let documents = Self.split(bytes)
    if documents.count == Self.documentsMax {
      problems.append(
        Diagnostic(
          .tooManyNodes, at: SourceLocation(file: file),
          "\(Self.documentsMax) documents or more; split the file"))
    }
    for document in documents {
      let source = SourceText(file: file, bytes: FileBytes(document))
      let reporter = Reporter(source)
      if let flaw = source.flaw { reporter.report(flaw) }
      let composer = YAMLComposer(source, limits: Self.limits, reporter: reporter)
      do {
        try composer.openDocument()
        let node = try composer.node()
        try composer.closeDocument()
        self.documents.append(Self.plain(node))
      } catch .empty {
        continue
      } catch .tooManyNodes(let mark) {
        reporter.report(.tooManyNodes, at: mark, "a document has more than 100,000 values")
      } catch {
        reporter.report(error, in: .foreign)
      }
      problems += reporter.log.sorted(files: [file])
    }
  }

  /// Documents begin with `---`. The lines before each are empty, so that its lines keep their numbers.
  private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
    var documents: [[UInt8]] = []
    var current: [UInt8] = []
    var count = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.starts(with: "---".utf8),
        line.count == 3 || line.dropFirst(3).first.map({ $0 <= 0x20 }) == true
      {
        if count > 0 { documents.append(current) }
        if documents.count == documentsMax { return documents }
        current = [UInt8](repeating: UInt8(ascii: "\n"), count: count)
      }
      current += line + [UInt8(ascii: "\n")]
      count += 1
    }
    return documents + [current]
  }

  private static func plain(_ node: YAMLNode) -> Node {
    let content: Node.Content =
      switch node.content {
      case .scalar(let scalar): scalar.isNull ? .null : .scalar(scalar.text)
      case .sequence(let items): .list(items.map(plain))
      case .mapping(let entries):
        .map(
          entries.map {
            (
              key: $0.key, line: Int($0.keyMark.line), column: Int($0.keyMark.column),
              value: plain($0.value)
            )
          })
      case .invalid: .null
      }
    return Node(line: Int(node.mark.line), column: Int(node.mark.column), content: content)
  }
}

extension FileKind {
  fileprivate static let foreign = FileKind(
    firstKey: "a key", moreHint: "write '---' in a line of its own before it")
}
