import Glibc

/// The reason why the system does not execute a file that exists and is executable.
package enum ProgramFlaw: Hashable, Sendable {
  case empty
  case noInterpreterLine
  /// A byte order mark hides the `#!` line.
  case byteOrderMark
  /// The `#!` line ends with a carriage return, which the system takes for part of it.
  case carriageReturn
  case missingInterpreter(String)
  /// The loader that a compiled program names.
  case missingLoader(String)
}

extension ProgramFlaw {
  /// The rest of a sentence that starts with the program.
  package var words: String {
    switch self {
    case .empty: "is empty"
    case .noInterpreterLine: "is a text without a '#!' line"
    case .byteOrderMark: "starts with a byte order mark, which hides its '#!' line"
    case .carriageReturn: "has Windows line ends: its '#!' line ends with a carriage return"
    case .missingInterpreter(let path): "names the interpreter '\(path)', which does not exist"
    case .missingLoader(let path): "needs the loader '\(path)', which does not exist"
    }
  }

  package var hint: String {
    switch self {
    case .empty: "write the program"
    case .noInterpreterLine: "start it with '#!/bin/sh', or name its interpreter before it"
    case .byteOrderMark: "save it as UTF-8 without a byte order mark"
    case .carriageReturn: "save it with Unix line ends, as dos2unix does"
    case .missingInterpreter: "install it, or correct the '#!' line"
    case .missingLoader: "it was built for another system; install a build for this one"
    }
  }

  /// True if a shell that is given the file's name reads it as a script all the same.
  package var isForShell: Bool { self == .empty || self == .noInterpreterLine }
}

extension ProgramFlaw {
  /// The kernel reads no more of a `#!` line.
  private static let lineBytes = 256

  /// Nil for a program without a flaw, and for one that cannot be read.
  ///
  /// - Parameter folder: where the program starts; a relative interpreter is looked up from there.
  package static func of(fileAt path: String, startedIn folder: String) -> ProgramFlaw? {
    guard let head = ProgramHead.read(path) else { return nil }
    if head.isEmpty { return .empty }
    if ProgramHead.isCompiled(head) {
      return loader(in: head).flatMap { exists($0, from: folder) ? nil : .missingLoader($0) }
    }
    if head.starts(with: [0xef, 0xbb, 0xbf, 0x23, 0x21]) { return .byteOrderMark }
    guard head.starts(with: "#!".utf8) else {
      // What has a zero byte is no text: the system may know another program for it.
      return head.contains(0) ? nil : .noInterpreterLine
    }
    let line = head.prefix(lineBytes).prefix { $0 != 0x0a }.dropFirst(2)
    if line.last == 0x0d { return .carriageReturn }
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let name = line.drop(while: isBlank).prefix { !isBlank($0) }
    if name.isEmpty { return .noInterpreterLine }
    let interpreter = shown(name)
    return exists(interpreter, from: folder) ? nil : .missingInterpreter(interpreter)
  }

  /// A path for people, without control sequences for a terminal.
  private static func shown(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.map { $0 < 0x20 || $0 == 0x7f ? 0x3f : $0 }, as: UTF8.self)
  }

  private static func exists(_ path: String, from folder: String) -> Bool {
    access(path.utf8.first == UInt8(ascii: "/") ? path : folder + "/" + path, F_OK) == 0
  }

  /// The loader that a compiled program of 64 bits names, as far as it is in the file's head.
  private static func loader(in head: [UInt8]) -> String? {
    let (wide, littleEndian, interpreter) = (UInt8(2), UInt8(1), 3)
    guard head.count >= 64, head[4] == wide, head[5] == littleEndian else { return nil }
    func number(_ offset: Int, bytes: Int) -> Int? {
      guard offset >= 0, offset <= head.count - bytes else { return nil }
      let value = head[offset..<(offset + bytes)].reversed().reduce(UInt64(0)) {
        $0 << 8 | UInt64($1)
      }
      return Int(exactly: value).flatMap { $0 < 1 << 32 ? $0 : nil }
    }
    guard let table = number(32, bytes: 8), let size = number(54, bytes: 2),
      let count = number(56, bytes: 2)
    else { return nil }
    for index in 0..<min(count, 64) {
      let entry = table + index * size
      guard number(entry, bytes: 4) == interpreter else { continue }
      guard let start = number(entry + 8, bytes: 8), let length = number(entry + 32, bytes: 8),
        start + length <= head.count
      else { return nil }
      let name = head[start..<(start + length)].prefix { $0 != 0 }
      return name.isEmpty ? nil : shown(name)
    }
    return nil
  }
}
