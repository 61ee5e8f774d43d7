package import TaktTime

/// Reads faults as people write them: `step=-1h@2026-03-29T01:30`, `slow=backup:2m`, `sleep`.
package struct FaultText {
  package enum Problem: Error, Hashable {
    /// Advice on the text to write.
    case wrong(String)
    /// No job has the name; `advice` suggests one.
    case noJob(String, advice: String?)
    /// The time is outside the simulated range.
    case outside
  }

  private let start: WallInstant
  private let span: Duration
  private let snapshot: Snapshot
  private let instant: (String) throws -> WallInstant
  private let load: (String) throws -> Snapshot

  /// - Parameters:
  ///   - instant: reads the text after the `@`, unless that is `+2h`.
  ///   - load: the jobs of another file.
  package init(
    from start: WallInstant, for span: Duration, jobs snapshot: Snapshot,
    instant: @escaping (String) throws -> WallInstant, load: @escaping (String) throws -> Snapshot
  ) {
    self.start = start
    self.span = span
    self.snapshot = snapshot
    self.instant = instant
    self.load = load
  }

  /// The fault; throws a `Problem`, or the errors of `instant` and `load`.
  package func fault(_ text: String) throws -> SimulatedFault {
    // A file's name may hold an @; an instant does not.
    let cut = text.lastIndex(of: "@")
    let what = cut.map { text[..<$0] } ?? text[...]
    let parts = what.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count > 1 ? String(parts[1]) : nil
    var at = start + span / 2
    if let cut { at = try time(String(text[text.index(after: cut)...])) }
    guard start <= at, at <= start + span else { throw Problem.outside }
    switch parts.first.map(String.init) ?? "" {
    case "step":
      guard let step = signed(value ?? "") else {
        throw Problem.wrong(
          "step takes +1h or -1h, up to \(DurationText.format(Simulator.spanMax))")
      }
      return SimulatedFault(.step(step), at: at)
    case "sleep": return SimulatedFault(.sleep(try duration(value, "1h")), at: at)
    case "stall": return SimulatedFault(.stall(try duration(value, "1m")), at: at)
    case "crash": return SimulatedFault(.crash(down: try duration(value, "10s")), at: at)
    case "slow": return try slow(value ?? "", at: cut == nil ? start : at)
    case "reload":
      guard let value, !value.isEmpty else { throw Problem.wrong("reload takes a jobs file") }
      return SimulatedFault(.reload(try load(value)), at: at)
    case let other:
      let nearest = NearestName.of(
        other, among: ["step", "sleep", "stall", "slow", "crash", "reload"])
      throw Problem.wrong(
        nearest.map { "did you mean '\($0)'?" } ?? "see 'takt simulate --help'")
    }
  }

  private func slow(_ value: String, at: WallInstant) throws -> SimulatedFault {
    let parts = value.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw Problem.wrong("slow takes JOB:2m") }
    guard let spec = snapshot.jobs.first(where: { $0.name.text == parts[0] }) else {
      throw Problem.noJob(parts[0], advice: snapshot.advice(onUnknown: parts[0]))
    }
    return SimulatedFault(.slow(spec.name, try duration(parts[1], "1m")), at: at)
  }

  private func time(_ text: String) throws -> WallInstant {
    guard text.hasPrefix("+") else { return try instant(text) }
    guard let duration = try? DurationText.parse(String(text.dropFirst())) else {
      throw Problem.wrong("+ must be followed by a duration such as 2h")
    }
    return start + duration
  }

  private func duration(_ text: String?, _ usual: String) throws -> Duration {
    guard let duration = try? DurationText.parse(text ?? usual), duration > .zero,
      duration <= Simulator.spanMax
    else {
      throw Problem.wrong(
        "the fault takes a duration such as \(usual), up to "
          + DurationText.format(Simulator.spanMax))
    }
    return duration
  }

  private func signed(_ text: String) -> Duration? {
    let isBack = text.hasPrefix("-")
    let digits = isBack || text.hasPrefix("+") ? String(text.dropFirst()) : text
    guard let step = try? DurationText.parse(digits), step <= Simulator.spanMax else { return nil }
    return isBack ? .zero - step : step
  }
}
