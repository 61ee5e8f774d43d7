import TaktCore

/// What a job begins with, before its own keys are read.
struct JobDefaults {
  var execution: Execution
  var leeway = Leeway.none
  var overlap = Overlap.skip
  var isEnabled = true

  /// What holds without any `defaults`, for jobs of a file in the absolute folder `folder`.
  init(folder: String) {
    execution = Execution(directory: folder)
  }
}
