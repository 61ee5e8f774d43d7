import TaktTime

extension SchedulerSettings {
  /// A line for each setting of the scheduler that differs: `max_running: 16 → 4`.
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

  /// A diagnostic for the file if these settings cannot become the others without a restart; nil if
  /// they can.
  ///
  /// A cluster changes the meaning of jobs: the source of their slots, and the machines that serve
  /// them.
  package func restartRefusal(to other: Self, in file: String) -> Diagnostic? {
    guard (cluster == nil) != (other.cluster == nil) else { return nil }
    return Diagnostic(
      .needsRestart, at: SourceLocation(file: file),
      "'cluster' was \(cluster == nil ? "added" : "removed") under 'scheduler'",
      hint: "restart takt to apply this file")
  }

  /// The keys with other values in `other` that take effect at a restart only.
  package func keysForRestart(to other: Self) -> [String] {
    var keys: [String] = []
    if state != other.state { keys.append("state") }
    if history != other.history { keys.append("history") }
    if http != other.http { keys.append("http") }
    if cluster != other.cluster { keys.append("cluster") }
    if containers != other.containers { keys.append("containers") }
    return keys
  }

  /// The settings after a reload: those that take effect at a restart only are kept.
  package func reloaded(with other: Self) -> Self {
    var settings = other
    settings.state = state
    settings.history = history
    settings.http = http
    settings.cluster = cluster
    settings.containers = containers
    return settings
  }

  private var shown: [(key: String, text: String)] {
    let groups = concurrency.sorted { $0.key < $1.key }.map {
      "\($0.key) \($0.value)" + (skippingGroups.contains($0.key) ? " (skip)" : "")
    }
    return [
      ("timezone", zone.name), ("max_running", String(maxRunning)),
      ("shutdown_grace", DurationText.format(shutdownGrace)),
      ("state", state?.words ?? "default"),
      ("history", history.words), ("metrics", metrics.words),
      ("concurrency", groups.isEmpty ? "none" : groups.joined(separator: ", ")),
      ("http", http?.words ?? "none"), ("cluster", cluster?.words ?? "none"),
      ("containers", containers?.words ?? "none"),
    ]
  }
}

extension StateFolder {
  fileprivate var words: String {
    switch self {
    case .none: "none"
    case .folder(let path): path
    }
  }
}

extension History {
  fileprivate var words: String {
    "keep \(DurationText.format(keep)), max_runs \(runsMax), output "
      + "\(DurationText.format(output)), max_size \(SizeText.format(sizeBytesMax))"
  }
}
