import FoundationEssentials
import Glibc
import Testing

@testable import TaktEngine

@Suite struct HeapKeeperTests {
  /// Frees most of a flood of small blocks, so that free memory is between used blocks.
  @Test func `memory between used blocks goes back to the system`() async throws {
    let (size, count) = (4096, 65_536)
    let blocks = try (0..<count).map { _ in
      let block = try #require(malloc(size))
      memset(block, 1, size)
      return UInt(bitPattern: block)
    }
    let full = try Self.anonymousBytes()
    // Each sixteenth stays, so that free memory is between used blocks.
    for (index, block) in blocks.enumerated() where index % 16 != 0 {
      free(UnsafeMutableRawPointer(bitPattern: block))
    }
    defer {
      for (index, block) in blocks.enumerated() where index % 16 == 0 {
        free(UnsafeMutableRawPointer(bitPattern: block))
      }
    }
    await withCheckedContinuation { continuation in
      HeapKeeper(pause: .zero, onTrim: { continuation.resume() }).observe([])
    }
    #expect(try Self.anonymousBytes() < full - count * size / 2)
  }

  /// The memory of this process except pages of files.
  private static func anonymousBytes() throws -> Int {
    let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = statm.split(separator: " ").map { Int($0) }
    try #require(pages.count > 2)
    let (resident, shared) = (try #require(pages[1]), try #require(pages[2]))
    return (resident - shared) * Int(getpagesize())
  }
}
