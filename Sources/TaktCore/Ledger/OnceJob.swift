package import TaktTime

/// A job that runs once and that somebody has asked for beside those of the jobs file.
package struct OnceJob: Hashable, Sendable {
  package var name: JobName
  /// Its keys as a JSON object, which say the same as in a jobs file.
  package var text: String
  /// When it is due.
  package var at: WallInstant

  package init(name: JobName, text: String, at: WallInstant) {
    self.name = name
    self.text = text
    self.at = at
  }
}
