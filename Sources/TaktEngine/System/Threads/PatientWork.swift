import TaktSystem

/// Work at takt's start that a file system may delay for as long as it does not answer.
package enum PatientWork {
  private static let limit = Duration.seconds(2)

  /// Performs it on a thread of its own and returns the result; nil if it has not ended soon. It
  /// continues then.
  ///
  /// - Parameter sentence: the log message in that case.
  package static func perform<Value: Sendable>(
    thread name: String, orLog sentence: String, _ body: @escaping @Sendable () -> Value
  ) -> Value? {
    do throws(NoAnswer) {
      return try Patience(thread: name, stuckMax: 1, atPlace: 1).value(within: limit, body)
    } catch {
      // Without another thread, this one waits.
      guard case .late = error else { return body() }
      Notices.post(sentence)
      return nil
    }
  }
}
