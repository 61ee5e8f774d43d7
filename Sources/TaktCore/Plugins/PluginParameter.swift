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

  /// A parameter without further bounds.
  public init(_ schema: ParameterSchema) { self.schema = schema }
}
