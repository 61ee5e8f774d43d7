import TaktCore
import TaktTime

/// The hint for a time zone that does not exist.
package enum ZoneHint {
  package static func of(_ name: String, among names: [String]) -> String {
    if let plain = Zone.plainName(of: name) {
      return "zones under 'right/' count leap seconds, which no clock here does; write '\(plain)'"
    }
    // The name nearest to PST is EST, which is another time.
    if isAbbreviation(name) {
      return "abbreviations are ambiguous; write a name such as America/Los_Angeles"
    }
    return NearestName.of(name, among: names).map { "did you mean '\($0)'?" }
      ?? "write a name such as Europe/Berlin, UTC or local"
  }

  private static func isAbbreviation(_ name: String) -> Bool {
    (3...5).contains(name.utf8.count)
      && name.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}
