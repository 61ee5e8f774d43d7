/// Variables of a crontab, as far down as it has been read.
struct CronVariables {
  struct Variable {
    var name: String
    var value: String
    var token: SourceToken
  }

  private(set) var variables: [Variable] = []

  /// The last of a name counts.
  subscript(name: String) -> String? { variables.last { $0.name == name }?.value }

  /// Each job gets all of them.
  static let countMax = 100

  /// False when there are too many.
  mutating func add(_ variable: Variable) -> Bool {
    guard variables.count < Self.countMax else { return false }
    variables.append(variable)
    return true
  }

  /// Reads `NAME = value`, whose name and value may be in quotes; nil for another line.
  static func read(_ line: SourceLine, in trimmed: Range<Int>) -> Variable? {
    let scalars = line.scalars
    var index = trimmed.lowerBound
    let nameRange: Range<Int>
    if scalars[index] == "\"" || scalars[index] == "'" {
      let quote = scalars[index]
      guard let end = scalars[(index + 1)..<trimmed.upperBound].firstIndex(of: quote) else {
        return nil
      }
      nameRange = index + 1..<end
      index = end + 1
    } else {
      let end =
        scalars[index..<trimmed.upperBound].firstIndex { $0 == "=" || SourceLine.isBlank($0) }
        ?? trimmed.upperBound
      nameRange = index..<end
      index = end
    }
    index = line.skipBlanks(from: index)
    guard !nameRange.isEmpty, index < trimmed.upperBound, scalars[index] == "=" else { return nil }
    index = min(line.skipBlanks(from: index + 1), trimmed.upperBound)
    var valueRange = index..<trimmed.upperBound
    if valueRange.count >= 2, let first = scalars[valueRange].first, first == "\"" || first == "'",
      scalars[valueRange].last == first
    {
      valueRange = valueRange.lowerBound + 1..<valueRange.upperBound - 1
    }
    return Variable(
      name: line.text(nameRange), value: line.text(valueRange), token: line.token(trimmed))
  }
}
