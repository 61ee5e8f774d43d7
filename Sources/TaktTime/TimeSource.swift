/// Where the time comes from. It is always handed in, so that virtual time can take its place.
///
/// Safe from any thread.
public protocol TimeSource: Sendable {
  /// The clock that people read; it can be set, in both directions.
  var wall: WallInstant { get }

  /// The clock that only goes forward.
  var monotonic: MonotonicInstant { get }
}
