import Testing

import TaktTime

struct InstantTextTests {
  @Test func `the parts of an instant are read`() throws {
    let text = try InstantText("2026-12-24T18:05:06.007-03:30")
    #expect(
      text.civil
        == CivilTime(
          year: 2026, month: 12, day: 24, hour: 18, minute: 5, second: 6, millisecond: 7))
    #expect(text.offsetSeconds == -12_600)
    #expect(try InstantText("2026-12-24 18:05").offsetSeconds == nil)
    #expect(try InstantText("2026-12-24 18:05Z").offsetSeconds == 0)
  }

  @Test(
    arguments: [
      ("", .form), ("2026", .form), ("2026-12-24", .bareDate), ("2026-12-24T", .form),
      ("2026-12-24T18", .form), ("2026-12-24t18:00", .form), ("2026-12-24  18:00", .form),
      ("2026-12-24T18:00 Z", .form), ("2026-12-24T18:00z", .form), ("2026-1-1T00:00", .form),
      ("2026-12-24T18:00:00.1234", .form), ("2026-12-24T18:00+0100", .form),
      ("2026-13-01T00:00", .noSuchTime), ("2026-00-01T00:00", .noSuchTime),
      ("2100-02-29T00:00", .noSuchTime), ("2026-12-24T25:00", .noSuchTime),
      ("2026-12-24T18:00+23:60", .noSuchTime), ("1969-12-31T00:00", .outOfRange),
      ("9999-12-31T00:00", .outOfRange), ("２026-12-24T18:00", .form),
    ] as [(String, InstantText.Problem)])
  func `each text that is no instant has its problem`(text: String, problem: InstantText.Problem) {
    #expect(throws: problem) { try InstantText(text) }
  }
}
