import Glibc
import TaktCore
import TaktSystem

/// Reads whole regular files within a bound, and never waits on anything else.
struct FileReader {
  /// The most bytes that a file may have.
  var bound: Int
  /// Judges what is opened; nil to open whatever is a file.
  var opener: FileOpener?
  /// The files that may be opened; nil for any.
  var reach: FileReach?

  /// One file as it was read.
  struct Contents {
    var bytes: FileBytes
    var identity: FileIdentity
    var owner: UInt32
    /// Whether it has no name any more: another file has taken its place, or it was deleted.
    var isNameless = false
  }

  func read(_ path: String, as row: FileTrust) throws(FileProblem) -> Contents {
    if path.utf8.contains(0) { throw .system(ENOENT) }
    let absolute = FilePath.absolute(path)
    try reach?.check(absolute, as: row)
    let descriptor = try open(FilePath.place(of: path), as: row)
    defer { close(descriptor) }
    var status = stat()
    // Asked of what was opened: the path may lead elsewhere by now.
    guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
    try check(status)
    let identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    try reach?.check(identity, of: absolute)
    return Contents(
      bytes: try bytes(of: descriptor, expecting: Int(status.st_size)), identity: identity,
      owner: status.st_uid, isNameless: status.st_nlink == 0)
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
    // Asked before the file is opened: opening a device or a pipe can do things by itself.
    var status = stat()
    guard stat(place, &status) == 0 else { throw .system(errno) }
    try check(status)
    let descriptor = Glibc.open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .system(errno) }
    return descriptor
  }

  /// The file as if it said this; it need not be there.
  static func contents(of path: String, as bytes: FileBytes) -> Contents {
    var status = stat()
    stat(FilePath.place(of: path), &status)
    return Contents(
      bytes: bytes,
      identity: FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)),
      owner: status.st_uid)
  }

  private func check(_ status: stat) throws(FileProblem) {
    let type = FileType(status.st_mode)
    guard type == .file else { throw .notAFile(type) }
    if status.st_size > bound { throw .tooLarge(bound: bound) }
  }

  /// Reads to the end; a file that grows meanwhile is read to one byte past the bound at most.
  private func bytes(
    of descriptor: Int32, expecting size: Int
  ) throws(FileProblem) -> FileBytes {
    var capacity = min(bound, max(size, 4096)) + 1
    var memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    var count = 0
    var problem: FileProblem?
    while problem == nil {
      // `count` never passes `capacity`, so the range asked for lies inside the allocation.
      let result = Glibc.read(descriptor, memory + count, capacity - count)
      if result == 0 { break }
      if result < 0 {
        if errno != EINTR { problem = .system(errno) }
        continue
      }
      count += result
      if count > bound {
        problem = .tooLarge(bound: bound)
      } else if count == capacity {
        capacity = min(bound + 1, capacity * 2)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: memory, count: count)
        memory.deallocate()
        memory = larger
      }
    }
    let bytes = FileBytes(adopting: memory, count: count)
    if let problem { throw problem }
    return bytes
  }
}

/// The bytes of one file, at an address that stays where it is while this object lives.
final class FileBytes {
  private let buffer: UnsafeBufferPointer<UInt8>

  /// Takes over memory that `allocate(capacity:)` gave, of which the first `count` bytes are set.
  init(adopting memory: UnsafeMutablePointer<UInt8>, count: Int) {
    buffer = UnsafeBufferPointer(start: memory, count: count)
  }

  /// A copy of bytes that are in memory already.
  convenience init(_ bytes: some Collection<UInt8>) {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
    // As many bytes are set as are counted, and there is room for all of them.
    for (offset, byte) in bytes.enumerated() { (memory + offset).initialize(to: byte) }
    self.init(adopting: memory, count: bytes.count)
  }

  deinit {
    buffer.deallocate()
  }

  /// Lends the bytes for the time of the call.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    withExtendedLifetime(self) { body(buffer) }
  }
}
