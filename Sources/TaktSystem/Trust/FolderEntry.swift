import CTaktSystem
import Glibc

/// Access along the folders of a path, by their modes.
package enum FolderEntry {
  /// The first folder on the way to a folder or a program, itself included, that a user may not
  /// enter or execute; nil where there is none, and where that is not known.
  package static func closed(
    toUser user: UInt32, groups: [UInt32], onWayTo path: String
  ) -> String? {
    guard user != 0 else { return nil }
    return way(to: path).first { place in
      guard let status = try? FileStatus(at: place) else { return false }
      let bit: UInt32 =
        status.owner == user ? 0o100 : groups.contains(status.group) ? 0o010 : 0o001
      // A list of more users says more than the mode.
      return status.mode & bit == 0 && csystem_has_access_list(place) == 0
    }
  }

  /// True if users besides its owner and its group can read a file in a folder.
  package static func othersCanRead(_ path: String, in folder: String) -> Bool {
    guard let status = try? FileStatus(at: path), status.mode & 0o004 != 0 else { return false }
    return way(to: folder).allSatisfy { folder in
      (try? FileStatus(at: folder)).map { $0.mode & 0o001 != 0 } ?? false
    }
  }

  /// The places from the root to one, links resolved; none where it is not there.
  private static func way(to path: String) -> [String] {
    guard let resolved = SmallFile.realPath(path) else { return [] }
    let names = resolved.split(separator: "/")
    return ["/"] + names.indices.map { "/" + names[...$0].joined(separator: "/") }
  }
}
