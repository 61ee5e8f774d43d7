import Glibc
import TaktSystem

package struct LogDestination: Sendable {
  /// The descriptor; for a file, the one at the start.
  let number: Int32
  /// Nil for a descriptor.
  let file: ReopeningFile?
  let isTerminal: Bool

  /// A descriptor that stays open.
  package static func descriptor(_ number: Int32) -> Self {
    Self(number: number, file: nil, isTerminal: isatty(number) == 1)
  }

  /// A descriptor that stays open. If it is a file, such as that of `> takt.log`, every line goes
  /// to its end: truncating the file would leave a hole before the next line otherwise.
  package static func appending(_ number: Int32) -> Self {
    if let status = try? FileStatus(of: number), status.type == .file {
      let flags = fcntl(number, F_GETFL)
      if flags >= 0 { _ = fcntl(number, F_SETFL, flags | O_APPEND) }
    }
    return descriptor(number)
  }

  /// A file, which is opened now, and again whenever another is at its path.
  package static func file(_ path: AppendedPath) throws(OutputFileError) -> Self {
    let file = try ReopeningFile(path)
    return Self(number: file.descriptor, file: file, isTerminal: false)
  }
}

/// A file that is opened again when it was moved away, as by logrotate.
struct ReopeningFile: Sendable {
  enum Change {
    /// The file is unchanged.
    case same
    /// It is another one.
    case moved
    /// The path cannot be opened. The previous file is kept, so that nothing is lost.
    case failed(OutputFileError)
  }

  private let path: AppendedPath
  private(set) var descriptor: Int32

  init(_ path: AppendedPath) throws(OutputFileError) {
    self.path = path
    let folder = try path.openFolder()
    defer { close(folder) }
    descriptor = try path.open(in: folder).descriptor
  }

  /// Opens the file at the path now, unless it is open.
  mutating func follow() -> Change {
    do throws(OutputFileError) {
      let folder = try path.openFolder()
      defer { close(folder) }
      if path.status(of: descriptor, in: folder) != nil { return .same }
      let new = try path.open(in: folder).descriptor
      close(descriptor)
      descriptor = new
      return .moved
    } catch {
      return .failed(error)
    }
  }
}
