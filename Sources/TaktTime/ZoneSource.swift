/// Where zones come from.
///
/// Safe from any thread.
package protocol ZoneSource: Sendable {
  /// The zone of that name (`Europe/Berlin`, `UTC`, `local` for the machine's own); nil when there
  /// is none.
  func zone(named name: String) -> Zone?

  /// Names that a person may have meant; in any order, perhaps none.
  var zoneNames: [String] { get }
}
