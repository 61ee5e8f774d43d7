import Glibc
import TaktCore
import TaktSystem

/// Reads whole regular files within a bound, and never waits on anything else.
struct FileReader {
  var bound: Int
  /// Checks each file; nil to open any file.
  var opener: FileOpener?
  /// The files that may be opened; nil for any.
  var reach: FileReach?

  struct Contents {
    var bytes: FileBytes
    var identity: FileIdentity
    /// Nil for a text in place of the file.
    var stamp: FileStamp?
    var owner: UInt32
    /// True if its name is gone: another file has replaced it, or it was deleted.
    var isNameless = false
  }

  func read(_ path: String, as row: FileTrust) throws(FileProblem) -> Contents {
    if path.utf8.contains(0) { throw .system(ENOENT) }
    let absolute = FilePath.absolute(path)
    try reach?.check(absolute, as: row)
    let descriptor = try open(FilePath.place(of: path), as: row)
    defer { close(descriptor) }
    // Checked on the open file: the path may lead elsewhere by now.
    let status = try system { () throws(SystemError) in try FileStatus(of: descriptor) }
    try check(status)
    let identity = FileIdentity(status.identity)
    try reach?.check(identity, of: absolute)
    let bytes = try system { () throws(SystemError) in
      try SmallFile.bytes(of: descriptor, expecting: status.sizeBytes, bytesMax: bound)
    }
    return Contents(
      bytes: bytes, identity: identity, stamp: FileStamp(status), owner: status.owner,
      isNameless: status.linkCount == 0)
  }

  /// Turns an error of the system into a problem of the file.
  private func system<Value>(_ call: () throws(SystemError) -> Value) throws(FileProblem) -> Value {
    do throws(SystemError) {
      return try call()
    } catch {
      throw error.number == EFBIG ? .tooLarge(bound: bound) : .system(error.number)
    }
  }

  private func open(_ place: String, as row: FileTrust) throws(FileProblem) -> Int32 {
    if let opener {
      do throws(OpenFailure) {
        return try opener.open(place, as: row)
      } catch {
        switch error {
        case .system(let number): throw .system(number)
        case .distrusted(let problem): throw FileProblem(problem)
        }
      }
    }
    // Checked before the file is opened: opening a device or a pipe can have side effects.
    try check(try system { () throws(SystemError) in try FileStatus(at: place) })
    let descriptor = Glibc.open(place, SmallFile.readingFlags)
    guard descriptor >= 0 else { throw .system(errno) }
    return descriptor
  }

  /// The file as if it had this content; it need not exist.
  static func contents(of path: String, as bytes: FileBytes) -> Contents {
    let status = try? FileStatus(at: FilePath.place(of: path))
    return Contents(
      bytes: bytes,
      identity: status.map { FileIdentity($0.identity) } ?? FileIdentity(device: 0, inode: 0),
      owner: status?.owner ?? 0)
  }

  private func check(_ status: FileStatus) throws(FileProblem) {
    guard status.type == .file else { throw .notAFile(status.type) }
    if status.sizeBytes > bound { throw .tooLarge(bound: bound) }
  }
}

extension FileStamp {
  init(_ status: FileStatus) {
    self.init(
      identity: FileIdentity(status.identity), sizeBytes: status.sizeBytes,
      modified: status.modified, changed: status.changed)
  }
}

extension FileIdentity {
  fileprivate init(_ identity: FileStatus.Identity) {
    self.init(device: identity.device, inode: identity.inode)
  }
}
