import TaktCore
import TaktTime

/// Values of a command line, refused in the words of the jobs file.
package enum TypedValue {
  /// The reason and a hint for a text that is no job name; nil for a name.
  package static func problem(ofName text: String) -> String? {
    JobName(text) == nil ? "is not a valid job name; \(KeyReader.nameHint)" : nil
  }

  /// The reason and a hint for a text that is no duration; nil for a duration.
  package static func problem(ofDuration text: String) -> String? {
    do throws(DurationText.Problem) {
      _ = try DurationText.parse(text)
      return nil
    } catch {
      let (message, hint) = error.sentence(text: text)
      return message + (hint.map { "; \($0)" } ?? "")
    }
  }
}
