import Dispatch
import Glibc
import Testing

@testable import TaktEngine

@Suite struct HeapKeeperTests {
  /// What a flood of small blocks leaves free between those that are still used.
  @Test func `memory between used blocks goes back to the system`() async throws {
    let (size, count) = (4096, 65_536)
    let blocks = try (0..<count).map { _ in
      let block = try #require(malloc(size))
      memset(block, 1, size)
      return UInt(bitPattern: block)
    }
    let full = try #require(HeapKeeper.anonymousBytes())
    // Each sixteenth stays, so that nothing but single pages between them can go back.
    for (index, block) in blocks.enumerated() where index % 16 != 0 {
      free(UnsafeMutableRawPointer(bitPattern: block))
    }
    defer {
      for (index, block) in blocks.enumerated() where index % 16 == 0 {
        free(UnsafeMutableRawPointer(bitPattern: block))
      }
    }
    await withCheckedContinuation { continuation in
      HeapKeeper(pause: .nanoseconds(0), onCheck: { continuation.resume() }).observe([])
    }
    #expect(try #require(HeapKeeper.anonymousBytes()) < full - count * size / 2)
  }
}
