import Testing

/// What one seed has come to.
struct SeedResult: Sendable {
  var seed: UInt64
  var difference: Difference?
  var census: Census

  init(seed: UInt64, _ scheduler: TwinScheduler) {
    self.seed = seed
    difference = scheduler.difference
    census = scheduler.census
  }
}

/// Runs many seeds, several at once, and says which of them the cores differ in.
///
/// - Returns: what has been compared.
func compareSeeds(
  _ seeds: Range<UInt64>, _ run: @escaping @Sendable (UInt64) -> SeedResult
) async -> Census {
  await withTaskGroup(of: SeedResult.self) { group in
    for seed in seeds { group.addTask { run(seed) } }
    var census = Census()
    var different: [SeedResult] = []
    for await result in group {
      census.add(result.census)
      if result.difference != nil { different.append(result) }
    }
    different.sort { $0.seed < $1.seed }
    for result in different.prefix(3) {
      let difference = result.difference?.description ?? ""
      Issue.record("seed \(result.seed): the cores differ\n\(difference)")
    }
    #expect(different.isEmpty, "\(different.count) of \(seeds.count) seeds differ")
    return census
  }
}
