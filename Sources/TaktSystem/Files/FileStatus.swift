import CTaktSystem
package import Glibc
package import TaktTime

/// The system's facts about a file, a folder, or anything else at a path.
package struct FileStatus: Hashable, Sendable {
  /// Tells a file from any other: a copy has another identity; a file moved within its file system
  /// keeps its own.
  package struct Identity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
  }

  package var type: FileType
  package var identity: Identity
  package var owner: UInt32
  package var group: UInt32
  /// The twelve permission bits.
  package var mode: UInt32
  package var linkCount: Int
  package var sizeBytes: Int
  /// The time of the last write. Beyond the range of the type, its nearest end; so is `changed`.
  package var modified: WallInstant
  /// The time of the last change of contents, name or rights.
  package var changed: WallInstant

  package init(_ status: stat) {
    type = FileType(status.st_mode)
    identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    owner = status.st_uid
    group = status.st_gid
    mode = status.st_mode & 0o7777
    linkCount = Int(status.st_nlink)
    sizeBytes = Int(status.st_size)
    modified = WallInstant(status.st_mtim)
    changed = WallInstant(status.st_ctim)
  }

  /// - Parameters:
  ///   - path: a string, or bytes with a zero at their end.
  ///   - followsLink: true to follow a link at its end.
  package init(at path: UnsafePointer<CChar>, followsLink: Bool = true) throws(SystemError) {
    var status = stat()
    guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else {
      throw SystemError("stat")
    }
    self.init(status)
  }

  /// Does not follow a link.
  ///
  /// - Parameter name: a string, or bytes with a zero at their end.
  package init(of name: UnsafePointer<CChar>, in folder: Int32) throws(SystemError) {
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw SystemError("stat")
    }
    self.init(status)
  }

  package init(of descriptor: Int32) throws(SystemError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("fstat") }
    self.init(status)
  }
}

extension FileStatus {
  /// For `FileTrust`: a file system that a user has mounted belongs to that user, whatever its
  /// process claims.
  package init(judging descriptor: Int32) throws(SystemError) {
    try self.init(of: descriptor)
    if csystem_is_told(descriptor) != 0 { belongToMounter() }
  }

  /// For `FileTrust`, as above.
  package init(judging path: String, followsLink: Bool) throws(SystemError) {
    let link = followsLink ? 0 : O_NOFOLLOW
    let descriptor = open(path, SmallFile.pathOnly | O_CLOEXEC | link)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
    try self.init(judging: descriptor)
  }

  /// For `FileTrust`; a name in an open folder is no mount point.
  package init(judging name: UnsafePointer<CChar>, in folder: Int32) throws(SystemError) {
    try self.init(of: name, in: folder)
    if csystem_is_told(folder) != 0 { belongToMounter() }
  }

  /// Once it has been unmounted, its owner is unknown.
  mutating func belongToMounter() {
    guard let mounter = MountTable.mounter(of: identity.device) else {
      (owner, group) = (.max, .max)
      return
    }
    if mounter.user != 0 { (owner, group) = mounter }
  }
}

extension WallInstant {
  /// At the ends of the range for what lies beyond it.
  fileprivate init(_ time: timespec) {
    let (seconds, isOver) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isSumOver) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
    self.init(nanoseconds: !isOver && !isSumOver ? sum : time.tv_sec < 0 ? .min : .max)
  }
}
