import Foundation
import TaktTime
import Testing

@testable import TaktAPI

@Suite struct JSONWriterTests {
  private func text(_ body: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    body(&json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test func `members and items are separated, whatever they are`() {
    let found = text { json in
      json.object { json in
        json.key("empty")
        json.object { _ in }
        json.key("none")
        json.array { _ in }
        json.key("many")
        json.array([1, -2]) { $0.value($1) }
        json.key("nested")
        json.array { json in
          json.array { $0.value("a") }
          json.object { $0.member("b", 1) }
          json.value(true)
          json.value(raw: Array(#"{"c":false}"#.utf8))
        }
        json.member("last", "x")
      }
    }
    #expect(
      found
        == #"{"empty":{},"none":[],"many":[1,-2],"nested":[["a"],{"b":1},true,{"c":false}],"last":"x"}"#
    )
  }

  @Test func `what is not there is left out`() {
    let found = text { json in
      json.object { json in
        json.member("text", String?.none)
        json.member("number", Int?.none)
      }
    }
    #expect(found == "{}")
  }

  @Test(arguments: [
    "", "plain", "\"quoted\" \\ back", "line\nline\r\ttab", "\u{0}\u{1}\u{1f}\u{7f}", "ä€😀\u{2028}",
    "</script>", "{\"a\":1}", String(repeating: "x", count: 100_000),
  ])
  func `every text comes back from a reader of JSON as it was`(text: String) throws {
    let bytes = self.text { $0.array([text]) { $0.value($1) } }
    let back = try JSONSerialization.jsonObject(with: Data(bytes.utf8)) as? [String]
    #expect(back == [text])
    let key = self.text { json in json.object { $0.member(named: text, "1") } }
    let object = try JSONSerialization.jsonObject(with: Data(key.utf8)) as? [String: String]
    #expect(object?[text] == "1")
  }

  @Test func `what must be escaped is found at each place of a text`() throws {
    for special in ["\"", "\\", "\n", "\u{0}", "\u{1f}", "\u{7f}", "ÿ", "€"] {
      for place in 0..<17 {
        var text = String(repeating: "~ ", count: 9)
        text.insert(contentsOf: special, at: text.index(text.startIndex, offsetBy: place))
        let bytes = self.text { $0.value(text) }
        #expect(bytes.utf8.allSatisfy { $0 >= 32 && $0 != 127 }, "\(special.utf8) at \(place)")
        let back = try JSONSerialization.jsonObject(
          with: Data(bytes.utf8), options: .fragmentsAllowed)
        #expect(back as? String == text)
      }
    }
  }

  @Test func `numbers are whole, however large`() {
    #expect(text { $0.array([UInt64.max, 0]) { $0.value($1) } } == "[18446744073709551615,0]")
    #expect(text { $0.value(Int64.min) } == "-9223372036854775808")
  }

  @Test(arguments: [
    "0 0.000", "1000 0.001", "1500000 1.500", "-1500000 -1.500", "90000000000 90000.000",
  ])
  func `a length of time has milliseconds with three places`(row: String) throws {
    let words = row.split(separator: " ")
    let nanoseconds = try #require(Int64(words[0]))
    #expect(text { $0.value(Duration.nanoseconds(nanoseconds)) } == words[1])
  }

  @Test func `an instant is written in UTC with milliseconds`() {
    let instant = WallInstant(milliseconds: 1_790_000_000_007)
    #expect(text { $0.value(instant) } == #""2026-09-21T14:13:20.007Z""#)
  }
}
