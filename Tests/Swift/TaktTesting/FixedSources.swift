package import TaktCore
package import TaktTime

/// Clocks that stand still.
package struct FixedTime: TimeSource {
  package static let wall = WallInstant(milliseconds: 1_790_000_000_000)
  package static let start = Now(
    wall: wall, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000))

  package init() {}

  package var wall: WallInstant { Self.wall }
  package var monotonic: MonotonicInstant { Self.start.monotonic }
}

/// Zones that do not depend on the machine's zone files.
package struct FixedZones: ZoneSource {
  package static let berlin = Zone(
    name: "Europe/Berlin", initialOffsetSeconds: 3600,
    rule: ZoneRule(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
  /// Half an hour of summer time, south of the equator.
  package static let lordHowe = Zone(
    name: "Australia/Lord_Howe", initialOffsetSeconds: 37_800,
    rule: ZoneRule(posix: "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"))

  package let zoneNames = ["UTC", "local", berlin.name, lordHowe.name]

  package init() {}

  package func zone(named name: String) -> Zone? {
    switch name {
    case "UTC", "local": .utc
    case Self.berlin.name: Self.berlin
    case Self.lordHowe.name: Self.lordHowe
    default: nil
    }
  }
}

/// One account for all identities.
package struct FixedAccounts: AccountSource {
  package init() {}

  package func account(for identity: UserAndGroup) -> Account? {
    Account(name: "takt", uid: 1000, gid: 1000, groups: [1000], home: "/", shell: "/bin/sh")
  }
}

/// An observer that ignores all records.
package final class SilentObserver: Observer {
  package init() {}

  package func observe(_ records: [LogRecord]) {}
}
