import TaktTime

extension SchedulerSettings {
  /// What the other settings say differently, a line each: `max_running: 16 → 4`.
  package func differences(to other: Self) -> [String] {
    var lines = zip(shown, other.shown).filter { $0.text != $1.text }.map {
      "\($0.key): \($0.text) → \($1.text)"
    }
    // A password may be in it.
    if let engine = cluster?.engine, let new = other.cluster?.engine, engine != new {
      lines.append("cluster: another url, which is not shown")
    }
    return lines
  }

  /// The keys with other values in `other` that count at the start only.
  package func keysForRestart(to other: Self) -> [String] {
    var keys: [String] = []
    if state != other.state { keys.append("state") }
    if history != other.history { keys.append("history") }
    if http != other.http { keys.append("http") }
    if cluster != other.cluster { keys.append("cluster") }
    return keys
  }

  private var shown: [(key: String, text: String)] {
    let groups = concurrency.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return [
      ("timezone", zone.name), ("max_running", String(maxRunning)),
      ("shutdown_grace", DurationText.format(shutdownGrace)),
      ("history", history.words),
      ("concurrency", groups.isEmpty ? "none" : groups.joined(separator: ", ")),
      ("http", http?.words ?? "none"), ("cluster", cluster?.words ?? "none"),
    ]
  }
}

extension History {
  fileprivate var words: String {
    "keep \(DurationText.format(keep)), max_runs \(runsMax), output "
      + "\(DurationText.format(output)), max_size \(SizeText.format(sizeBytesMax))"
  }
}
