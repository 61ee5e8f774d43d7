import TaktCore
import Testing

@testable import TaktImport

@Suite struct TimerDelayTests {
  private func result(_ timer: String, unit: String = "", service: String = "") throws
    -> Importer.Result
  {
    let fixture = try ImportFixture()
    try fixture.write("[Timer]\n\(timer)\n", to: "u/x.timer")
    try fixture.write(
      "[Unit]\n\(unit)\n[Service]\nType=oneshot\n\(service)\nExecStart=/bin/true\n",
      to: "u/x.service")
    return fixture.run("/u/x.timer")
  }

  private static let rest =
    ": a delay of takt is shorter than the interval, and is not added to it"

  @Test(arguments: [
    ("OnUnitActiveSec=1h", "1h", "59m59s"), ("OnUnitActiveSec=1h", "3h", "59m59s"),
    ("OnUnitActiveSec=1s", "1s", "999ms"), ("OnUnitInactiveSec=1d", "1d", "23h59m59s"),
  ])
  func `a random delay as long as the interval becomes the longest that takt takes`(
    timer: String, delay: String, jitter: String
  ) throws {
    let result = try result("OnBootSec=1\n\(timer)\nRandomizedDelaySec=\(delay)")
    #expect(result.jobs.first?[.jitter] == .word(jitter))
    #expect(result.jobs.first?[.leeway] == nil)
    #expect(result.lost.isEmpty, "\(result.lost)")
    #expect(result.changed.contains("RandomizedDelaySec=\(delay): at most \(jitter)\(Self.rest)"))
    _ = try ImportFixture.load(result.text)
  }

  @Test func `a stable delay as long as the interval becomes the longest spread`() throws {
    let result = try result(
      "OnBootSec=1\nOnUnitActiveSec=1h\nRandomizedDelaySec=1h\nFixedRandomDelay=true")
    #expect(
      result.jobs.first?[.spread] == .mapping(["over": .word("59m59s"), "by": .word("host")]))
    #expect(result.lost.isEmpty, "\(result.lost)")
    _ = try ImportFixture.load(result.text)
  }

  @Test func `a delay that fits is left alone, and the leeway gives way`() throws {
    let result = try result(
      "OnBootSec=1\nOnUnitActiveSec=1h\nRandomizedDelaySec=50min\nAccuracySec=15min")
    #expect(result.jobs.first?[.jitter] == .word("50m"))
    #expect(result.jobs.first?[.leeway] == nil)
    #expect(result.lost.isEmpty, "\(result.lost)")
    _ = try ImportFixture.load(result.text)
  }

  @Test(arguments: [
    ("OnCalendar=minutely", nil), ("OnCalendar=*:*:0/30", nil),
    ("OnCalendar=*:0/5\nRandomizedDelaySec=4min", nil), ("OnCalendar=*:0/2", "1m"),
    ("OnCalendar=minutely\nAccuracySec=1min", "1m"),
  ])
  func `the usual leeway is left out where it does not fit`(timer: String, leeway: String?) throws {
    #expect(try result(timer).jobs.first?[.leeway] == leeway.map(DraftValue.word))
  }

  @Test func `a delay beyond the next time of a calendar is said to be shortened`() throws {
    let sentence = "takt shortens it where the next run would be due before its end"
    let twice = try result("OnCalendar=*-*-* 00,12:00:00\nRandomizedDelaySec=12h")
    #expect(twice.jobs.first?[.jitter] == .word("12h"))
    #expect(twice.changed == ["RandomizedDelaySec=12h: \(sentence)"])
    let daily = try result("OnCalendar=daily\nRandomizedDelaySec=12h")
    #expect(daily.changed.isEmpty, "\(daily.changed)")
  }

  @Test(arguments: [
    ("OnBootSec=5min", "skip"), ("OnUnitActiveSec=5min", "skip"), ("OnCalendar=daily", "last"),
  ])
  func `Persistent is for times of the calendar`(timer: String, policy: String) throws {
    let result = try result(timer + "\nPersistent=true")
    #expect(result.jobs.first?[.missed] == .mapping(["policy": .word(policy)]))
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test func `a switch that is off and changes nothing is kept`() throws {
    let result = try result(
      "OnCalendar=daily", unit: "RefuseManualStart=no\nRefuseManualStop=no",
      service: "IgnoreSIGPIPE=false")
    #expect(result.lost.isEmpty, "\(result.lost)")
    #expect(result.changed.isEmpty, "\(result.changed)")
  }

  @Test func `a switch that is on is reported`() throws {
    let result = try result(
      "OnCalendar=daily", unit: "RefuseManualStart=yes", service: "IgnoreSIGPIPE=true")
    #expect(result.lost == ["RefuseManualStart=yes: 'takt trigger' and 'takt exec' start any job"])
    #expect(
      result.changed == ["IgnoreSIGPIPE=true: SIGPIPE ends a command that writes to a closed pipe"])
  }
}
