import Glibc
import TaktCore
import TaktSystem
package import TaktTime

/// The system's time zones, read from its compiled zone files. Static builds find them too, which
/// Foundation's `TimeZone` does not promise.
///
/// Safe from any thread; every call reads the files again.
package struct ZoneFiles: ZoneSource {
  private let folder: String

  package init(folder: String = "/usr/share/zoneinfo") {
    self.folder = folder
  }

  /// The zone of that name; `local` is `TZ`, then `/etc/localtime`, then UTC.
  package func zone(named name: String) -> Zone? {
    if name == "local" { return local() }
    if name == "UTC" { return .utc }
    guard isPlain(name), Zone.plainName(of: name) == nil, let bytes = read("\(folder)/\(name)")
    else { return nil }
    return Zone(name: name, tzif: bytes)
  }

  /// The version of the zones, such as `2025b`; nil if no file has it.
  package var version: String? {
    if let text = read("\(folder)/+VERSION") {
      return Self.firstLine(text)
    }
    let mark = "# version "
    return read("\(folder)/tzdata.zi").flatMap(Self.firstLine).flatMap {
      $0.hasPrefix(mark) ? String($0.dropFirst(mark.count)) : nil
    }
  }

  private static func firstLine(_ bytes: [UInt8]) -> String? {
    let line = String(decoding: bytes.prefix(64).prefix { $0 != 10 }, as: UTF8.self)
    return line.isEmpty ? nil : line
  }

  /// The names in the system's list of zones.
  package var zoneNames: [String] {
    let table = read("\(folder)/tzdata.zi").map { String(decoding: $0, as: UTF8.self) } ?? ""
    return ["UTC", "local"]
      + table.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        guard words.count > 2 else { return nil }
        return words[0] == "Z" ? String(words[1]) : words[0] == "L" ? String(words[2]) : nil
      }
  }

  private static let localPath = "/etc/localtime"

  /// The file that determines `local`; nil if the environment names the zone itself.
  package var localFile: String? {
    guard let text = variable, zone(ofVariable: text) != nil else { return Self.localPath }
    return text.hasPrefix("/") ? text : nil
  }

  private func local() -> Zone {
    if let text = variable, let zone = zone(ofVariable: text) { return zone }
    return zone(ofFile: Self.localPath) ?? .utc
  }

  /// The zone of a file: by its name if the path is a link to a zone of the system, as
  /// distributions set the local zone, otherwise as `local`. Nil for a file that is no zone.
  private func zone(ofFile path: String) -> Zone? {
    if let target = SmallFile.link(path), let place = target.firstRange(of: "/zoneinfo/"),
      case let name = String(target[place.upperBound...]), name != "local",
      let zone = zone(named: name)
    {
      return zone
    }
    return read(path).flatMap { Zone(name: "local", tzif: $0) }
  }

  package var localFlaw: String? {
    guard let text = variable, zone(ofVariable: text) == nil else { return nil }
    let shown = String(text.unicodeScalars.prefix(60)).printable
    return "the variable TZ is '\(shown)', which is no time zone of this machine; "
      + "the zone of /etc/localtime is used"
  }

  /// The value of `TZ`, without an optional colon in front; nil if it is not set.
  private var variable: String? {
    getenv("TZ").map { text in
      let text = String(cString: text)
      return text.hasPrefix(":") ? String(text.dropFirst()) : text
    }
  }

  /// A zone by the possible values of `TZ`: a name, the path of a zone file, or a rule such as
  /// `CET-1CEST,M3.5.0,M10.5.0/3`. Nil for any other text.
  private func zone(ofVariable text: String) -> Zone? {
    if text.isEmpty { return .utc }
    // A rule, and most files named by path, have no name by which they can be found again.
    if text.hasPrefix("/") { return zone(ofFile: text) }
    let name = Zone.plainName(of: text) ?? text
    if name != "local", let zone = zone(named: name) { return zone }
    return ZoneRule(posix: text).map { rule in
      Zone(name: "local", initialOffsetSeconds: rule.standardOffsetSeconds, rule: rule)
    }
  }

  /// Names come from jobs files: none may lead out of the folder.
  private func isPlain(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix("/")
      && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
        !$0.isEmpty && $0 != "." && $0 != ".."
      } && !name.utf8.contains(0)
  }

  private func read(_ path: String) -> [UInt8]? { try? SmallFile.read(path, bytesMax: 1 << 20) }
}
