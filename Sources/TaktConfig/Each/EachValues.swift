struct EachValue {
  /// The value's part of job names.
  var name: String
  var scalar: YAMLScalar
  /// The texts of a value that is a mapping.
  var fields: [String: YAMLScalar] = [:]
  var mark: YAMLMark
  /// The reporter of the jobs file, or of a file of lines.
  var reporter: Reporter
}

/// A variable of `for_each` with its values, in order.
struct EachVariable {
  var name: String
  var mark: YAMLMark
  var values: [EachValue]
}

/// A job's `for_each`: variables, and combinations of values to exclude.
struct EachValues {
  /// Excluded combinations of values, by the variables, in order, that they name.
  private typealias Exclusions = [[Int]: Set<[Int]>]

  static let exclude = "exclude"
  /// The most jobs of one definition.
  static let membersMax = LineFiles.linesMax
  static let valueBytesMax = 1024

  private(set) var variables: [EachVariable] = []
  private var exclusions: Exclusions = [:]

  mutating func append(_ variable: EachVariable) { variables.append(variable) }

  mutating func exclude(_ places: [(variable: Int, value: Int)]) {
    let sorted = places.sorted { $0.variable < $1.variable }
    exclusions[sorted.map(\.variable), default: []].insert(sorted.map(\.value))
  }

  /// Every combination that is not excluded, in order: the last variable changes first. Each
  /// consists of the places of its values.
  func combinations() -> [[Int]] {
    var all: [[Int]] = [[]]
    for variable in variables {
      all = all.flatMap { start in variable.values.indices.map { start + [$0] } }
    }
    guard !exclusions.isEmpty else { return all }
    return all.filter { places in
      !exclusions.contains { variables, values in values.contains(variables.map { places[$0] }) }
    }
  }

  /// The number of combinations, including excluded ones; nil for too many.
  var count: Int? {
    variables.reduce(1 as Int?) { count, variable in
      guard let count, !variable.values.isEmpty else { return count.map { _ in 0 } }
      let (product, isOver) = count.multipliedReportingOverflow(by: variable.values.count)
      return isOver || product > Self.membersMax ? nil : product
    }
  }
}
