/// A container that runs, as far as its labels may declare jobs.
package struct LabelledContainer: Hashable, Sendable {
  /// All of its digits: no other container has it as a name or as the beginning of an id.
  package var id: String
  /// Without a slash; jobs of its labels start with it.
  package var name: String
  package var labels: [String: String]

  package init(id: String, name: String, labels: [String: String]) {
    self.id = id
    self.name = name
    self.labels = labels
  }

  /// Whether any of its labels may declare a job. Those of an image are on each container of it, also
  /// on one that takt itself has made for a run, which declares none.
  package var mayDeclareJobs: Bool {
    labels.keys.contains { $0.hasPrefix("takt.") || $0.hasPrefix("ofelia.") }
      && !labels.keys.contains { $0.hasPrefix("dev.takt.") }
  }
}

/// The jobs of a container's labels.
package struct LabelledJobs: Sendable {
  /// Those that are right, by name.
  package var jobs: [JobSpec] = []
  /// Why others are left out, with the container and the label. All are warnings: they keep nothing
  /// else from running.
  package var diagnostics: [Diagnostic] = []

  package init() {}
}
