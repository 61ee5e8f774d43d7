import Testing

@testable import TaktCore

@Suite struct ResourceUseTests {
  @Test(arguments: [
    ResourceUse(),
    ResourceUse(
      userMicroseconds: 1, systemMicroseconds: 2, memoryPeakBytes: 3, readBytes: 4,
      writtenBytes: 5, voluntarySwitches: 6, involuntarySwitches: .max),
  ])
  func `what the ledger keeps is read as it was`(use: ResourceUse) {
    #expect(ResourceUse(text: use.text) == use)
  }

  @Test(arguments: ["", "[]", "[1,2,3,4,5,6]", "[1,2,3,4,5,6,-7]", "[1,2,3,4,5,6,x]", "1,2"])
  func `what is no use is refused`(text: String) {
    #expect(ResourceUse(text: text) == nil)
  }

  @Test func `attempts add up, and their memory is the larger one`() {
    var use = ResourceUse(userMicroseconds: 5, memoryPeakBytes: 100, readBytes: .max)
    use.add(ResourceUse(userMicroseconds: 7, systemMicroseconds: 1, readBytes: 1))
    use.add(ResourceUse(memoryPeakBytes: 90, involuntarySwitches: 2))
    #expect(
      use
        == ResourceUse(
          userMicroseconds: 12, systemMicroseconds: 1, memoryPeakBytes: 100, readBytes: .max,
          involuntarySwitches: 2))
    #expect(use.cpu == .microseconds(13))
  }

  @Test(
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KB"), (1536, "1.5 KB"), (102_400, "100 KB"),
      (1_048_575, "1.0 MB"), (47_815_066, "45.6 MB"), (5_368_709_120, "5.0 GB"),
      (Int64.max, "8388608 TB"),
    ] as [(Int64, String)])
  func `sizes for people`(bytes: Int64, text: String) {
    #expect(SizeText.brief(bytes) == text)
  }
}
