import Foundation
import Testing

@testable import TaktControl
@testable import TaktCore

/// Every correct way to write a path means the same.
@Suite struct RequestTargetTests {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")

  private static func name(_ seed: Int) -> String {
    var state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1
    func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let length = 1 + next(128)
    return String(letters[next(62)])
      + String((1..<length).map { _ in letters[next(letters.count)] })
  }

  @Test(arguments: 0..<200)
  func `a name arrives as it is, whichever of its bytes are encoded`(seed: Int) throws {
    let name = Self.name(seed)
    _ = try #require(JobName(name))
    let encoded = name.utf8.enumerated().map { index, byte in
      let digits = String(byte, radix: 16, uppercase: index % 2 == 0)
      return (index + seed) % 3 == 0 ? String(UnicodeScalar(byte)) : "%\(digits)"
    }.joined()
    let whole = "/api/v1/jobs/\(encoded)/trigger?match=%2d"
    #expect(RequestTarget.normalized(whole) == "/api/v1/jobs/\(name)/trigger?match=%2d")
    #expect(RequestTarget.normalized("/\(name)") == "/\(name)")
  }

  @Test(arguments: [
    "a | a", "%C3%A4b%2f%2F | äb//", "%41%00 | A\0", "%E4 | -", "%4 | -", "% | -", "%zz | -",
    "%ff%fe | -", "a%20b+c | a b+c",
  ]) func `an encoded text is shown as what it means`(row: String) {
    let parts = row.split(separator: " | ").map(String.init)
    #expect(RequestTarget.decoded(parts[0]) == (parts[1] == "-" ? nil : parts[1]))
  }

  @Test(arguments: [
    "/a%2Fb | /a%2Fb", "/a%2fb | /a%2Fb", "/%7e | /~", "/a%20b | /a%20b", "/%41?%zz | /A?%zz",
    "/%C3%A4 | /%C3%A4", "/%2E%2E/x | /../x", "/%00 | /%00",
    "/% | -", "/%4 | -", "/%4?1 | -", "/%zz | -", "/%+1 | -", "/a%2 | -",
  ])
  func `what is reserved stays encoded, and half an encoding is none`(row: String) {
    let parts = row.components(separatedBy: " | ")
    #expect(RequestTarget.normalized(parts[0]) ?? "-" == parts[1])
  }

  @Test(arguments: [
    "/takt/ | /", "/takt/x?y | /x?y", "/takt// | //", "/takt | / *", "/takt? | /? *",
    "/takt?x=/takt/ | /?x=/takt/ *", "/taktx | /taktx", "/takt%2Fx | /takt%2Fx", "/ | /",
    "/x/takt/ | /x/takt/", "//takt/ | //takt/", "takt/ | takt/", "/tak | /tak", " | ",
    "/takt\u{301}/ | /takt\u{301}/", "/takt/\u{301} | /\u{301}",
  ])
  func `the path of a proxy is removed where it is one (* without a slash)`(row: String) {
    let parts = row.components(separatedBy: " | ")
    let (target, lacksSlash) = RequestTarget.removing("/takt", from: parts[0])
    #expect(target + (lacksSlash ? " *" : "") == parts[1])
    #expect(RequestTarget.removing("", from: parts[0]) == (parts[0], false))
  }
}
