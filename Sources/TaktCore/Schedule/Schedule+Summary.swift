import TaktTime

extension Schedule {
  /// Its triggers in the words of the jobs file, in one line: `every 10s`, `cron 30 2 * * *`.
  package var summary: String {
    var parts: [String] = []
    if let every {
      parts.append("every \(DurationText.format(every.interval))")
      switch every.origin {
      case .end: parts[0] += " from end"
      case .epoch: parts[0] += " align epoch"
      case .start: break
      }
    }
    parts += rules.map { "\($0.cause.rawValue) \($0.text)" }
    if let first = at.first {
      parts.append(at.count == 1 ? "at \(first.rfc3339())" : "at \(at.count) instants")
    }
    parts += after.sorted().map { "after \($0.job)" }
    parts += watch.sorted().map { "watch \($0.path)" }
    if !on.isEmpty { parts.append("on \(on.map(\.rawValue).sorted().joined(separator: ", "))") }
    return parts.joined(separator: "; ")
  }
}
