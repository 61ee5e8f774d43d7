/// The outcome of a run.
public enum PluginOutcome: Sendable {
  /// Success, with an optional sentence for people.
  case ok(String? = nil)
  /// Failure, with a short reason of letters, digits, `_`, `-` and `.`, and a sentence for people.
  case failed(String, String? = nil)

  /// Success, without a sentence.
  public static var ok: Self { .ok(nil) }
}
