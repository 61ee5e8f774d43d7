import TaktCore
package import TaktTime

package enum ZoneHint {
  /// The hint for a time zone that does not exist.
  package static func of(_ name: String, in zones: any ZoneSource) -> String {
    if let plain = Zone.plainName(of: name) {
      return "zones under 'right/' count leap seconds, which no clock here does; write '\(plain)'"
    }
    if let hint = name.invisibleHint { return hint }
    let minutes = offsetMinutes(name)
    if name.uppercased() == "Z" || minutes == 0 { return "write UTC" }
    if let hint = zones.missingFilesHint { return hint }
    if let minutes { return hint(forOffset: minutes) }
    if let row = fixed.first(where: { $0.name == name.uppercased() }) {
      return "write \(row.instead)"
    }
    // The name nearest to PST is EST, which is another time.
    if isAbbreviation(name) {
      return "abbreviations are ambiguous; write a name such as America/Los_Angeles"
    }
    return NearestName.of(name, among: zones.zoneNames).map { "did you mean '\($0)'?" }
      ?? "write a name such as Europe/Berlin, UTC or local"
  }

  /// The doubt about a name of an existing zone; nil for none.
  static func doubt(about name: String) -> (message: String, hint: String)? {
    if let row = fixed.first(where: { $0.name == name }) {
      return (
        "'\(name)' is \(row.offset) all year, without daylight saving time", "write \(row.instead)"
      )
    }
    guard name.hasPrefix(reversed), let hours = Int(name.dropFirst(reversed.count)), hours != 0
    else { return nil }
    return (
      "'\(name)' is \(utc(-hours)): names of this kind have the opposite sign",
      "for \(utc(hours)), write \(reversed)\(signed(-hours)); "
        + "for the time of a place, a name such as Europe/Berlin"
    )
  }

  /// Names that mean less than people expect.
  private static let fixed = [
    (name: "EST", offset: "UTC-5", instead: "America/New_York, or America/Panama if this is meant"),
    (name: "MST", offset: "UTC-7", instead: "America/Denver, or America/Phoenix if this is meant"),
    (name: "HST", offset: "UTC-10", instead: "Pacific/Honolulu"),
  ]

  private static let reversed = "Etc/GMT"

  private static func isAbbreviation(_ name: String) -> Bool {
    (3...5).contains(name.utf8.count)
      && name.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }

  private static func utc(_ hours: Int) -> String { "UTC\(signed(hours))" }

  private static func signed(_ number: Int) -> String { number < 0 ? "\(number)" : "+\(number)" }

  private static func hint(forOffset minutes: Int) -> String {
    guard minutes.isMultiple(of: 60), (-12...14).contains(minutes / 60) else {
      return "write the name of a zone with this offset, such as Asia/Kolkata"
    }
    // The names of these zones have the opposite sign.
    return "write a name such as Europe/Berlin, or \(reversed)\(signed(-minutes / 60)), which is "
      + "\(utc(minutes / 60)) all year"
  }

  /// The minutes of `GMT+2`, `UTC-3`, `+02:00` or `+0530`; nil for anything else.
  private static func offsetMinutes(_ name: String) -> Int? {
    var rest = name.uppercased()[...]
    for prefix in ["GMT", "UTC"] where rest.hasPrefix(prefix) { rest = rest.dropFirst(3) }
    guard let sign = rest.popFirst(), sign == "+" || sign == "-" else { return nil }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    let digits = parts.joined()
    guard parts.count <= 2, (1...4).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ $0 > 0x2f && $0 < 0x3a }), let number = Int(digits)
    else { return nil }
    let minutes = digits.utf8.count > 2 ? number / 100 * 60 + number % 100 : number * 60
    return sign == "-" ? -minutes : minutes
  }
}
