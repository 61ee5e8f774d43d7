package import TaktTime

/// The time and resources of one run of a ledger. Small, since there are many.
package struct PastRun: Hashable, Sendable {
  package enum End: UInt8, Sendable { case succeeded, failed, timedOut }

  /// From the first start to the end, back-offs between attempts included.
  package var microseconds: Int64
  /// The last attempt; the whole run where that is not known.
  package var attemptMicroseconds: Int64
  /// Processor time of all attempts; below zero where it is not known.
  package var cpuMicroseconds: Int64
  /// The most memory at once; below zero if unknown.
  package var memoryBytes: Int64
  package var attempts: Int32
  package var end: End
  /// The hour of the day in which it started, in the zone of the jobs file: 0 to 23.
  package var hour: UInt8

  package init(
    microseconds: Int64, attempt: Int64? = nil, cpuMicroseconds: Int64 = -1,
    memoryBytes: Int64 = -1, attempts: Int = 1,
    end: End = .succeeded, hour: Int = 0
  ) {
    // A ledger may have been edited.
    self.microseconds = min(max(1, microseconds), Self.microsecondsMax)
    // The wall clock that it is measured by may have been set.
    let whole = self.microseconds
    attemptMicroseconds = attempt.flatMap { (1...whole).contains($0) ? $0 : nil } ?? whole
    self.cpuMicroseconds = min(cpuMicroseconds, Self.microsecondsMax)
    self.memoryBytes = min(memoryBytes, 1 << 50)
    self.attempts = Int32(clamping: max(1, attempts))
    self.end = end
    self.hour = UInt8(max(0, min(23, hour)))
  }

  /// Twenty years.
  private static let microsecondsMax: Int64 = 20 * 366 * 86_400 * 1_000_000

  package var duration: Duration { .microseconds(microseconds) }
  package var attempt: Duration { .microseconds(attemptMicroseconds) }
}

/// Random numbers of a seed (SplitMix64): the same on every machine, and independent of other
/// draws.
struct SeededNumbers: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Below `count`, which is above zero.
  mutating func place(below count: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(count)).high)
  }
}

extension WallInstant {
  /// The hour of the day in a zone, 0 to 23.
  package func hour(in zone: Zone) -> Int {
    let local =
      milliseconds.flooredQuotient(by: 1000) + Int64(zone.offsetSeconds(at: self))
    return Int(local.flooredRemainder(by: 86_400) / 3600)
  }
}
