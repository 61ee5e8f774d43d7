import CTaktSystem
package import Glibc
package import TaktTime

/// What the system says of a file, a folder, or whatever else stands at a path.
package struct FileStatus: Hashable, Sendable {
  /// What makes a file this one and no other: a copy is another one, a file that was moved within its
  /// file system is the same.
  package struct Identity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
      self.device = device
      self.inode = inode
    }
  }

  package var type: FileType
  package var identity: Identity
  package var owner: UInt32
  package var group: UInt32
  /// Its twelve bits.
  package var mode: UInt32
  package var linkCount: Int
  package var sizeBytes: Int
  /// When it was written last. At the ends of the range for what lies beyond it, as the next.
  package var modified: WallInstant
  /// When its contents, name or rights changed last.
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

  /// What stands at a path.
  ///
  /// - Parameters:
  ///   - path: a string, or bytes with a zero at their end.
  ///   - followsLink: whether a link at its end is followed.
  package init(at path: UnsafePointer<CChar>, followsLink: Bool = true) throws(SystemError) {
    var status = stat()
    guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else {
      throw SystemError("stat")
    }
    self.init(status)
  }

  /// What a name in an open folder stands for; a link for itself.
  ///
  /// - Parameter name: a string, or bytes with a zero at their end.
  package init(of name: UnsafePointer<CChar>, in folder: Int32) throws(SystemError) {
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw SystemError("stat")
    }
    self.init(status)
  }

  /// What is open.
  package init(of descriptor: Int32) throws(SystemError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("fstat") }
    self.init(status)
  }
}

extension FileStatus {
  /// What is open, for `FileTrust`: what a user has mounted belongs to that user, whatever the user's
  /// process says.
  package init(judging descriptor: Int32) throws(SystemError) {
    try self.init(of: descriptor)
    if csystem_is_told(descriptor) != 0 { belongToMounter() }
  }

  /// The same of what stands at a path; a link at its end is followed only if that is wanted.
  package init(judging path: String, followsLink: Bool) throws(SystemError) {
    let link = followsLink ? 0 : O_NOFOLLOW
    let descriptor = open(path, SmallFile.pathOnly | O_CLOEXEC | link)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
    try self.init(judging: descriptor)
  }

  /// The same of a name in an open folder, which is no mount point.
  package init(judging name: UnsafePointer<CChar>, in folder: Int32) throws(SystemError) {
    try self.init(of: name, in: folder)
    if csystem_is_told(folder) != 0 { belongToMounter() }
  }

  /// Of what has been unmounted meanwhile nobody knows.
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
