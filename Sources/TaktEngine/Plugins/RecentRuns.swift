/// The runs that had their results last; a service that speaks of older ones is not believed.
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
