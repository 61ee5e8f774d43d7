import TaktCore

/// A unit with its drop-ins, merged by systemd's rules.
struct Unit {
  /// Such as `backup@home.timer`.
  var name: String
  var entries: [UnitEntry]
  var files: [String]

  /// The text between the `@` and the suffix; nil without an `@`.
  var instance: String? {
    guard let sign = name.firstIndex(of: "@") else { return nil }
    return String(stem[stem.index(after: sign)...])
  }

  var stem: String {
    name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
  }

  /// The name up to the `@`, or up to the suffix.
  var prefix: String {
    stem.firstIndex(of: "@").map { String(stem[..<$0]) } ?? stem
  }

  /// The effective assignments: an empty one clears those before it.
  func list(_ section: String, _ key: String) -> [UnitEntry] {
    var found: [UnitEntry] = []
    for entry in entries where entry.section == section && entry.key == key {
      if entry.value.isEmpty { found = [] } else { found.append(entry) }
    }
    return found
  }

  func last(_ section: String, _ key: String) -> UnitEntry? {
    let entry = entries.last { $0.section == section && $0.key == key }
    return entry?.value.isEmpty == false ? entry : nil
  }

  /// A boolean by systemd's rules; nil for another text, or none.
  func flag(_ section: String, _ key: String) -> Bool? {
    last(section, key).flatMap { Self.boolean($0.value) }
  }

  static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "1", "yes", "y", "true", "t", "on": true
    case "0", "no", "n", "false", "f", "off": false
    default: nil
    }
  }

  var place: SourceLocation { entries.first?.place ?? SourceLocation(file: files.first ?? name) }
}

extension ImportReport {
  func keep(_ entry: UnitEntry, as key: String, in job: String? = nil, values: [String] = []) {
    for (number, token) in entry.tokens.enumerated() {
      keep(token, as: key, in: job, values: number == 0 ? values : [])
    }
  }

  func differ(_ entry: UnitEntry, _ sentence: String, in job: String? = nil) {
    for token in entry.tokens { differ(token, sentence, in: job) }
  }

  /// - Parameter severity: nil for that of the key in the table.
  func lose(
    _ entry: UnitEntry, _ sentence: String, in job: String? = nil, severity: LossSeverity? = nil
  ) {
    let severity = severity ?? ForeignUnitKey.severity(of: entry)
    for token in entry.tokens {
      lose(token, sentence, in: job, severity: severity, subject: entry.key)
    }
  }
}
