import Foundation
import TaktTime
import Testing

@testable import TaktAPI

/// Objects of the API, as they are read and written.
@Suite struct APIObjectTests {
  private func read<Object: APIObject>(
    _ type: Object.Type, _ json: String, only wanted: Set<String>? = nil
  ) throws -> Object {
    try APIReader.read(type, from: Array(json.utf8), only: wanted)
  }

  private func text(_ object: some APIObject) -> String {
    String(decoding: object.json, as: UTF8.self)
  }

  private static let run =
    #"{"run":7,"job":"a","slot":"2026-12-24T18:00:00.000Z","kind":"hook","hook":"on_failure","#
    + #""parent":6,"parameters":{"a":"1","b":"ä"},"parameters_omitted":2,"state":"running","#
    + #""began":"2026-12-24T18:00:00.250Z","duration_ms":1500.250,"attempts":1,"cpu_ms":0.001,"#
    + #""memory_peak":1024,"waits_for":"x","progress":{"percent":40,"message":"m"}}"#

  @Test func `what is written is read, and written the same`() throws {
    let run = try read(API.Run.self, Self.run)
    #expect(run.parent == 6 && run.parameters == ["a": "1", "b": "ä"] && run.ended == nil)
    #expect(run.duration == .microseconds(1_500_250) && run.progress?.percent == 40)
    #expect(text(run) == Self.run)
    let page =
      #"{"jobs":[{"name":"a","state":"idle","timer":"","qos":"","schedule":"","tags":[],"#
      + #""active":[\#(Self.run)],"streak":0,"ran":3,"outcomes":"","verdicts":""}],"total":1}"#
    #expect(text(try read(API.JobPage.self, page)) == page)
  }

  @Test func `a field of a later version is passed over, one of an earlier version is empty`()
    throws
  {
    let run = try read(API.Run.self, #"{"later":{"x":[1]},"run":7,"outcome":null}"#)
    #expect(run.run == 7 && run.job == "" && run.outcome == nil && run.attempts == 0)
  }

  @Test(arguments: [
    "{}", #"{"run":null}"#, #"{"run":"7"}"#, #"{"run":-1}"#, #"{"run":7,"slot":"today"}"#,
    #"{"run":7,"attempts":1.5}"#, #"{"run":7,"parameters":[]}"#, "[]", "7", "", "{",
    #"{"run":7,"progress":{"percent":"half"}}"#,
  ])
  func `an object that is none is refused`(json: String) {
    #expect(throws: (any Error).self) { try read(API.Run.self, json) }
  }

  @Test func `only what is wanted is read`() throws {
    let json = #"{"jobs":[{"name":"a","state":7,"active":"none"},{"name":"b"}]}"#
    let page = try read(API.JobPage.self, json, only: ["jobs", "name"])
    #expect(page.jobs.elements.map(\.name) == ["a", "b"])
    #expect(throws: (any Error).self) { try read(API.JobPage.self, json) }
  }

  @Test(arguments: ["1e300", "-1e300", "1e18", "-0.0", "9223372036854775807"])
  func `no length of time in an answer traps`(milliseconds: String) throws {
    let run = try read(API.Run.self, #"{"run":1,"duration_ms":\#(milliseconds)}"#)
    #expect(abs(try #require(run.duration) / .seconds(1)) <= 1e9)
  }

  @Test func `an object that is passed on keeps what this version does not know`() throws {
    let json = #" {"machine":"stranger","run" : 7, "later":{"x":[1,"}"]},"run":8,"q\"":"\\"} "#
    let run = try read(API.Run.self, json)
    var shown = API.ClusterRun()
    shown.machine = "b"
    shown.run = Relayed(run, as: Array(json.utf8)[...], without: ["machine", "member"])
    #expect(
      text(shown) == #"{"machine":"b","run":7,"later":{"x":[1,"}"]},"q\"":"\\"}"#)
    #expect(try JSONSerialization.jsonObject(with: Data(shown.json)) is [String: Any])
  }

  @Test(arguments: [
    ("[]", 0), (" [ ] ", 0), ("[1]", 1), ("[[1,2],{\"a\":[3]},\"],\"]", 3), ("{}", 0), ("7", 0),
    ("", 0), ("[", 0), ("]", 0), ("[\"", 0), ("[,]", 2),
  ])
  func `the elements of an array are found, and no text traps`(json: String, count: Int) {
    #expect(JSONPiece(Array(json.utf8)[...]).elements.count == count)
    _ = JSONPiece(Array(json.utf8)[...])["a"]
  }

  @Test(arguments: [
    "", "[", "{\"a", "{\"a\":1.2.3}", "{\"a\":01}", "{\"a\":\"\\q\"}", "{\"a\":\"\\ud800\"}",
    "{\"a\":+1}",
    "{\"a\":[1,]}", "{\"a\":1, }", "{\"a\":{},\n}", "[,1]", "{,}", "[1 2]", "{\"a\" 1}", "[1,,2]",
    "[\"a\":1]",
    "[1]/**/", "[1]//", "['a']", "[.5]", "[5.]", "[Infinity]", "[\u{b}1]", "[\u{a0}1]",
    "{\"a\":tru}", "{\"a\":1e}", "{a:1}", "{\"a\":1}x", "\u{feff}{}", "{\"a\":-}",
    "{\"a\":\"\n\"}", "{\"a\":0x1}", "{\"a\":NaN}",
  ])
  func `a text that is no JSON in some part is not taken to pieces`(text: String) {
    #expect(JSONPiece(checking: Array(text.utf8)) == nil)
  }

  @Test func `nor is one that is not UTF-8`() throws {
    // In UTF-16 U+2200 has the byte of a quote, and Foundation reads it.
    let text = #"{"runs":[{"run":1,"job":"∀"}]}"#
    for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32] {
      #expect(JSONPiece(checking: Array(try #require(text.data(using: encoding)))) == nil)
    }
    #expect(JSONPiece(checking: Array("{\"a\":\"".utf8) + [0xff] + Array("\"}".utf8)) == nil)
    #expect(JSONPiece(checking: Array(text.utf8)) != nil)
  }

  @Test func `a body names its keys`() {
    #expect(API.Suspend.keys == ["for", "until", "reason"])
    #expect(API.JobDetail.keys.count == API.Job.keys.count + 8)
  }

  @Test(arguments: [1969, 1970, 1971, 1972, 1999, 2000, 2026, 2028, 2096, 2100, 2104, 2200, 2201])
  func `the pattern of an instant takes each day that there is, and no other`(year: Int) throws {
    let pattern = try NSRegularExpression(pattern: API.instantPattern)
    func takes(_ text: String) -> Bool {
      pattern.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
    }
    for month in 0...13 {
      for day in 0...32 {
        for end in ["T00:00:00Z", "t12:59:59.5+23:59", "T12:30:00.123456789-00:30", "T24:00:00Z"] {
          let text = String(format: "%d-%02d-%02d", year, month, day) + end
          #expect(takes(text) == (WallInstant(apiText: text) != nil), "\(text)")
        }
      }
    }
  }
}
