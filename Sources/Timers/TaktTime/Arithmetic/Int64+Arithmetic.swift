extension Int64 {
  @inlinable package func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  @inlinable package func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  @inlinable package func multipliedSaturated(by factor: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? ((self < 0) == (factor < 0) ? .max : .min) : product
  }

  /// Division that rounds towards minus infinity; `divisor` is positive.
  @inlinable package func flooredQuotient(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }

  /// The remainder that goes with `flooredQuotient(by:)`; never negative.
  @inlinable package func flooredRemainder(by divisor: Int64) -> Int64 {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}
