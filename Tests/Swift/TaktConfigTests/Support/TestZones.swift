import TaktTime

/// UTC, which is also `local`, Berlin as it was in 2026, and New York.
struct TestZones: ZoneSource {
  static let berlin = Zone(
    name: "Europe/Berlin", initialOffsetSeconds: 3600,
    transitions: [
      Zone.Transition(start: 1_774_746_000, offsetSeconds: 7200),
      Zone.Transition(start: 1_792_890_000, offsetSeconds: 3600),
    ])

  func zone(named name: String) -> Zone? {
    switch name {
    case "UTC", "local": .utc
    case "Europe/Berlin": Self.berlin
    case "America/New_York":
      Zone(
        name: name, initialOffsetSeconds: -18_000,
        rule: ZoneRule(posix: "EST5EDT,M3.2.0,M11.1.0"))
    default: nil
    }
  }

  var zoneNames: [String] { ["UTC", "Europe/Berlin"] }
}
