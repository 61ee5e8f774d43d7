import TaktCore

extension KeyType {
  /// What a value must be, as part of a sentence: "a duration such as 30s".
  public var phrase: String {
    switch self {
    case .text(let allowsEmpty): allowsEmpty ? "a text" : "a text that is not empty"
    case .path: "a path"
    case .zone: "a time zone such as Europe/Berlin"
    case .action: "the name of an action"
    case .boolean: "true or false"
    case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .duration: "a duration such as 30s"
    case .percent: "a share such as 10%"
    case .instant: "a date with a time of day such as 2026-12-24T18:00"
    case .choice(let words): words.count == 1 ? words[0] : "one of " + words.joined(separator: ", ")
    case .list(let item): "a list, each item \(item.phrase)"
    case .oneOrMore(let item): "\(item.phrase), or a list of them"
    case .oneOf(let types): types.map(\.phrase).joined(separator: ", or ")
    case .map(.environment, _): "a mapping of names to texts"
    case .map(.parameter, _): "a mapping of parameters to values"
    case .map(.job, _): "a mapping of job names to jobs"
    case .object: "a mapping of keys"
    case .anything: "anything"
    }
  }

  /// The type as the reference writes it: "duration, at least 1ms".
  public var reference: String {
    switch self {
    case .text: "text"
    case .path: "path"
    case .zone: "time zone"
    case .action: "action"
    case .boolean: "`true` or `false`"
    case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
    case .duration(let least):
      least > .zero ? "duration, at least \(DurationText.format(least))" : "duration"
    case .percent: "percent"
    case .instant: "date and time"
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    case .list(let item): "list of \(item.reference)"
    case .oneOrMore(let item): "\(item.reference); or a list"
    case .oneOf(let types): types.map(\.reference).joined(separator: "; or ")
    case .map(.environment, _): "mapping of names to texts"
    case .map(.parameter, _): "mapping of parameters"
    case .map(.job, _): "mapping of names to jobs"
    case .object: "mapping"
    case .anything: "anything"
    }
  }
}
