import TaktCore
import TaktTime

/// Clocks that stand still.
struct FixedTime: TimeSource {
  static let start = Now(
    wall: WallInstant(milliseconds: 1_790_000_000_000),
    monotonic: MonotonicInstant(nanoseconds: 1_000_000_000))

  var wall: WallInstant { Self.start.wall }
  var monotonic: MonotonicInstant { Self.start.monotonic }
}

/// Zones that do not depend on the machine's zone files.
struct FixedZones: ZoneSource {
  static let berlin = Zone(
    name: "Europe/Berlin", initialOffsetSeconds: 3600,
    rule: ZoneRule(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))

  let zoneNames = ["UTC", "local", berlin.name]

  func zone(named name: String) -> Zone? {
    switch name {
    case "UTC", "local": .utc
    case Self.berlin.name: Self.berlin
    default: nil
    }
  }
}

/// One account, whoever asks.
struct FixedAccounts: AccountSource {
  func account(for identity: UserAndGroup) -> Account? {
    Account(name: "takt", uid: 1000, gid: 1000, groups: [1000], home: "/", shell: "/bin/sh")
  }
}

/// Hears nothing.
final class SilentObserver: Observer {
  func observe(_ records: [LogRecord]) {}
}
