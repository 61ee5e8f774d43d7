import Foundation
import Glibc
import Testing

@testable import TaktSystem

/// Reasons why the system does not execute a file.
@Suite struct ProgramFlawTests {
  /// A file with these bytes, gone when `body` returns.
  private func withFile<Result>(
    _ bytes: [UInt8], _ body: (String) throws -> Result
  ) throws -> Result {
    let path = NSTemporaryDirectory() + "takt-program-\(UUID().uuidString)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    defer { unlink(path) }
    return try body(path)
  }

  private func flaw(_ bytes: [UInt8]) throws -> ProgramFlaw? {
    try withFile(bytes) { ProgramFlaw.of(fileAt: $0, startedIn: "/") }
  }

  /// The head of a compiled program whose only entry names a loader.
  private func compiled(loader: String) -> [UInt8] {
    var head = [UInt8](repeating: 0, count: 64 + 56)
    head.replaceSubrange(0..<6, with: [0x7f, 0x45, 0x4c, 0x46, 2, 1])
    // Where the table is, how long an entry is, and how many there are.
    (head[32], head[54], head[56]) = (64, 56, 1)
    // An interpreter, where it is, and how long.
    (head[64], head[64 + 8], head[64 + 32]) = (3, 120, UInt8(loader.utf8.count + 1))
    return head + Array(loader.utf8) + [0]
  }

  @Test(arguments: [
    ("", ProgramFlaw.empty), ("echo", .noInterpreterLine), ("#!", .noInterpreterLine),
    ("#! \n", .noInterpreterLine), ("#!/bin/sh\r\n", .carriageReturn),
    ("#!/bin/sh\r", .carriageReturn),
    ("#!/bin/sh -e\r\necho", .carriageReturn), ("\u{feff}#!/bin/sh\n", .byteOrderMark),
    ("#!/no/such\u{1b}[1m -x\n", .missingInterpreter("/no/such?[1m")),
    ("#!\t/no/such", .missingInterpreter("/no/such")),
    ("#!no/such", .missingInterpreter("no/such")),
    ("#!/bin/sh\n", nil), ("#! /bin/sh -e\n", nil), ("#!bin/sh\n", nil), ("\0asm", nil),
  ])
  func `a file that the system does not execute is known by its head`(
    text: String, expected: ProgramFlaw?
  ) throws {
    #expect(try flaw(Array(text.utf8)) == expected)
  }

  @Test func `a compiled program for another system names its loader`() throws {
    #expect(
      try flaw(compiled(loader: "/lib/ld-no-such.so.1")) == .missingLoader("/lib/ld-no-such.so.1"))
    #expect(try flaw(compiled(loader: "/bin/sh")) == nil)
    // Whatever is cut off or does not fit is not judged.
    let whole = compiled(loader: "/lib/ld-no-such.so.1")
    for count in 4..<whole.count { #expect(try flaw(Array(whole.prefix(count))) == nil) }
    for place in 0..<64 where place >= 32 {
      var damaged = whole
      damaged[place] = 0xff
      _ = try flaw(damaged)
    }
    #expect(ProgramFlaw.of(fileAt: "/proc/self/exe", startedIn: "/") == nil)
  }

  @Test func `what is no file that can be read is not judged`() {
    for path in ["/no/such/file", "/", "/dev/null"] {
      #expect(ProgramFlaw.of(fileAt: path, startedIn: "/") == nil)
    }
  }

  @Test func `a program of Go is known by the note of its linker`() throws {
    let note: [UInt8] = [4, 0, 0, 0, 0x47, 0x6f, 0, 0]
    let head = compiled(loader: "/bin/sh")
    #expect(try withFile(head + note, ProgramKind.isOfGo(fileAt:)))
    #expect(try !withFile(head, ProgramKind.isOfGo(fileAt:)))
    #expect(try !withFile(note, ProgramKind.isOfGo(fileAt:)))
    #expect(!ProgramKind.isOfGo(fileAt: "/bin/sh"))
  }
}
