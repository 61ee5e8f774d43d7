extension KeyTable {
  /// The reference of all keys as Markdown: what stands between the markers in
  /// `docs/jobs-file.md`.
  package static var reference: String {
    section("At the top of a file", root, hasReload: false)
      + section("Under `\(Key.scheduler)`", scheduler)
      + section("In a job", job, hasDefaults: true)
      + parts.map { section($0.title, $0.entries) }.joined()
  }

  private static func section(
    _ title: String, _ entries: [KeyEntry], hasReload: Bool = true, hasDefaults: Bool = false
  ) -> String {
    var columns = ["key", "value"]
    if hasReload { columns += ["default", "a reload"] }
    if hasDefaults { columns.append("in `defaults`") }
    columns.append("meaning")
    var text = "\n### \(title)\n\n" + row(columns) + row(columns.map { _ in "---" })
    for entry in entries {
      var cells = ["`\(entry.name)`", entry.type.reference]
      if hasReload { cells += [entry.defaultText ?? "", entry.reload?.rawValue ?? ""] }
      if hasDefaults { cells.append(entry.mayStandInDefaults ? "yes" : "no") }
      cells.append(entry.summary)
      text += row(cells)
    }
    return text
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |\n"
  }
}
