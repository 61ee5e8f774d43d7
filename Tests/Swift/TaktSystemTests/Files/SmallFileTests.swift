import Glibc
import TaktSystem
import TaktTesting
import Testing

@Suite struct SmallFileTests {
  private let folder = TemporaryFolder()

  private func read(_ name: String, bytesMax: Int) -> Result<[UInt8], SystemError> {
    Result { () throws(SystemError) in
      try SmallFile.read(folder[name], bytesMax: bytesMax)
    }
  }

  private func number(_ result: Result<[UInt8], SystemError>) -> Int32? {
    if case .failure(let error) = result { error.number } else { nil }
  }

  @Test(arguments: [0, 1, 4095, 4096, 4097, 100_000])
  func `a file is read within its bound and not beyond`(size: Int) throws {
    let bytes = [UInt8](repeating: 7, count: size)
    try SmallFile.create(folder["f"], bytes, mode: 0o600)
    #expect(try read("f", bytesMax: size).get() == bytes)
    #expect(try read("f", bytesMax: size + 1).get() == bytes)
    if size > 0 { #expect(number(read("f", bytesMax: size - 1)) == EFBIG) }
    #expect(SmallFile.head(folder["f"], bytesMax: 3)?.count == min(3, size))
  }

  @Test func `what is no regular file is an error, and nothing is waited for`() throws {
    mkfifo(folder["pipe"], 0o600)
    #expect(number(read("pipe", bytesMax: 10)) == EINVAL)
    #expect(number(read(".", bytesMax: 10)) == EISDIR)
    #expect(number(read("none", bytesMax: 10)) == ENOENT)
    #expect(number(read("f/g", bytesMax: 10)) == ENOENT)
  }

  @Test func `a file that is there is not written, nor what a link leads to`() throws {
    try SmallFile.create(folder["f"], [1], mode: 0o600)
    symlink(folder["target"], folder["link"])
    for name in ["f", "link"] {
      #expect(throws: SystemError("open", number: EEXIST)) {
        try SmallFile.create(folder[name], [2], mode: 0o600)
      }
    }
    #expect(try read("f", bytesMax: 10).get() == [1])
    #expect(number(read("target", bytesMax: 10)) == ENOENT)
  }
}
