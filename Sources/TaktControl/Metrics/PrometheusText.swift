/// Writes figures in the text format of Prometheus, version 0.0.4.
struct PrometheusText {
  private(set) var bytes: [UInt8] = []

  /// Starts a family; the unit's suffix in its name is not checked.
  mutating func family(_ name: String, _ type: String, _ help: String) {
    bytes += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n".utf8
  }

  mutating func sample(
    _ name: String, _ labels: [(name: String, value: String)] = [], _ value: some Numeric
  ) {
    bytes += name.utf8
    append(labels)
    bytes += " \(value)\n".utf8
  }

  /// Adds a family of one sample without labels.
  mutating func single(_ name: String, _ type: String, _ help: String, _ value: some Numeric) {
    family(name, type, help)
    sample(name, [], value)
  }

  /// Adds a histogram to the last family.
  mutating func histogram(
    _ name: String, _ labels: [(name: String, value: String)] = [], _ histogram: Histogram
  ) {
    var total: UInt64 = 0
    for (bound, count) in zip(histogram.bounds.map { "\($0)" } + ["+Inf"], histogram.counts) {
      total += count
      sample("\(name)_bucket", labels + [("le", bound)], total)
    }
    sample("\(name)_sum", labels, histogram.sum)
    sample("\(name)_count", labels, total)
  }

  private mutating func append(_ labels: [(name: String, value: String)]) {
    guard !labels.isEmpty else { return }
    for (index, label) in labels.enumerated() {
      bytes += (index == 0 ? "{" : ",").utf8
      bytes += "\(label.name)=\"".utf8
      for byte in label.value.utf8 {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), byte]
        case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
        default: bytes.append(byte)
        }
      }
      bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: "}"))
  }
}
