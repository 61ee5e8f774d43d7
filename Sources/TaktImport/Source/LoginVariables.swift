import TaktCore

/// Variables that a machine gives to each job of cron, through PAM or the environment of its
/// daemon.
struct LoginVariables {
  /// With the file of each.
  let variables: [(name: String, value: String, file: String)]

  init(of tree: ImportTree, dialect: CronDialect) {
    var found: [(name: String, value: String, file: String)] = []
    let locale = dialect == .debian ? "/etc/default/locale" : "/etc/locale.conf"
    for file in ["/etc/environment", locale] {
      guard let contents = try? tree.read(file) else { continue }
      for line in SourceLines(file: file, bytes: contents.bytes).lines where line.isText {
        guard let trimmed = line.trimmed, let (name, value) = Self.assignment(line.text(trimmed))
        else { continue }
        found.removeAll { $0.name == name }
        found.append((name, value, file))
      }
    }
    variables = found
  }

  /// Parses `NAME=value`, with the value quoted or not; nil for text that PAM would expand or
  /// continue.
  private static func assignment(_ line: String) -> (String, String)? {
    var text = line[...]
    if text.hasPrefix("export ") { text = text.dropFirst(7) }
    guard let sign = text.firstIndex(of: "=") else { return nil }
    let name = text[..<sign].trimmed
    var value = text[text.index(after: sign)...].trimmed[...]
    if value.count >= 2, let first = value.first, first == "\"" || first == "'", value.last == first
    {
      value = value.dropFirst().dropLast()
    }
    guard name.isVariableName, !name.hasPrefix("TAKT_"), !value.isEmpty,
      !value.contains(where: { "$@\\#".contains($0) })
    else { return nil }
    return (name, String(value))
  }
}
