package import TaktTime

/// Simulated runs, drawn from their jobs' history.
///
/// A run depends on the seed, the job and the slot alone: the same slot of two jobs files that are
/// compared takes the same time in both.
package struct RunDraws: Sendable {
  private struct Source: Sendable {
    var pattern: RunPattern
    var hash: UInt64
  }

  private let sources: [JobName: Source]
  private let zone: Zone
  package var seed: UInt64

  package init(_ history: RunHistory, in zone: Zone, seed: UInt64 = 1) {
    var sources: [JobName: Source] = [:]
    for (name, job) in history.jobs {
      guard let pattern = RunPattern(job) else { continue }
      sources[name] = Source(pattern: pattern, hash: StableHash.of(name.text))
    }
    self.sources = sources
    self.zone = zone
    self.seed = seed
  }

  /// The run of a slot; nil for a job without history.
  package func run(of job: JobName, slot: WallInstant) -> DrawnRun? {
    guard let source = sources[job] else { return nil }
    var numbers = SeededNumbers(
      seed: source.hash ^ UInt64(bitPattern: slot.milliseconds) &* 0x9e37_79b9_7f4a_7c15
        ^ seed &* 0xd6e8_feb8_6659_fd93)
    // The first numbers of near seeds are near, too.
    _ = numbers.next()
    return source.pattern.draw(&numbers, hour: slot.hour(in: zone))
  }

  package func pattern(of job: JobName) -> RunPattern? { sources[job]?.pattern }
}
