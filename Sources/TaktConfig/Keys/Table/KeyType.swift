import TaktCore
import TaktTime

/// The values that a key of the jobs file takes, as data, from which checks, docs and schemas are
/// made.
package indirect enum KeyType: Hashable, Sendable {
  /// Any text; a number or a boolean counts by its own text.
  case text(allowsEmpty: Bool)
  /// A path, relative to the folder of the file that names it.
  case path
  case zone
  /// The name of an action of the catalogue.
  case action
  case boolean
  case integer(ClosedRange<Int>)
  case number(ClosedRange<Double>)
  /// A duration with its units, within bounds; nil for no upper bound.
  case duration(least: Duration, most: Duration? = nil)
  /// A duration of whole seconds, at least one.
  case wholeSeconds
  /// A size with its unit, such as `64KB`; in bytes.
  case size(ClosedRange<Int>)
  /// A number of lines in a second, a minute or an hour: `100/s`.
  case rate
  /// A file mode creation mask in octal digits: `027`.
  case umask
  /// A POSIX extended regular expression within bounds.
  case pattern
  case name
  case variable
  /// From `0%` to `100%`.
  case percent
  /// A date and a time of day, with or without an offset.
  case instant
  case choice([String])
  /// A percentage of one processor: `50%`, `250%`.
  case quota
  /// A class with or without a level: `idle`, `best-effort:6`.
  case inputOutputPriority
  /// A rule for the calls of a hook's action: `every`, `first`, `streak >= 3` and so on.
  case occasion
  /// A list that is not empty.
  case list(KeyType)
  /// A value, or a list of them that is not empty.
  case oneOrMore(KeyType)
  /// The first of these types that a value resembles; the last if it resembles none.
  case oneOf([KeyType])
  /// Any names within a rule, each with a value.
  case map(KeyNameRule, KeyType)
  /// A mapping of fixed keys.
  case object(KeyRows)
  case anything
}

/// The names allowed in a mapping of free names.
package enum KeyNameRule: String, Hashable, Sendable {
  /// A job's name: `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`.
  case job
  /// The name of an environment variable: `[A-Za-z_][A-Za-z0-9_]*`.
  case environment
  /// A parameter of the action that the job uses.
  case parameter
  /// A concurrency group, by the rule of job names.
  case group
  /// A label of a machine, by the rule of job names.
  case label
  /// A calendar, by the rule of job names; it must not read as an expression.
  case calendar
  /// Any text that is not empty.
  case text
}

extension KeyType {
  /// The noun for the type in a sentence: "a duration such as 30s".
  package var phrase: String {
    switch self {
    case .text(let allowsEmpty): allowsEmpty ? "a text" : "a non-empty text"
    case .path: "a path"
    case .zone: "a time zone such as Europe/Berlin"
    case .action: "the name of an action"
    case .boolean: "true or false"
    case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .number(let range): "a number from \(range.lowerBound.brief) to \(range.upperBound.brief)"
    case .duration: "a duration such as 30s"
    case .wholeSeconds: "a duration of whole seconds such as 30s"
    case .size: "a size such as 64KB"
    case .rate: "a rate such as 100/s"
    case .umask: "an octal number such as 027"
    case .pattern: "a regular expression, as for grep -E"
    case .name: "a name of letters, digits, '.', '_' and '-'"
    case .variable: "the name of a variable"
    case .percent: "a percentage such as 10%"
    case .instant: "a date with a time of day such as 2026-12-24T18:00"
    case .choice(let words): words.count == 1 ? words[0] : "one of " + words.joined(separator: ", ")
    case .quota: "a percentage of one processor such as 50%"
    case .inputOutputPriority: "an I/O priority such as best-effort:6"
    case .occasion: "every, first, recovered, output, or a text such as streak >= 3"
    case .list(.text), .list(.path): "a list of texts"
    case .list(.object), .list(.map): "a list of mappings"
    case .list(let item): "a list with each item \(item.phrase)"
    case .oneOrMore(let item): "\(item.phrase), or a list of them"
    case .oneOf(let types): types.map(\.phrase).joined(separator: ", or ")
    case .map(.environment, .object): "a mapping of names to mappings"
    case .map(.environment, _): "a mapping of names to texts"
    case .map(.parameter, _): "a mapping of parameters to values"
    case .map(.job, _): "a mapping of job names to jobs"
    case .map(.group, _): "a mapping of group names to numbers or mappings"
    case .map(.label, _): "a mapping of labels to values"
    case .map(.calendar, _): "a mapping of names to calendars"
    case .map(.text, _): "a mapping of names to values"
    case .object: "a mapping"
    case .anything: "anything"
    }
  }

  /// The type in the notation of the reference: "duration, at least 1ms".
  package var reference: String {
    switch self {
    case .text: "text"
    case .path: "path"
    case .zone: "time zone"
    case .action: "action"
    case .boolean: "`true` or `false`"
    case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
    case .number(let range): "number, \(range.lowerBound.brief) to \(range.upperBound.brief)"
    case .wholeSeconds: "duration in whole seconds"
    case .size(let range):
      range.upperBound == SizeText.maximumBytes
        ? (range.lowerBound > 1 ? "size, at least \(SizeText.format(range.lowerBound))" : "size")
        : "size, at most \(SizeText.format(range.upperBound))"
    case .rate: "rate: `100/s`, per `s`, `m` or `h`"
    case .umask: "octal number"
    case .pattern: "regular expression"
    case .name: "name"
    case .variable: "name of a variable"
    case .duration(let least, let most?):
      "duration, \(DurationText.format(least)) to \(DurationText.format(most))"
    case .duration(let least, nil):
      least > .zero ? "duration, at least \(DurationText.format(least))" : "duration"
    case .percent: "percent"
    case .instant: "date and time"
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    case .quota: "percent"
    case .inputOutputPriority: "`idle`, `best-effort:N`, `realtime:N`"
    case .occasion: "`every`, `first`, `recovered`, `output`, `streak >= N`"
    case .list(let item): "list of \(item.reference)"
    case .oneOrMore(let item): "\(item.reference); or a list"
    case .oneOf(let types): types.map(\.reference).joined(separator: "; or ")
    case .map(.environment, .object): "mapping of names to mappings"
    case .map(.environment, _): "mapping of names to texts"
    case .map(.parameter, _): "mapping of parameters"
    case .map(.job, _): "mapping of names to jobs"
    case .map(.group, _): "mapping of names to numbers or mappings"
    case .map(.label, _): "mapping of labels to values"
    case .map(.calendar, _): "mapping of names to mappings"
    case .map(.text, _): "mapping of names to values"
    case .object: "mapping"
    case .anything: "anything"
    }
  }
}

extension Double {
  /// The number, without an empty fraction.
  var brief: String {
    Int(exactly: self).map(String.init) ?? String(self)
  }
}
