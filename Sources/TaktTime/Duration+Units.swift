extension Duration {
  /// The whole nanoseconds, clamped to what `Int64` holds (292 years either way).
  @inlinable public var nanosecondsSaturated: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    return scaled.addingSaturated(attoseconds / 1_000_000_000)
  }

  /// Whole milliseconds, rounded towards zero; saturates.
  @inlinable package var milliseconds: Int64 { nanosecondsSaturated / 1_000_000 }
}
