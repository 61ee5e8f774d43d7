import TaktSystem
import TaktTime

/// Splits a plugin's output into lines, none of them longer than the protocol allows.
struct PluginLines {
  /// Without the line's end.
  static let lineBytesMax = 65_536

  private var partial: [UInt8] = []

  /// Passes on each line that ends within `bytes`, without its end. False if one is too long; then
  /// no more bytes are to be taken.
  mutating func feed(_ bytes: UnsafeRawBufferPointer, _ body: ([UInt8]) -> Void) -> Bool {
    var rest = bytes
    while let end = rest.firstIndex(ofByte: 10) {
      guard partial.count + end <= Self.lineBytesMax else { return false }
      let line = partial + rest[..<end]
      partial.removeAll(keepingCapacity: true)
      rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
      body(line)
    }
    guard partial.count + rest.count <= Self.lineBytesMax else { return false }
    partial.append(contentsOf: rest)
    return true
  }
}

/// Limits the messages of a run: a burst, refilled at a steady rate.
struct PluginFlood {
  static let burst = 10_000.0
  static let perSecond = 1000.0

  private var remaining = burst
  private var last: MonotonicInstant

  init(at now: MonotonicInstant) { last = now }

  /// Counts a message; false if it exceeds the limit.
  mutating func allows(at now: MonotonicInstant) -> Bool {
    remaining = min(Self.burst, remaining + (now - last) / .seconds(1) * Self.perSecond)
    last = now
    remaining -= 1
    return remaining >= 0
  }
}

/// The runs that had their results last; a service that names older ones breaks the rules.
struct RecentRuns {
  private static let countMax = 4096

  private var set: Set<String> = []
  private var order: [String] = []
  private var oldest = 0

  func contains(_ run: String) -> Bool { set.contains(run) }

  mutating func insert(_ run: String) {
    set.insert(run)
    if order.count < Self.countMax { return order.append(run) }
    set.remove(order[oldest])
    order[oldest] = run
    oldest = (oldest + 1) % Self.countMax
  }
}
