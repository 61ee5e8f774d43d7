import TaktCore
import TaktTesting
import TaktTime
import Testing

@testable import TaktConfig

/// Mistakes with the names of actions and zones.
extension CheckedMistakesTests {
  @Test(arguments: [
    ("slack", "write use: notify, with: {to: slack, …}"), ("email", "did you mean 'mail'?"),
    ("Shell", "use 'run' for a command"), ("healthcheck", "did you mean 'ping'?"),
  ])
  func `a service is answered with the built-in that talks to it`(name: String, hint: String) throws
  {
    try checkKeys(
      "error unknownAction | every: 1h\\nuse: »\(name) => there is no built-in or plugin '\(name)'; "
        + hint)
  }

  @Test func `a parameter that may be meant as it is makes a warning`() throws {
    try checkKeys(
      "warning suspicious | every: 1h\\nuse: mail\\nwith: {to: »root, subject: x} => "
        + "the action 'mail': 'root' has no host; ")
  }

  @Test(arguments: [
    "EST => 'EST' is UTC-5 all year, without daylight saving time; "
      + "write America/New_York, or America/Panama if this is meant",
    "MST => 'MST' is UTC-7 all year, without daylight saving time; "
      + "write America/Denver, or America/Phoenix if this is meant",
    "HST => 'HST' is UTC-10 all year, without daylight saving time; write Pacific/Honolulu",
    "Etc/GMT+2 => 'Etc/GMT+2' is UTC-2: names of this kind have the opposite sign; for UTC+2, write "
      + "Etc/GMT-2; for the time of a place, a name such as Europe/Berlin",
    "Etc/GMT-3 => 'Etc/GMT-3' is UTC+3: names of this kind have the opposite sign; for UTC-3, write "
      + "Etc/GMT+3; for the time of a place, a name such as Europe/Berlin",
  ])
  func `a zone that is not what its name says is a warning`(row: String) throws {
    let parts = row.split(separator: " => ").map(String.init)
    try checkKeys(
      "warning suspicious | cron: '@daily'\\nrun: echo\\ntimezone: »\(parts[0]) => \(parts[1])",
      zones: AnyZones())
    try check(
      "warning suspicious | scheduler: {timezone: »\(parts[0])}\njobs: {a: {every: 1h, run: echo}} => "
        + parts[1], zones: AnyZones())
  }

  @Test(arguments: ["Etc/GMT", "Etc/GMT+0", "Europe/Berlin", "UTC", "EST5EDT", "CET"])
  func `a zone that is what its name says is none`(name: String) {
    let text = "jobs: {a: {cron: '@daily', run: echo, timezone: \(name)}}\n"
    #expect(load(text, zones: AnyZones()).diagnostics == [])
  }

  @Test(arguments: [
    "GMT+2 => write a name such as Europe/Berlin, or Etc/GMT-2, which is UTC+2 all year",
    "UTC-11 => write a name such as Europe/Berlin, or Etc/GMT+11, which is UTC-11 all year",
    "'+02:00' => write a name such as Europe/Berlin, or Etc/GMT-2, which is UTC+2 all year",
    "'-0300' => write a name such as Europe/Berlin, or Etc/GMT+3, which is UTC-3 all year",
    "'+05:30' => write the name of a zone with this offset, such as Asia/Kolkata",
    "Z => write UTC", "'+00:00' => write UTC",
    "est => write America/New_York, or America/Panama if this is meant",
    "PST => abbreviations are ambiguous; write a name such as America/Los_Angeles",
  ])
  func `an offset in place of a zone is answered with a zone`(row: String) throws {
    let parts = row.split(separator: " => ").map(String.init)
    let name = parts[0].replacing("'", with: "")
    try checkKeys(
      "error unknownZone | cron: '@daily'\\nrun: echo\\ntimezone: »\(parts[0]) => there is no time "
        + "zone '\(name)'; \(parts[1])")
  }

  @Test func `a zone of a rrule that is not what its name says is a warning`() throws {
    try checkKeys(
      "warning suspicious | rrule: »DTSTART;TZID=HST:20260105T090000 RRULE:FREQ=DAILY\\nrun: echo => "
        + "'HST' is UTC-10 all year, without daylight saving time; write Pacific/Honolulu",
      zones: AnyZones())
  }

  private static let noZoneFiles = "this machine has no time zone files; install the package tzdata"

  @Test(arguments: ["Europe/Berlin", "GMT+2", "PST"])
  func `a machine without zone files is named`(zone: String) throws {
    try checkKeys(
      "error unknownZone | cron: '@daily'\\nrun: echo\\ntimezone: »\(zone) => there is no time "
        + "zone '\(zone)'; \(Self.noZoneFiles)", zones: NoZones())
  }

  @Test func `a machine without zone files is named to a calendar file and to TZ`() {
    folder.write(
      "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;TZID=Europe/Berlin:20300101T090000\r\n"
        + "END:VEVENT\r\nEND:VCALENDAR\r\n", to: "days.ics")
    let jobs = "jobs: {a: {every: 1h, run: echo}}\n"
    let event = load("calendars: {days: {file: days.ics}}\n" + jobs, zones: NoZones()).diagnostics
    #expect(
      event.contains {
        $0.message.contains("no time zone 'Europe/Berlin'") && $0.hint == Self.noZoneFiles
      })
    let local = load(jobs, zones: NoZones(localFlaw: "the variable TZ is 'Europe/Berlin'"))
    #expect(local.diagnostics.map(\.hint) == [Self.noZoneFiles])
  }
}

/// Every name is a zone.
private struct AnyZones: ZoneSource {
  let zoneNames = ["UTC", "Europe/Berlin"]

  func zone(named name: String) -> Zone? { .utc }
}

/// The zones of a machine without zone files.
private struct NoZones: ZoneSource {
  let zoneNames = ["UTC", "local"]
  var localFlaw: String?

  func zone(named name: String) -> Zone? { ["UTC", "local"].contains(name) ? .utc : nil }
}
