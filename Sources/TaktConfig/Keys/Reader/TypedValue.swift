import TaktCore
import TaktTime

/// Values that people type on a command line, refused in the words that the jobs file has for them.
package enum TypedValue {
  /// Why a text is no job's name, and what is one; nil for a name.
  package static func problem(ofName text: String) -> String? {
    JobName(text) == nil ? "is not a valid job name; \(KeyReader.nameHint)" : nil
  }

  /// Why a text is no duration, and what to write; nil for a duration.
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
