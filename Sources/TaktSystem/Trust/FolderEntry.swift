import CTaktSystem
import Glibc

/// Who may go along the folders of a path, by their modes.
package enum FolderEntry {
  /// The first folder on the way to a folder, itself included, that a user may not enter; nil where
  /// there is none, and where that is not known.
  package static func closed(
    toUser user: UInt32, groups: [UInt32], onWayTo path: String
  ) -> String? {
    guard user != 0 else { return nil }
    return way(to: path).first { folder in
      var status = stat()
      guard stat(folder, &status) == 0 else { return false }
      let bit: UInt32 =
        status.st_uid == user ? 0o100 : groups.contains(status.st_gid) ? 0o010 : 0o001
      // A list of more users says more than the mode.
      return status.st_mode & bit == 0 && csystem_has_access_list(folder) == 0
    }
  }

  /// Whether users besides its owner and its group can read a file in a folder.
  package static func othersCanRead(_ path: String, in folder: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o004 != 0 else { return false }
    return way(to: folder).allSatisfy { folder in
      var status = stat()
      return stat(folder, &status) == 0 && status.st_mode & 0o001 != 0
    }
  }

  /// The folders from the root to one, links resolved; none where it is not there.
  private static func way(to path: String) -> [String] {
    guard let resolved = realpath(path, nil) else { return [] }
    // `realpath` has allocated it, and nobody else has it.
    defer { free(resolved) }
    let names = String(cString: resolved).split(separator: "/")
    return ["/"] + names.indices.map { "/" + names[...$0].joined(separator: "/") }
  }
}
