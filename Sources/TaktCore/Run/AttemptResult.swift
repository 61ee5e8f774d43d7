/// How an attempt's own process, or a built-in's work, came to its end.
package enum AttemptResult: Hashable, Sendable {
  /// The process exited by itself.
  case exited(Int32)
  /// A signal ended the process.
  case signalled(Int32)
  /// There was never a process.
  case notStarted(StartStage, errno: Int32)
  /// A built-in has done its work.
  case done
  /// A built-in has failed; a short machine-readable reason such as `status(500)`.
  case failed(String)
}
