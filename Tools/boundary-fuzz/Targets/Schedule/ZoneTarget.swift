import TaktTesting
import TaktTime

/// A compiled zone file. Whatever its contents, each instant has a local time, and each local time
/// an answer.
struct ZoneTarget: FuzzTarget {
  static let name = "zones"
  static let summary = "a zone file (TZif) and the rule in its last line"

  mutating func read(_ bytes: [UInt8]) {
    _ = ZoneRule(posix: String(decoding: bytes, as: UTF8.self))
    guard let zone = Zone(name: "Some/Where", tzif: bytes) else { return }
    let instants =
      [FixedTime.wall, WallInstant(milliseconds: .min), WallInstant(milliseconds: .max)]
      + zone.transitions.prefix(8).map { WallInstant(milliseconds: $0.start &* 1000) }
    for instant in instants { _ = zone.read(zone.civilTime(at: instant)) }
  }
}
