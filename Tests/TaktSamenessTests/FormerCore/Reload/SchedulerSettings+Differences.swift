import TaktTime

extension SchedulerSettings {
  /// What the other settings say differently, a line each: `max_running: 16 → 4`.
  package func differences(to other: Self) -> [String] {
    zip(shown, other.shown).filter { $0.text != $1.text }.map {
      "\($0.key): \($0.text) → \($1.text)"
    }
  }

  private var shown: [(key: String, text: String)] {
    let groups = concurrency.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return [
      ("timezone", zone.name), ("max_running", String(maxRunning)),
      ("shutdown_grace", DurationText.format(shutdownGrace)),
      ("history", history.words),
      ("concurrency", groups.isEmpty ? "none" : groups.joined(separator: ", ")),
      ("http", http?.words ?? "none"),
    ]
  }
}

extension History {
  fileprivate var words: String {
    "keep \(DurationText.format(keep)), max_runs \(runsMax), output "
      + "\(DurationText.format(output)), max_size \(SizeText.format(sizeBytesMax))"
  }
}
