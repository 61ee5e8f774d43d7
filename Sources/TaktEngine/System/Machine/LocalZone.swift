import Synchronization
package import TaktTime

/// The zone for times in messages to people: that of the jobs file, of which a process has one.
package enum LocalZone {
  private static let zone = Mutex(Zone.utc)

  package static func set(_ zone: Zone) { self.zone.withLock { $0 = zone } }

  static var current: Zone { zone.withLock(\.self) }
}
