/// Whole numbers, such as days or seconds since the epoch, as ranges: ascending, and none touches the
/// next.
package struct NumberRanges: Hashable, Sendable {
  private var starts: [Int64] = []
  /// The first number after each range.
  private var ends: [Int64] = []

  /// Takes ranges in any order; those that touch or overlap become one.
  package init(_ ranges: [Range<Int64>] = []) {
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      if let end = ends.last, range.lowerBound <= end {
        ends[ends.count - 1] = max(end, range.upperBound)
      } else {
        starts.append(range.lowerBound)
        ends.append(range.upperBound)
      }
    }
  }

  package var isEmpty: Bool { starts.isEmpty }

  package var count: Int { starts.count }

  package var ranges: [Range<Int64>] { zip(starts, ends).map { $0..<$1 } }

  /// The sum of the ranges' lengths.
  package var numberCount: Int64 { zip(starts, ends).reduce(0) { $0 + $1.1 - $1.0 } }

  /// The place of the last range that starts at or before a number; nil if none does.
  private func place(at number: Int64) -> Int? {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= number { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }

  /// The range that has a number; nil where none has.
  func range(with number: Int64) -> Range<Int64>? {
    guard let place = place(at: number), number < ends[place] else { return nil }
    return starts[place]..<ends[place]
  }

  package func contains(_ number: Int64) -> Bool { range(with: number) != nil }

  /// The first that is not before `number`; nil where there is none.
  func first(from number: Int64) -> Int64? {
    let next: Int
    if let place = place(at: number) {
      if number < ends[place] { return number }
      next = place + 1
    } else {
      next = 0
    }
    return next < starts.count ? starts[next] : nil
  }

  /// The first number after `number` at which a range starts or ends; nil if none does.
  func nextEdge(after number: Int64) -> Int64? {
    range(with: number)?.upperBound ?? first(from: number + 1)
  }
}

extension NumberRanges {
  /// `20446 1 6 2`: the first number of each range, counted from the end of the one before, and how
  /// many there are. It reads back as an equal value.
  package var text: String {
    var end: Int64 = 0
    var numbers: [String] = []
    for (start, next) in zip(starts, ends) {
      numbers.append(String(start - end))
      numbers.append(String(next - start))
      end = next
    }
    return numbers.joined(separator: " ")
  }

  /// Reads `text`; nil if it is invalid, or one of its numbers is not within `bound` of 0.
  package init?(text: String, within bound: Int64) {
    let numbers = text.split(separator: " ").map { Int64($0) }
    guard numbers.count.isMultiple(of: 2) else { return nil }
    self.init()
    var end: Int64 = 0
    for place in stride(from: 0, to: numbers.count, by: 2) {
      guard let gap = numbers[place], let length = numbers[place + 1], length > 0,
        gap > 0 || starts.isEmpty, gap.magnitude <= bound.magnitude, length <= bound
      else { return nil }
      let start = end + gap
      end = start + length
      guard start >= -bound, end <= bound else { return nil }
      starts.append(start)
      ends.append(end)
    }
  }
}
