/// One parameter of a plugin: a schema, and bounds that schemas do not have.
public struct PluginParameter: Hashable, Sendable {
  /// Its name, kind and default.
  public var schema: ParameterSchema
  /// The least value of a duration in seconds, of a size in bytes, of a percentage; nil for any.
  public var minimum: Double?
  /// The greatest value, as `minimum`.
  public var maximum: Double?
  /// A POSIX extended regular expression that all of a text must match; nil for any.
  public var pattern: String?

  /// The variable in which a oneshot finds the parameter of a name.
  public static func variable(of name: String) -> String {
    "TAKT_PARAM_"
      + String(name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  /// A parameter without further bounds.
  public init(_ schema: ParameterSchema) { self.schema = schema }
}
