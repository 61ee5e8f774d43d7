import TaktTime

/// The engine of containers on this machine, and its right to declare jobs.
package struct ContainerAccess: Hashable, Sendable {
  /// The group of all runs of jobs from labels, unless the file gives it another size: they cannot
  /// take the places of all other jobs.
  package static let group = "container-labels"

  /// The shortest interval of a job of labels, and of its retries.
  package static let intervalMin = Duration.seconds(1)
  /// The most that is kept of what an attempt of a job of labels prints.
  package static let keepBytesMax = 64 * 1024
  /// The most lines that a run of a job of labels logs.
  package static let rateMax = LineRate(100, per: .seconds(1))

  /// The speed at which the output of a run is read, where its job is one of labels: many that print
  /// without end would keep this machine from jobs of the file. Nil for any other job.
  package static func bytesPerSecondMax(of spec: JobSpec) -> Int? {
    spec.concurrencyGroup == group ? 256 * 1024 : nil
  }

  /// The path of the engine's socket; nil (the default) for the first one that the system has, as for
  /// `use: container`.
  package var socket: String?
  /// True if labels of containers declare jobs. Default no.
  package var readsLabels = false

  package init() {}

  var words: String { "\(socket ?? "default"), labels \(readsLabels)" }
}
