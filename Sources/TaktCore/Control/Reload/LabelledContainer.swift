/// A running container whose labels may declare jobs.
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

  /// True if any of its labels may declare a job. A container of a run has the labels of its image
  /// too, but declares none.
  package var mayDeclareJobs: Bool {
    labels.keys.contains { $0.hasPrefix("takt.") || $0.hasPrefix("ofelia.") }
      && !labels.keys.contains { $0.hasPrefix("dev.takt.") }
  }
}

/// The jobs of a container's labels.
package struct LabelledJobs: Sendable {
  /// The valid ones, by name.
  package var jobs: [JobSpec] = []
  /// The reasons why others are left out, with the container and the label. All are warnings: all
  /// other jobs still run.
  package var diagnostics: [Diagnostic] = []

  package init() {}
}
