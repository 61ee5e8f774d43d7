import TaktCore

/// The keys of a text that looks like YAML or JSON, quoted or not, in lines or in braces.
struct SourceKeys {
  /// True with `kind: CronJob`.
  private(set) var isCronJob = false
  private var keys: Set<Substring> = []

  /// - Parameter lines: without blanks at their ends.
  init(_ lines: [String]) {
    let lines = lines.filter { !$0.isEmpty && !$0.hasPrefix("#") && $0 != "---" }
    guard let first = lines.first,
      first.hasPrefix("{") || first.hasPrefix("[") || first.hasPrefix("- ")
        || Self.pair(in: first[...]) != nil
    else { return }
    for line in lines where line.contains(":") {
      for part in line.split(whereSeparator: { "{}[],".contains($0) }) {
        guard let pair = Self.pair(in: part) else { continue }
        keys.insert(pair.key)
        if pair.key == "kind", pair.value == "CronJob" { isCronJob = true }
      }
    }
  }

  func has(_ key: Substring) -> Bool { keys.contains(key) }

  /// True for a workflow of GitHub Actions with times.
  var isWorkflow: Bool { ["jobs", "on", "schedule", "cron"].allSatisfy(keys.contains) }

  /// Reads `key: value` at the start of a part, also as an item of a list.
  private static func pair(in part: Substring) -> (key: Substring, value: Substring)? {
    let text = part.drop { " \t-".contains($0) }
    guard let sign = text.firstIndex(of: ":") else { return nil }
    let rest = text[text.index(after: sign)...]
    let key = unquoted(text[..<sign])
    guard rest.first.map({ " \t\"'".contains($0) }) ?? true, !key.isEmpty,
      key.utf8.allSatisfy({ $0.isNameByte })
    else { return nil }
    return (key, unquoted(rest))
  }

  private static func unquoted(_ text: Substring) -> Substring {
    var text = text.drop { " \t\"'".contains($0) }
    while let last = text.last, " \t\"'".contains(last) { text.removeLast() }
    return text
  }
}
