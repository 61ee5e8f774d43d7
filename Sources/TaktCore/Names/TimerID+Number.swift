extension TimerID {
  private static let kindBits = 2
  /// Above the 32 bits of a job's number.
  private static let freshnessBit: UInt64 = 1 << 32
  private static var valueMask: UInt64 { .max >> kindBits }

  /// The number of its timer machine: the kind in the two highest bits.
  package var number: UInt64 {
    switch self {
    case .job(let job): UInt64(job.index)
    case .run(let run): Self.number(kind: 1, run)
    case .expected(let run): Self.number(kind: 2, run)
    case .placement: .max - 1
    // The one of the third kind that no job's number can be.
    case .shutdown: .max
    case .pause(let job): 3 << (64 - Self.kindBits) | UInt64(job.index)
    case .freshness(let job): 3 << (64 - Self.kindBits) | Self.freshnessBit | UInt64(job.index)
    }
  }

  /// Reverses `number`.
  package init(number: UInt64) {
    let value = number & Self.valueMask
    switch number >> (64 - Self.kindBits) {
    case 0: self = .job(JobID(index: UInt32(truncatingIfNeeded: value)))
    case 1: self = .run(RunID(value))
    case 2: self = .expected(RunID(value))
    case _ where number == .max: self = .shutdown
    case _ where number == .max - 1: self = .placement
    case _ where number & Self.freshnessBit != 0:
      self = .freshness(JobID(index: UInt32(truncatingIfNeeded: value)))
    default: self = .pause(JobID(index: UInt32(truncatingIfNeeded: value)))
    }
  }

  private static func number(kind: UInt64, _ run: RunID) -> UInt64 {
    kind << (64 - kindBits) | run.number & valueMask
  }
}
