import Testing

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

  @Test func `the changes that are written out are those of the rule`() throws {
    for name in TestZones.allNames() {
      let zone = try TestZones.named(name)
      guard let rule = zone.rule else { continue }
      let limit = zone.transitions.last?.start ?? .min
      // From the year 2000 to 2100: within each span, and at both of its ends.
      for day in stride(from: Int64(10_950), to: 47_500, by: 61) {
        let time = day * 86_400
        guard time >= limit else { continue }
        let span = rule.span(atEpochSeconds: time, notBefore: limit)
        for probe in [time, span.start, span.end - 1, span.end] where probe >= limit {
          let wanted = rule.span(atEpochSeconds: probe, notBefore: limit)
          #expect(zone.span(atEpochSeconds: probe) == wanted, "\(name) \(probe)")
          #expect(
            zone.offsetSeconds(atEpochSeconds: probe) == rule.offsetSeconds(atEpochSeconds: probe),
            "\(name) \(probe)")
        }
        if span.end == .max { break }
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
