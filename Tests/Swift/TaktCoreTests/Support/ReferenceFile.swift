import Foundation
import Testing

/// A page of the docs with texts of the code, between two markers.
struct ReferenceFile {
  let path: String
  /// The name in `<!-- NAME: begin -->`.
  let name: String

  /// Compares, or writes the file again if the variable `TAKT_WRITE_REFERENCE` is 1.
  func check(_ text: String) throws {
    let page = try String(contentsOfFile: path, encoding: .utf8)
    let begin = try #require(page.range(of: "<!-- \(name): begin -->\n")).upperBound
    let end = try #require(page.range(of: "<!-- \(name): end -->")).lowerBound
    if ProcessInfo.processInfo.environment["TAKT_WRITE_REFERENCE"] == "1" {
      let whole = page[..<begin] + text + page[end...]
      try String(whole).write(toFile: path, atomically: true, encoding: .utf8)
    } else {
      #expect(String(page[begin..<end]) == text, "write it anew with 'make reference'")
    }
  }
}
