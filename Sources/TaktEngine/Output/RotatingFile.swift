import Glibc
import TaktCore
import TaktSystem
import TaktTime

/// Why an output file does not get what it should.
enum OutputFileError: Error, Hashable, Sendable {
  /// It cannot be opened or made.
  case open(Int32)
  /// Something else than a regular file stands at the path.
  case notRegular
  /// A link on the way to it is not followed.
  case link(String)
  /// The file has more names than one.
  case manyNames
  /// It is full and cannot give way to a new one.
  case rotation(Int32)
  /// The system does not take the bytes.
  case write(Int32)

  /// `the folder does not exist`, `cannot be written: No space left on device`
  var sentence: String {
    switch self {
    case .open(ENOENT): "the folder does not exist"
    case .open(let number): "\(SystemError.text(number))"
    case .notRegular: "it is not a regular file"
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

/// A file that is appended to and gives way to a new one when it is full: `PATH` becomes `PATH.1`,
/// what was that `PATH.2`, and so on. Its calls may block: they belong on a queue of their own.
///
/// As root no link that a user may have made leads to another file: the folder is opened name by
/// name, and all that is done is done by names in that folder.
struct RotatingFile {
  /// The system's call; tests put a full disk in its place.
  typealias Write = @Sendable (Int32, UnsafeRawPointer, Int) -> Int

  /// How often it is looked whether the file at the path is still the one that is open, and how
  /// long a path that cannot be opened is left alone.
  private static let checkPeriod = Duration.seconds(1)

  private let folderPath: String
  private let name: String
  private let links: FolderPath.Links
  private let systemWrite: Write
  private var descriptor: Int32 = -1
  private var sizeBytes = 0
  private var checkedAt = MonotonicInstant(nanoseconds: 0)
  private var trouble: (what: OutputFileError, until: MonotonicInstant)?

  init(
    path: String, links: FolderPath.Links = geteuid() == 0 ? .ofRoot : .all,
    write: @escaping Write = { Glibc.write($0, $1, $2) }
  ) {
    self.links = links
    let bytes = path.utf8
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map(bytes.index(after:)) ?? bytes.startIndex
    name = String(path[start...])
    folderPath = String(path[..<start])
    systemWrite = write
  }

  /// Appends all bytes, or throws why it could not; `written` says how many went.
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

  /// How much of it goes into this file: up to a line's end, where one stands within the room; only
  /// a line that no file has room for is divided.
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

  /// Opens it unless it is open; reopens it when somebody has moved it away or put another there.
  private mutating func open(at now: MonotonicInstant) throws(OutputFileError) {
    if descriptor >= 0, now - checkedAt < Self.checkPeriod { return }
    checkedAt = now
    let folder = try openFolder()
    defer { Glibc.close(folder) }
    try open(in: folder)
  }

  private func openFolder() throws(OutputFileError) -> Int32 {
    do throws(FolderPath.Failure) {
      return try FolderPath.open(folderPath, following: links)
    } catch {
      switch error {
      case .system(let number): throw .open(number)
      case .link(let path): throw .link(path)
      }
    }
  }

  private mutating func open(in folder: Int32) throws(OutputFileError) {
    if descriptor >= 0 {
      if let here = try? FileStatus(of: descriptor),
        let there = try? FileStatus(of: name, in: folder), here.identity == there.identity
      {
        // Somebody may have cut it short.
        sizeBytes = here.sizeBytes
        return
      }
      close()
    }
    try reopen(in: folder)
  }

  /// Opening never waits for a reader at the other end of a FIFO, follows no link, and touches
  /// nothing but a regular file.
  private mutating func reopen(in folder: Int32) throws(OutputFileError) {
    if let found = try? FileStatus(of: name, in: folder), found.type != .file {
      throw .notRegular
    }
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let new = openat(folder, name, flags, 0o640)
    guard new >= 0 else { throw .open(errno) }
    guard let opened = try? FileStatus(judging: new), opened.type == .file else {
      Glibc.close(new)
      throw .notRegular
    }
    // Another name of the file may be one that the job's user could not write by.
    let file = FileFact(opened, path: name)
    if case .ofRoot = links, FileTrust.outputFile.problem(of: file, for: FileParties(own: 0)) != nil
    {
      Glibc.close(new)
      throw .manyNames
    }
    descriptor = new
    sizeBytes = opened.sizeBytes
  }

  private mutating func rotate(files: Int, at now: MonotonicInstant) throws(OutputFileError) {
    // Another may stand at the path by now: that one must not be renamed unseen.
    let size = sizeBytes
    checkedAt = now
    let folder = try openFolder()
    defer { Glibc.close(folder) }
    try open(in: folder)
    guard sizeBytes >= size else { return }
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
