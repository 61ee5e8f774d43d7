/// How much a line matters.
public enum PluginLogLevel: String, Sendable {
  case debug, info, notice, warning, error
}
