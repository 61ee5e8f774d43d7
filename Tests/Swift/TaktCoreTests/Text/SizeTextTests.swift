import TaktCore
import Testing

struct SizeTextTests {
  @Test(
    arguments: [
      ("0B", 0), ("64KB", 65_536), ("64KiB", 65_536), ("1.5MB", 1_572_864), ("2GB", 1 << 31),
      ("1024TB", 1 << 50), ("0.5KB", 512), ("1.50KB", 1536),
    ] as [(String, Int)])
  func `a size is a number with its unit`(text: String, bytes: Int) throws {
    #expect(try SizeText.parse(text) == bytes)
    #expect(try SizeText.parse(SizeText.format(bytes)) == bytes)
  }

  @Test(
    arguments: [
      ("", .noNumber), ("KB", .noNumber), ("1.KB", .noNumber), ("5", .noUnit),
      ("5K", .unknownUnit("K")), ("5 KB", .unknownUnit(" KB")), ("-1B", .negative),
      ("0.3B", .tooFine), ("0.0000001TB", .tooFine), ("1025TB", .tooLarge),
      ("1024.5TB", .tooLarge), ("99999999999999999999B", .tooLarge),
    ] as [(String, SizeText.Problem)])
  func `a text that is no size is refused`(text: String, problem: SizeText.Problem) {
    #expect(throws: problem) { try SizeText.parse(text) }
  }

  @Test func `a unit that somebody means is found`() {
    #expect(SizeText.unit(meantBy: "mb") == "MB")
    #expect(SizeText.unit(meantBy: "k") == "KB")
    #expect(SizeText.unit(meantBy: "gib") == "GB")
    #expect(SizeText.unit(meantBy: "x") == nil)
  }
}
