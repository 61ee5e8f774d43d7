import Testing

@testable import TaktControl

/// Figures as Prometheus reads them.
@Suite struct HistogramTests {
  private func lines(_ histogram: Histogram) -> [String] {
    var text = PrometheusText()
    text.histogram("x", [("job", "a\"b\\c\nd")], histogram)
    return String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func `a value falls below the first bound that it does not exceed`() {
    var histogram = Histogram([1, 2.5])
    for value in [-1, 0, 1, 1.0001, 2.5, 2.6, 1e9] { histogram.add(value) }
    #expect(histogram.counts == [3, 2, 2])
  }

  @Test func `buckets are cumulative and end at infinity`() {
    var histogram = Histogram([1, 2.5])
    for value in [0.5, 2, 2, 9] { histogram.add(value) }
    let label = #"job="a\"b\\c\nd""#
    #expect(
      lines(histogram) == [
        "x_bucket{\(label),le=\"1.0\"} 1", "x_bucket{\(label),le=\"2.5\"} 3",
        "x_bucket{\(label),le=\"+Inf\"} 4", "x_sum{\(label)} 13.5", "x_count{\(label)} 4",
      ])
  }

  @Test func `an empty histogram has all its buckets`() {
    #expect(lines(Histogram(Histogram.seconds)).count == Histogram.seconds.count + 3)
  }

  @Test func `a length of time counts in seconds`() {
    var histogram = Histogram(Histogram.seconds)
    histogram.add(.milliseconds(1))
    histogram.add(.seconds(3600))
    #expect(histogram.counts.first == 1 && histogram.counts.last == 1)
    #expect(histogram.sum == 3600.001)
  }

  @Test(arguments: [Histogram.seconds, Histogram.shares])
  func `bounds go up`(bounds: [Double]) {
    #expect(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `a family has its help and its type before its samples`() {
    var text = PrometheusText()
    text.single("x", "gauge", "How much.", 7)
    text.family("y_total", "counter", "How many.")
    text.sample("y_total", [("a", "1"), ("b", "")], 2.5)
    #expect(
      String(decoding: text.bytes, as: UTF8.self) == """
        # HELP x How much.
        # TYPE x gauge
        x 7
        # HELP y_total How many.
        # TYPE y_total counter
        y_total{a="1",b=""} 2.5

        """)
  }
}
