import TaktCore

/// A value of a variable of `for_each`.
struct EachValue {
  /// What it is called in names of jobs.
  var name: String
  var scalar: YAMLScalar
  /// The texts of a value that is a mapping.
  var fields: [String: YAMLScalar] = [:]
  var mark: YAMLMark
  /// What reports mistakes of it: that of the jobs file, or of a file of lines.
  var reporter: Reporter
}

/// A variable of `for_each` with its values, in order.
struct EachVariable {
  var name: String
  var mark: YAMLMark
  var values: [EachValue]
}

/// What a job's `for_each` says: variables, and combinations of values that are left out.
struct EachValues {
  /// Values that are left out where all of them come together.
  ///
  /// By the variables, in order, that they name: the values that are left out.
  private typealias Exclusions = [[Int]: Set<[Int]>]

  static let exclude = "exclude"
  /// The most jobs that one definition may make.
  static let membersMax = LineFiles.linesMax
  static let valueBytesMax = 1024

  private(set) var variables: [EachVariable] = []
  private var exclusions: Exclusions = [:]

  mutating func append(_ variable: EachVariable) { variables.append(variable) }

  mutating func exclude(_ places: [(variable: Int, value: Int)]) {
    let sorted = places.sorted { $0.variable < $1.variable }
    exclusions[sorted.map(\.variable), default: []].insert(sorted.map(\.value))
  }

  /// Every combination of values that is not left out, in order: the last variable changes first.
  /// Each is the places of its values.
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

  /// How many combinations there are with those that are left out; nil for too many.
  var count: Int? {
    variables.reduce(1 as Int?) { count, variable in
      guard let count, !variable.values.isEmpty else { return count.map { _ in 0 } }
      let (product, isOver) = count.multipliedReportingOverflow(by: variable.values.count)
      return isOver || product > Self.membersMax ? nil : product
    }
  }
}
