package import TaktCore
import TaktSystem

/// The settings of a jobs file that concern its daemon, found without reading the jobs: for
/// commands that connect to a running daemon or read its ledger.
package struct DaemonPlace {
  package var state: StateFolder
  /// The name under `timezone`; nil for the machine's.
  package var zoneName: String?
}

extension JobsLoader {
  /// The place of the daemon's state if the jobs file sets none.
  package static func defaultState(of path: String) -> StateFolder {
    let folder = FilePath.folder(of: FilePath.absolute(path))
    return .folder(FilePath.join(folder, JobsLoad.defaultStateFolder))
  }

  /// A file that cannot be read has the defaults.
  package static func place(of path: String) -> DaemonPlace {
    let file = FilePath.absolute(path)
    let folder = FilePath.folder(of: file)
    let standard = DaemonPlace(state: defaultState(of: path), zoneName: nil)
    let reader = FileReader(bound: JobsLoad.sizeBound)
    guard let contents = try? reader.read(file, as: .jobsFile),
      contents.bytes.withBytes({ StateSearch.mayName($0) })
    else { return standard }
    return StateSearch(SourceText(file: path, bytes: contents.bytes)).found(standard, in: folder)
  }
}

/// Searches for the scheduler's keys for the state and the time zone.
private struct StateSearch {
  let source: SourceText

  init(_ source: SourceText) { self.source = source }

  /// True if any line could start the settings of the scheduler; a file of many jobs without them
  /// is not parsed at all.
  static func mayName(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let key = Array("scheduler".utf8)
    var isLineStart = true
    for index in text.indices {
      if isLineStart {
        // Indented, quoted, or after a byte order mark.
        let rest = text[index...].drop { Array(" \"'\u{feff}".utf8).contains($0) }
        // Keys in another style than a mapping's plain ones.
        if rest.starts(with: key) || Array("{?!&<".utf8).contains(text[index]) { return true }
      }
      isLineStart = text[index] == UInt8(ascii: "\n")
    }
    return false
  }

  func found(_ standard: DaemonPlace, in folder: String) -> DaemonPlace {
    let composer = YAMLComposer(source, limits: YAMLLimits(), reporter: Reporter(source))
    var place = standard
    do {
      try composer.openDocument()
      _ = try composer.walk { (key) throws(YAMLStop) in
        let node = try composer.node()
        guard key.text == Key.scheduler, case .mapping(let entries) = node.content else { return }
        for entry in entries {
          guard case .scalar(let scalar) = entry.value.content else { continue }
          if entry.key == Key.state {
            place.state =
              scalar.text == Key.none
              ? StateFolder.none : .folder(FilePath.absolute(FilePath.join(folder, scalar.text)))
          } else if entry.key == Key.timezone {
            place.zoneName = scalar.text
          }
        }
        // The rest does not matter.
        throw .empty
      }
    } catch {
      // Mistakes are reported when the file is loaded.
    }
    return place
  }
}
