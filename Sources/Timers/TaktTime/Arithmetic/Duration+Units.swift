extension Duration {
  /// The whole nanoseconds, clamped to what `Int64` holds (292 years either way).
  @inlinable public var nanosecondsSaturated: Int64 {
    // `components` takes three times as long, and this is done many times for each slot. Up to 78
    // minutes a division by 2⁹ · 5⁹ needs no more than 64 bits.
    if attoseconds >= 0, let part = Int64(exactly: attoseconds >> 9) { return part / 1_953_125 }
    return Int64(clamping: attoseconds / 1_000_000_000)
  }

  /// Whole milliseconds, rounded towards zero; saturates.
  @inlinable package var milliseconds: Int64 { nanosecondsSaturated / 1_000_000 }
}
