package import TaktCore

extension JobsLoader {
  /// Where takt keeps what outlives it, found without a look at the jobs: what commands need that
  /// talk to a running daemon. A file that cannot be read says nothing else than the default.
  package static func state(of path: String) -> StateFolder {
    let file = FilePath.absolute(path)
    let folder = FilePath.folder(of: file)
    let standard = StateFolder.folder(FilePath.join(folder, JobsLoad.defaultStateFolder))
    let reader = FileReader(bound: JobsLoad.sizeBound, refusesWritableByOthers: false)
    guard let contents = try? reader.read(file),
      contents.bytes.withBytes({ StateSearch.mayName($0) })
    else { return standard }
    return StateSearch(SourceText(file: path, bytes: contents.bytes)).found(in: folder) ?? standard
  }
}

/// Looks for the one key that says where the state is.
private struct StateSearch {
  let source: SourceText

  init(_ source: SourceText) { self.source = source }

  /// Whether any line could begin the settings of the scheduler; a file of many jobs that does not
  /// have them is not parsed at all.
  static func mayName(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let key = Array("scheduler".utf8)
    var isLineStart = true
    for index in text.indices {
      if isLineStart {
        // Indented, quoted, or behind a byte order mark.
        let rest = text[index...].drop { Array(" \"'\u{feff}".utf8).contains($0) }
        // Keys of another style than a mapping's plain ones.
        if rest.starts(with: key) || Array("{?!&<".utf8).contains(text[index]) { return true }
      }
      isLineStart = text[index] == UInt8(ascii: "\n")
    }
    return false
  }

  func found(in folder: String) -> StateFolder? {
    let composer = YAMLComposer(source, limits: YAMLLimits(), reporter: Reporter(source))
    var state: StateFolder?
    do {
      try composer.openDocument()
      _ = try composer.walk { (key) throws(YAMLStop) in
        let node = try composer.node()
        guard key.text == Key.scheduler, case .mapping(let entries) = node.content else { return }
        for case let entry in entries where entry.key == Key.state {
          guard case .scalar(let scalar) = entry.value.content else { continue }
          state =
            scalar.text == Key.none
            ? StateFolder.none : .folder(FilePath.absolute(FilePath.join(folder, scalar.text)))
        }
        // Nothing behind it matters.
        throw .empty
      }
    } catch {
      // Mistakes are for those who load the file.
    }
    return state
  }
}
