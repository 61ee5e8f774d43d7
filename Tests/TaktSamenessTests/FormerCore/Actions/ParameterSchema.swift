/// One parameter that a named action takes.
package struct ParameterSchema: Hashable, Sendable {
  package indirect enum Kind: Hashable, Sendable {
    case string
    /// One of these words; a `.string`.
    case choice([String])
    /// A path, relative to the folder of the file that names it; an absolute `.string`.
    case path
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case boolean
    /// A duration with its units, of at least so much.
    case duration(least: Duration)
    /// A size with its unit such as `10MB`; an `.integer` of bytes.
    case size
    /// `0%` to `100%`; a `.number`.
    case percent
    /// A list of values of one kind; one value alone counts as a list of one.
    case list(Kind)
    case map(Kind)
  }

  /// Its key under `with`.
  package var name: String
  package var kind: Kind
  package var defaultValue: ParameterValue?
  package var isRequired: Bool
  /// Whether its value is never shown.
  package var isSecret: Bool
  package var summary: String

  /// A parameter with a default, or one that must be given, unless told that it may be left out.
  package init(
    _ name: String, _ kind: Kind, default defaultValue: ParameterValue? = nil,
    isRequired: Bool? = nil, isSecret: Bool = false, summary: String
  ) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
    self.isRequired = isRequired ?? (defaultValue == nil)
    self.isSecret = isSecret
    self.summary = summary
  }
}
