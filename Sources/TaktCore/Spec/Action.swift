/// What a run does.
public enum Action: Hashable, Sendable {
  /// A text for the job's shell.
  case shell(String)
  /// A program and its arguments; never empty.
  case argv([String])
  /// A named action of the catalogue with checked parameters.
  case use(String, Parameters)
}

/// Checked parameters of a named action, by name; defaults are filled in.
public typealias Parameters = [String: ParameterValue]

/// One checked parameter.
public enum ParameterValue: Hashable, Sendable {
  /// Text, or one of a fixed set of words.
  case string(String)

  /// The text of a `.string`.
  public var string: String {
    switch self {
    case .string(let text): text
    }
  }
}
