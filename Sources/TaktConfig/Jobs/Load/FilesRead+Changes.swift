package import TaktCore
import TaktSystem

extension FilesRead {
  /// The absolute paths whose files have changed since they were read, and those that match a
  /// pattern only now, in order.
  ///
  /// Folders are left out: any new file beside the jobs file changes them, too.
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
