/// One parameter that a named action takes.
package struct ParameterSchema: Hashable, Sendable {
  package indirect enum Kind: Hashable, Sendable {
    case string
    /// A URL as a `.string`; values of placeholders in it are percent-encoded.
    case url
    /// One of these words; a `.string`.
    case choice([String])
    /// A path, relative to the folder of the file that names it; an absolute `.string`.
    case path
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case boolean
    /// A duration with its units, at least this long.
    case duration(least: Duration)
    /// A size with its unit such as `10MB`; an `.integer` of bytes.
    case size
    /// `0%` to `100%`; a `.number`.
    case percent
    /// A list of values of one kind; one value alone counts as a list of one.
    case list(Kind)
    case map(Kind)

    /// True if it holds a mapping, so that no text can replace it.
    var hasMap: Bool {
      switch self {
      case .map: true
      case .list(let item): item.hasMap
      case .string, .url, .choice, .path, .integer, .number, .boolean, .duration, .size, .percent:
        false
      }
    }

    /// True if its values are paths, also within a list or a mapping.
    var isPath: Bool {
      switch self {
      case .path: true
      case .list(let item), .map(let item): item.isPath
      case .string, .url, .choice, .integer, .number, .boolean, .duration, .size, .percent: false
      }
    }
  }

  package var name: String
  package var kind: Kind
  /// The target that its value decides; nil if undeclared, which counts as having one.
  package var reach: ParameterReach?
  package var defaultValue: ParameterValue?
  package var isRequired: Bool
  /// True if its value is never shown.
  package var isSecret: Bool
  package var summary: String

  /// A parameter with a default, or one that must be given, unless `isOptional` is set. Its reach
  /// has no default, so that each new parameter declares one.
  package init(
    _ name: String, _ kind: Kind, reaches reach: ParameterReach?,
    default defaultValue: ParameterValue? = nil,
    isRequired: Bool? = nil, isSecret: Bool = false, summary: String
  ) {
    self.name = name
    self.kind = kind
    self.reach = reach
    self.defaultValue = defaultValue
    self.isRequired = isRequired ?? (defaultValue == nil)
    self.isSecret = isSecret
    self.summary = summary
  }
}
