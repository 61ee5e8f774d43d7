/// One parameter of a plugin: a schema, and bounds that schemas do not have.
package struct PluginParameter: Hashable, Sendable {
  /// Its name, kind and default.
  package var schema: ParameterSchema
  /// The least value of a duration in seconds, of a size in bytes, of a percentage; nil for any.
  package var minimum: Double?
  /// The greatest value, as `minimum`.
  package var maximum: Double?
  /// A POSIX extended regular expression that all of a text must match; nil for any.
  package var pattern: String?

  /// The variable in which a oneshot finds the parameter of a name.
  package static func variable(of name: String) -> String {
    "TAKT_PARAM_"
      + String(name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  /// A parameter without further bounds.
  package init(_ schema: ParameterSchema) { self.schema = schema }
}
