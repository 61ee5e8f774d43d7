import Glibc
import TaktCore
import TaktSystem
import TaktTime

/// A file that is appended to and rotated when it is full: `PATH` becomes `PATH.1`, the previous
/// one `PATH.2`, and so on. Its calls may block: they belong on a queue of their own.
struct RotatingFile {
  /// The system's call; tests simulate a full disk.
  typealias Write = @Sendable (Int32, UnsafeRawPointer, Int) -> Int

  /// The interval at which the file at the path is compared with the open one, and the time for
  /// which a path that cannot be opened is not tried again.
  private static let checkPeriod = Duration.seconds(1)

  private let path: AppendedPath
  private let systemWrite: Write
  private var descriptor: Int32 = -1
  private var sizeBytes = 0
  private var checkedAt = MonotonicInstant(nanoseconds: 0)
  private var trouble: (what: OutputFileError, until: MonotonicInstant)?

  init(
    path: String, links: FolderPath.Links = geteuid() == 0 ? .ofRoot : .all,
    write: @escaping Write = { Glibc.write($0, $1, $2) }
  ) {
    self.path = AppendedPath(path, links: links)
    systemWrite = write
  }

  /// Appends all bytes, or throws the reason why not; `written` counts those written.
  mutating func append(
    _ bytes: [UInt8], within limits: OutputFile, at now: MonotonicInstant, written: inout Int
  ) throws(OutputFileError) {
    if let trouble, now < trouble.until { throw trouble.what }
    trouble = nil
    do throws(OutputFileError) {
      try open(at: now)
      while written < bytes.count {
        let room = limits.sizeBytesMax - sizeBytes
        let piece = Self.piece(of: bytes[written...], room: room, isEmpty: sizeBytes == 0)
        if piece == 0 {
          try rotate(files: limits.files, at: now)
        } else {
          written += try write(bytes, from: written, count: piece)
        }
      }
    } catch {
      if case .write = error { throw error }
      trouble = (error, now + Self.checkPeriod)
      throw error
    }
  }

  /// Closes it; the next `append` opens it again.
  mutating func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// The number of bytes for this file: up to a line's end, if there is one within the room; only a
  /// line that fits in no file is divided.
  private static func piece(of bytes: ArraySlice<UInt8>, room: Int, isEmpty: Bool) -> Int {
    if bytes.count <= room { return bytes.count }
    let inside = bytes.prefix(max(0, room))
    if let end = inside.lastIndex(of: 10) { return end + 1 - bytes.startIndex }
    return isEmpty ? max(1, inside.count - inside.cutCharacterBytes) : 0
  }

  private mutating func write(
    _ bytes: [UInt8], from start: Int, count: Int
  ) throws(OutputFileError) -> Int {
    let (done, number) = bytes.withUnsafeBytes { buffer in
      guard let first = buffer.baseAddress else { return (0, EIO) }
      let done = systemWrite(descriptor, first + start, count)
      return (done, done == 0 ? EIO : errno)
    }
    guard done > 0 else {
      if number == EINTR { return 0 }
      throw .write(number)
    }
    sizeBytes += done
    return done
  }

  /// Opens it unless it is open; reopens it if it was moved away or replaced.
  private mutating func open(at now: MonotonicInstant) throws(OutputFileError) {
    if descriptor >= 0, now - checkedAt < Self.checkPeriod { return }
    checkedAt = now
    let folder = try path.openFolder()
    defer { Glibc.close(folder) }
    try open(in: folder)
  }

  private mutating func open(in folder: Int32) throws(OutputFileError) {
    if descriptor >= 0 {
      if let here = path.status(of: descriptor, in: folder) {
        // The file may have been truncated.
        sizeBytes = here.sizeBytes
        return
      }
      close()
    }
    try reopen(in: folder)
  }

  private mutating func reopen(in folder: Int32) throws(OutputFileError) {
    let opened = try path.open(in: folder)
    descriptor = opened.descriptor
    sizeBytes = opened.status.sizeBytes
  }

  private mutating func rotate(files: Int, at now: MonotonicInstant) throws(OutputFileError) {
    // Another file may be at the path by now: that one must not be renamed unseen.
    let size = sizeBytes
    checkedAt = now
    let folder = try path.openFolder()
    defer { Glibc.close(folder) }
    try open(in: folder)
    guard sizeBytes >= size else { return }
    let name = path.name
    if files <= 1 {
      guard ftruncate(descriptor, 0) == 0 else { throw .rotation(errno) }
      sizeBytes = 0
      return
    }
    for number in stride(from: files - 2, through: 0, by: -1) {
      let from = number == 0 ? name : "\(name).\(number)"
      if renameat(folder, from, folder, "\(name).\(number + 1)") != 0, errno != ENOENT {
        throw .rotation(errno)
      }
    }
    close()
    try reopen(in: folder)
  }
}
