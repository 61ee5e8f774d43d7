import Glibc
import TaktSystem
import TaktTesting
import Testing

@testable import TaktConfig

struct FileReaderTests {
  private let folder = TemporaryFolder()

  @Test(arguments: [0, 1, 4095, 4096, 4097, 9999, 10_000])
  func `a file within the bound is read whole`(size: Int) throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    let reader = FileReader(bound: 10_000)
    let contents = try reader.read(folder.write(bytes, to: "f"), as: .include)
    #expect(contents.bytes.withBytes { $0.elementsEqual(bytes) })
  }

  @Test func `a file past the bound is refused`() {
    let reader = FileReader(bound: 10_000)
    let path = folder.writeSparse(10_001, to: "f")
    #expect(throws: FileProblem.tooLarge(bound: 10_000)) { try reader.read(path, as: .include) }
  }

  @Test func `a file whose size the system does not tell is read to the bound`() {
    let reader = FileReader(bound: 10)
    #expect(throws: FileProblem.tooLarge(bound: 10)) {
      try reader.read("/proc/self/status", as: .include)
    }
  }

  @Test(
    arguments: [
      (0o664, true), (0o646, true), (0o644, false), (0o600, false), (0o755, false),
    ] as [(mode_t, Bool)])
  func `what others may write is refused when that is asked for`(
    mode: mode_t, isRefused: Bool
  ) throws {
    let path = folder.write([], to: "f", mode: mode)
    let reader = FileReader(bound: 10, opener: FileOpener(FileParties(own: 0)))
    if isRefused {
      let problem = Distrust(path: path, row: .jobsFile, reason: .writable(mode))
      #expect(throws: FileProblem.distrusted(problem)) { try reader.read(path, as: .jobsFile) }
    } else {
      _ = try reader.read(path, as: .jobsFile)
    }
    _ = try FileReader(bound: 10).read(path, as: .jobsFile)
  }

  @Test func `two paths of one file have one identity`() throws {
    let reader = FileReader(bound: 10)
    let path = folder.write("x", to: "f")
    let link = folder.makeLink("l", to: "f")
    #expect(
      try reader.read(path, as: .include).identity == reader.read(link, as: .include).identity)
  }
}
