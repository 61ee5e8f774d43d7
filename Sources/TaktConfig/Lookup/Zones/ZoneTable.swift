import Synchronization
import TaktCore
import TaktTime

/// The zones of a load; each is read once, however many jobs name it.
final class ZoneTable: ZoneSource {
  private let source: any ZoneSource
  private let zones = Mutex<[String: Zone?]>([:])

  init(_ source: any ZoneSource) {
    self.source = source
  }

  func zone(named name: String) -> Zone? {
    if let known = zones.withLock({ $0[name] }) { return known }
    // The machine's own zone always exists: UTC if the system names none.
    let zone = source.zone(named: name) ?? (name == "local" ? .utc : nil)
    zones.withLock { $0[name] = .some(zone) }
    return zone
  }

  /// All answers so far.
  var answers: [String: Zone?] { zones.withLock { $0 } }

  var zoneNames: [String] { source.zoneNames }

  var localFlaw: String? { source.localFlaw }

  /// The zone for a name in a file; reports one that does not exist, or is doubtful.
  func zone(named name: String, at mark: YAMLMark, _ reporter: Reporter) -> Zone? {
    if let zone = zone(named: name) {
      warn(of: name, at: mark, reporter)
      return zone
    }
    reporter.report(
      .unknownZone, at: mark, "there is no time zone '\(name.shortened)'",
      hint: ZoneHint.of(name, in: self))
    return nil
  }

  /// Also accepts a TZID.
  func zone(ofIdentifier name: String, at mark: YAMLMark, _ reporter: Reporter) -> Zone? {
    guard let zone = zone(ofIdentifier: name) else { return zone(named: name, at: mark, reporter) }
    warn(of: name, at: mark, reporter)
    return zone
  }

  private func warn(of name: String, at mark: YAMLMark, _ reporter: Reporter) {
    guard let doubt = ZoneHint.doubt(about: name) else { return }
    reporter.report(.suspicious, severity: .warning, at: mark, doubt.message, hint: doubt.hint)
  }
}
