import Testing

@testable import TaktCore

@Suite struct SlotCalendarTests {
  @Test func `texts are escaped, and control characters are left out`() {
    #expect(CalendarLines.escaped("a;b,c\\d\ne\u{1}\r\u{7f}ä") == "a\\;b\\,c\\\\d\\neä")
  }

  @Test func `lines end after 75 bytes, and no character is cut`() {
    var lines = CalendarLines()
    lines.add("SUMMARY", String(repeating: "ä€😀", count: 40))
    let parts = lines.text.split(separator: "\r\n")
    #expect(parts.count > 4)
    #expect(parts.allSatisfy { $0.utf8.count <= 75 })
    #expect(parts.dropFirst().allSatisfy { $0.first == " " })
    let unfolded = lines.text.replacing("\r\n ", with: "")
    #expect(unfolded == "SUMMARY:" + String(repeating: "ä€😀", count: 40) + "\r\n")
  }
}
