import Foundation
import Testing

struct StatePictureTests {
  @Test(arguments: ["TimerStates", "TimerStates~dark"])
  func `the picture of the states is drawn from the table`(name: String) throws {
    let colors = name.hasSuffix("dark") ? StatePicture.dark : StatePicture.light
    let picture = try #require(StatePicture.svg(colors), "an arrow has no place in the picture")
    let file = DocumentationTests.catalogue.appending(path: "\(name).svg")
    if ProcessInfo.processInfo.environment["TAKT_WRITE_REFERENCE"] == "1" {
      try picture.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(
      try String(contentsOf: file, encoding: .utf8) == picture,
      "run the tests with TAKT_WRITE_REFERENCE=1 to write it again")
  }
}
