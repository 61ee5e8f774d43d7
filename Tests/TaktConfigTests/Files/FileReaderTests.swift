import Glibc
import Testing

@testable import TaktConfig

struct FileReaderTests {
  private let folder = TemporaryFolder()

  @Test(arguments: [0, 1, 4095, 4096, 4097, 9999, 10_000])
  func `a file within the bound is read whole`(size: Int) throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    let reader = FileReader(bound: 10_000, refusesWritableByOthers: true)
    let contents = try reader.read(folder.write(bytes, to: "f"))
    #expect(contents.bytes.withBytes { $0.elementsEqual(bytes) })
  }

  @Test func `a file past the bound is refused`() {
    let reader = FileReader(bound: 10_000, refusesWritableByOthers: true)
    let path = folder.writeSparse(10_001, to: "f")
    #expect(throws: FileProblem.tooLarge(bound: 10_000)) { try reader.read(path) }
  }

  @Test func `a file whose size the system does not tell is read to the bound`() {
    let reader = FileReader(bound: 10, refusesWritableByOthers: false)
    #expect(throws: FileProblem.tooLarge(bound: 10)) { try reader.read("/proc/self/status") }
  }

  @Test(
    arguments: [
      (0o664, true), (0o646, true), (0o644, false), (0o600, false), (0o755, false),
    ] as [(mode_t, Bool)])
  func `what others may write is refused when that is asked for`(
    mode: mode_t, isRefused: Bool
  ) throws {
    let path = folder.write([], to: "f", mode: mode)
    let reader = FileReader(bound: 10, refusesWritableByOthers: true)
    if isRefused {
      #expect(throws: FileProblem.writableByOthers(mode: mode, path: path)) {
        try reader.read(path)
      }
    } else {
      _ = try reader.read(path)
    }
    _ = try FileReader(bound: 10, refusesWritableByOthers: false).read(path)
  }

  @Test func `two paths of one file have one identity`() throws {
    let reader = FileReader(bound: 10, refusesWritableByOthers: false)
    let path = folder.write("x", to: "f")
    let link = folder.makeLink("l", to: "f")
    #expect(try reader.read(path).identity == reader.read(link).identity)
  }
}
