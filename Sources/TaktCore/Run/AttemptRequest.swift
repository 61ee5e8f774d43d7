/// A run's number: 1, 2, 3 … in the life of the process.
public struct RunID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number.
  public let number: UInt64

  /// The run of this number.
  public init(_ number: UInt64) { self.number = number }

  /// The number in digits.
  public var description: String { String(number) }

  /// Runs in the order in which they were made.
  public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// One attempt that is to be started.
public struct AttemptRequest: Hashable, Sendable {
  /// The run it belongs to.
  public var run: RunID
  /// Its number within the run, from 1.
  public var attempt: Int
  /// The job as it was when the attempt was decided.
  public var spec: JobSpec
  /// The slot's nominal instant.
  public var slot: WallInstant

  /// An attempt of a run.
  public init(run: RunID, attempt: Int, spec: JobSpec, slot: WallInstant) {
    self.run = run
    self.attempt = attempt
    self.spec = spec
    self.slot = slot
  }
}
