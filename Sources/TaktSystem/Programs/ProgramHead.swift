import Glibc

/// The first bytes of a file, which tell what it is: its `#!` line, or the head of a compiled program.
enum ProgramHead {
  private static let bytesMax = 4096

  /// Nil where no regular file is, or it may not be read.
  static func read(_ path: String) -> [UInt8]? {
    var status = stat()
    guard stat(path, &status) == 0, FileType(status.st_mode) == .file else { return nil }
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: bytesMax)
    let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
    return count < 0 ? nil : Array(bytes.prefix(count))
  }

  static func isCompiled(_ head: [UInt8]) -> Bool { head.starts(with: [0x7f, 0x45, 0x4c, 0x46]) }
}

/// What a program was made with.
package enum ProgramKind {
  /// The note that the Go linker puts in the head of each program: its type and its author.
  private static let goNote: [UInt8] = [4, 0, 0, 0, 0x47, 0x6f, 0, 0]

  /// Whether the program at a path was compiled from Go.
  package static func isOfGo(fileAt path: String) -> Bool {
    guard let head = ProgramHead.read(path), ProgramHead.isCompiled(head) else { return false }
    return head.indices.dropLast(goNote.count - 1).contains { start in
      head[start] == goNote[0] && head[start..<(start + goNote.count)].elementsEqual(goNote)
    }
  }
}
