package import TaktCore
import TaktSystem

extension ForeignFile {
  /// A bound, because the lines before a document are read with it.
  private static let documentsMax = 100

  private static let limits = YAMLLimits(depth: 64, nodes: 100_000)

  /// Reads a YAML text of another program with the reader of jobs files; wrong documents are left
  /// out.
  package init(file: String, bytes: [UInt8]) {
    self.init()
    let documents = Self.split(bytes)
    if documents.count == Self.documentsMax {
      problems.append(
        (
          place: SourceLocation(file: file),
          sentence: "\(Self.documentsMax) documents or more; split the file"
        ))
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
        self.documents.append(Self.plain(node, file))
      } catch .empty {
        continue
      } catch .tooManyNodes(let mark) {
        reporter.report(.tooManyNodes, at: mark, "a document has more than 100,000 values")
      } catch {
        reporter.report(error, in: .foreign)
      }
      problems += reporter.log.sorted(files: [file]).map {
        (place: $0.location, sentence: $0.message)
      }
    }
  }

  /// Splits at `---`. Each document is preceded by empty lines, so that its lines keep their
  /// numbers.
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

  private static func plain(_ node: YAMLNode, _ file: String) -> ForeignNode {
    func place(_ mark: YAMLMark) -> SourceLocation {
      SourceLocation(file: file, line: Int(mark.line), column: Int(mark.column))
    }
    let content: ForeignNode.Content =
      switch node.content {
      case .scalar(let scalar): scalar.isNull ? .null : .scalar(scalar.text)
      case .sequence(let items): .list(items.map { plain($0, file) })
      case .mapping(let entries):
        .map(
          entries.map {
            ForeignEntry(key: $0.key, at: place($0.keyMark), value: plain($0.value, file))
          })
      case .invalid: .null
      }
    return ForeignNode(content, at: place(node.mark))
  }
}

extension FileKind {
  fileprivate static let foreign = FileKind(
    firstKey: "a key", moreHint: "write '---' in a line of its own before it")
}
