extension Zone {
  /// Its offsets from 2025 to 2037, in short: equal where two machines' zone data name the same
  /// instants, whatever their versions and however their files are made.
  package var digest: UInt64 {
    let day: Int64 = 86_400
    // 2025-01-01 and 2038-01-01.
    let (first, end): (Int64, Int64) = (1_735_689_600, 2_145_916_800)
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ number: Int64) {
      for byte in 0..<8 {
        hash = (hash ^ UInt64(truncatingIfNeeded: number >> (8 * byte)) & 0xff) &* 0x100_0000_01b3
      }
    }
    var offset = offsetSeconds(atEpochSeconds: first)
    add(Int64(offset))
    for start in stride(from: first, to: end, by: Int64.Stride(day)) {
      let next = offsetSeconds(atEpochSeconds: start + day)
      guard next != offset else { continue }
      var (low, high) = (start, start + day)
      while high - low > 1 {
        let middle = (low + high) / 2
        if offsetSeconds(atEpochSeconds: middle) == offset { low = middle } else { high = middle }
      }
      offset = next
      add(high)
      add(Int64(offset))
    }
    return hash
  }
}
