/// What values a key of the jobs file takes: data, so that checks, docs and schemas are made of it.
package indirect enum KeyType: Hashable, Sendable {
  /// Any text; a number or a truth value counts by its own text.
  case text(allowsEmpty: Bool)
  /// A path, relative to the folder of the file that names it.
  case path
  /// A time zone's name.
  case zone
  /// The name of an action of the catalogue.
  case action
  /// `true` or `false`.
  case boolean
  /// A whole number.
  case integer(ClosedRange<Int>)
  /// A number, whole or not.
  case number(ClosedRange<Double>)
  /// A duration with its units, of at least so much.
  case duration(least: Duration)
  /// A duration of whole seconds, at least one.
  case wholeSeconds
  /// A size with its unit, such as `64KB`; in bytes.
  case size(ClosedRange<Int>)
  /// So many lines in a second, a minute or an hour: `100/s`.
  case rate
  /// A file mode creation mask in octal digits: `027`.
  case umask
  /// A POSIX extended regular expression within bounds.
  case pattern
  /// A name by the rule of jobs' names.
  case name
  /// The name of an environment variable.
  case variable
  /// `0%` to `100%`.
  case percent
  /// A date and a time of day, with or without an offset.
  case instant
  /// One of these words.
  case choice([String])
  /// A list that is not empty.
  case list(KeyType)
  /// A value, or a list of them that is not empty.
  case oneOrMore(KeyType)
  /// The first of these types that a value looks like; the last when it looks like none.
  case oneOf([KeyType])
  /// Any names within a rule, each with a value.
  case map(KeyNameRule, KeyType)
  /// A mapping of fixed keys.
  case object([KeyEntry])
  /// Whatever YAML can say.
  case anything
}

/// What names a mapping of free names may have.
package enum KeyNameRule: String, Hashable, Sendable {
  /// A job's name: `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`.
  case job
  /// The name of an environment variable: `[A-Za-z_][A-Za-z0-9_]*`.
  case environment
  /// A parameter of the action that the job uses.
  case parameter
  /// A concurrency group, by the rule of jobs' names.
  case group
  /// Any text that is not empty.
  case text
}
