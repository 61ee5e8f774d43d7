import TaktTime
import Testing

/// Durations as the clocks count them.
@Suite struct DurationTests {
  /// Both sides of zero, of the range that is divided in 64 bits, and of the range of `Int64`.
  @Test(
    arguments: [
      0, 1, 999_999_999, 1_000_000_000, 4_722_366_482_869_645_213_695,
      4_722_366_482_869_645_213_696,
      9_223_372_036_854_775_807_999_999_999, 9_223_372_036_854_775_808_000_000_000,
    ] as [Int128])
  func `nanoseconds are whole, towards zero, and no more than there can be`(attoseconds: Int128) {
    for attoseconds in [attoseconds, -attoseconds] {
      let whole = Int64(clamping: attoseconds / 1_000_000_000)
      #expect(Duration(attoseconds: attoseconds).nanosecondsSaturated == whole)
    }
  }
}
