package import TaktCore
import TaktSystem

extension FilesRead {
  /// The absolute paths at which there is something else by now than was read, and those that a pattern
  /// matches only now, in order.
  ///
  /// Folders are left out: a file that somebody puts beside the jobs file changes them, too.
  package var changedPaths: [String] {
    let changed = stamps.filter { path, stamp in
      (try? FileStatus(at: path)).map { FileStamp($0) } != stamp
    }
    var paths = Set(changed.keys)
    for known in matches {
      let now = IncludePattern(known.pattern, in: known.folder, bound: JobsLoad.fileBound)
      paths.formUnion(Set(now.matches.map(FilePath.absolute)).subtracting(known.paths))
    }
    return paths.sorted()
  }
}
