extension Duration {
  /// The whole nanoseconds, clamped to what `Int64` holds (292 years either way).
  @inlinable public var nanosecondsSaturated: Int64 {
    // `components` takes three times as long, and this is done many times for each slot.
    Int64(clamping: attoseconds / 1_000_000_000)
  }

  /// Whole milliseconds, rounded towards zero; saturates.
  @inlinable package var milliseconds: Int64 { nanosecondsSaturated / 1_000_000 }
}
