import Synchronization
package import TaktTime

/// The zone in which people read the times of messages: that of the jobs file, of which a process
/// has one.
package enum LocalZone {
  private static let zone = Mutex(Zone.utc)

  package static func set(_ zone: Zone) { self.zone.withLock { $0 = zone } }

  static var current: Zone { zone.withLock(\.self) }
}
