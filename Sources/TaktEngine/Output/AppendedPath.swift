import Glibc
package import TaktSystem

/// The reason why a file does not get the bytes appended to it.
package enum OutputFileError: Error, Hashable, Sendable {
  case open(Int32)
  case notRegular
  /// The file at the path is a link.
  case linkAtPath
  /// A link on the way is not followed.
  case link(String)
  /// The file has more names than one.
  case manyNames
  /// The file is full and cannot be rotated.
  case rotation(Int32)
  case write(Int32)

  /// `the folder does not exist`, `cannot be written: No space left on device`
  package var sentence: String {
    switch self {
    case .open(ENOENT): "the folder does not exist"
    case .open(let number): "\(SystemError.text(number))"
    case .notRegular: "it is not a regular file"
    case .linkAtPath: "it is a link, and takt does not follow it. Use the real path of the file"
    case .link(let path):
      "'\(path)' is a link that another user may have made, and takt runs as root. "
        + "Use the real path of the folder"
    case .manyNames:
      "the file has several hard links, and takt runs as root. Remove the others"
    case .rotation(let number): "it is full and cannot be renamed: \(SystemError.text(number))"
    case .write(let number): "\(SystemError.text(number))"
    }
  }
}

/// The path of a file that is appended to.
///
/// As root, no link that a user may have made leads to another file: the folder is opened name by
/// name, and all operations use names in that folder.
package struct AppendedPath: Sendable {
  private let folderPath: String
  package let name: String
  private let links: FolderPath.Links

  /// - Parameter path: An absolute path.
  package init(_ path: String, links: FolderPath.Links = geteuid() == 0 ? .ofRoot : .all) {
    self.links = links
    let bytes = path.utf8
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map(bytes.index(after:)) ?? bytes.startIndex
    name = String(path[start...])
    folderPath = String(path[..<start])
  }

  /// A descriptor of the folder, for the `…at` calls only.
  package func openFolder() throws(OutputFileError) -> Int32 {
    do throws(FolderPath.Failure) {
      return try FolderPath.open(folderPath, following: links)
    } catch {
      switch error {
      case .system(let number): throw .open(number)
      case .link(let path): throw .link(path)
      }
    }
  }

  /// The status of the open file if it is still the one at the path.
  package func status(of descriptor: Int32, in folder: Int32) -> FileStatus? {
    guard let here = try? FileStatus(of: descriptor),
      let there = try? FileStatus(of: name, in: folder), here.identity == there.identity
    else { return nil }
    return here
  }

  /// Opens the file, or creates it. Never waits for a reader of a FIFO, follows no link, and
  /// touches only a regular file.
  package func open(
    in folder: Int32
  ) throws(OutputFileError) -> (descriptor: Int32, status: FileStatus) {
    if let found = try? FileStatus(of: name, in: folder), found.type != .file {
      throw found.type == .link ? .linkAtPath : .notRegular
    }
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let new = openat(folder, name, flags, 0o640)
    guard new >= 0 else { throw .open(errno) }
    guard let opened = try? FileStatus(judging: new), opened.type == .file else {
      close(new)
      throw .notRegular
    }
    // Another name of the file may be one through which the job's user could not write.
    let file = FileFact(opened, path: name)
    if case .ofRoot = links, FileTrust.outputFile.problem(of: file, for: FileParties(own: 0)) != nil
    {
      close(new)
      throw .manyNames
    }
    return (new, opened)
  }
}
