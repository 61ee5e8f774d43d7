import Glibc

/// The first bytes of a file: its `#!` line, or the head of a compiled program.
enum ProgramHead {
  private static let bytesMax = 4096

  /// Nil if there is no regular file, or it may not be read.
  static func read(_ path: String) -> [UInt8]? {
    guard (try? FileStatus(at: path))?.type == .file else { return nil }
    return SmallFile.head(path, bytesMax: bytesMax)
  }

  static func isCompiled(_ head: [UInt8]) -> Bool { head.starts(with: [0x7f, 0x45, 0x4c, 0x46]) }
}

package enum ProgramKind {
  /// The note that the Go linker puts in the head of each program: its type and its author.
  private static let goNote: [UInt8] = [4, 0, 0, 0, 0x47, 0x6f, 0, 0]

  package static func isOfGo(fileAt path: String) -> Bool {
    guard let head = ProgramHead.read(path), ProgramHead.isCompiled(head) else { return false }
    return head.indices.dropLast(goNote.count - 1).contains { start in
      head[start] == goNote[0] && head[start..<(start + goNote.count)].elementsEqual(goNote)
    }
  }

  /// Empty for a program without a `#!` line.
  package static func interpreter(fileAt path: String) -> [String] {
    guard let head = ProgramHead.read(path), head.starts(with: "#!".utf8) else { return [] }
    return head.prefix { $0 != 0x0a && $0 != 0x0d }.dropFirst(2)
      .split { $0 == 0x20 || $0 == 0x09 }.map { String(decoding: $0, as: UTF8.self) }
  }
}
