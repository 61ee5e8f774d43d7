package import TaktTime

/// A job that runs once, requested in addition to those of the jobs file.
package struct OnceJob: Hashable, Sendable {
  package var name: JobName
  /// Its keys as a JSON object, with the same meaning as in a jobs file.
  package var text: String
  package var at: WallInstant

  package init(name: JobName, text: String, at: WallInstant) {
    self.name = name
    self.text = text
    self.at = at
  }
}
