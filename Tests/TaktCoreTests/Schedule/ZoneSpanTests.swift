import Testing

@testable import TaktCore
import TaktTime

@Suite struct ZoneSpanTests {
  @Test func `in every zone the spans follow each other and have the zone's offsets`() throws {
    for name in TestZones.allNames() {
      let zone = try TestZones.named(name)
      var time: Int64 = 0
      while time < 4_102_444_800 {
        let span = zone.span(atEpochSeconds: time)
        #expect(span.contains(time), "\(name) \(time)")
        #expect(span.offsetSeconds == zone.offsetSeconds(atEpochSeconds: time), "\(name) \(time)")
        guard span.end != .max else { break }
        let last = zone.span(atEpochSeconds: span.end - 1)
        #expect(last == span, "\(name) \(time)")
        time = span.end
      }
    }
  }

  @Test func `the files' word on daylight time is kept`() throws {
    let dublin = try TestZones.named("Europe/Dublin")
    #expect(dublin.span(atEpochSeconds: 1_767_225_600).isDaylight)
    #expect(!dublin.span(atEpochSeconds: 1_782_864_000).isDaylight)
    #expect(dublin.span(atEpochSeconds: 4_070_908_800).isDaylight)
    let berlin = try TestZones.named("Europe/Berlin")
    #expect(!berlin.span(atEpochSeconds: 1_767_225_600).isDaylight)
    #expect(berlin.span(atEpochSeconds: 1_782_864_000).isDaylight)
  }
}
