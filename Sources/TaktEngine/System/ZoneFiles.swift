import Glibc
import TaktCore
package import TaktTime

/// The system's time zones, read from its compiled zone files. Static builds find them too, which
/// Foundation's `TimeZone` does not promise.
///
/// Safe from any thread; every call reads the files anew.
package struct ZoneFiles: ZoneSource {
  private let folder: String

  /// The zones below `folder`; default `/usr/share/zoneinfo`.
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

  /// The names of the system's list of zones.
  package var zoneNames: [String] {
    let table = read("\(folder)/tzdata.zi").map { String(decoding: $0, as: UTF8.self) } ?? ""
    return ["UTC", "local"]
      + table.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        guard words.count > 2 else { return nil }
        return words[0] == "Z" ? String(words[1]) : words[0] == "L" ? String(words[2]) : nil
      }
  }

  private func local() -> Zone {
    if let variable = getenv("TZ") {
      var name = String(cString: variable)
      if name.hasPrefix(":") { name.removeFirst() }
      if let zone = zone(named: Zone.plainName(of: name) ?? name),
        name != "local"
      {
        return zone
      }
      if name.isEmpty { return .utc }
    }
    guard let bytes = read("/etc/localtime"), let zone = Zone(name: "local", tzif: bytes) else {
      return .utc
    }
    return zone
  }

  /// Names come from jobs files: nothing that leaves the folder.
  private func isPlain(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix("/")
      && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
        !$0.isEmpty && $0 != "." && $0 != ".."
      } && !name.utf8.contains(0)
  }

  private func read(_ path: String) -> [UInt8]? { try? SmallFile.read(path, bytesMax: 1 << 20) }
}
