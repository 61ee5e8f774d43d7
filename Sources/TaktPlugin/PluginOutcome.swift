/// What a run has come to.
public enum PluginOutcome: Sendable {
  /// All is well; a sentence for people, if there is something to say.
  case ok(String? = nil)
  /// It is not: a short reason of letters, digits, `_`, `-` and `.`, and a sentence for people.
  case failed(String, String? = nil)

  /// All is well.
  public static var ok: Self { .ok(nil) }
}
