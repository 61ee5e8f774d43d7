/// The level of a line of output.
public enum PluginLogLevel: String, Sendable {
  case debug, info, notice, warning, error
}
