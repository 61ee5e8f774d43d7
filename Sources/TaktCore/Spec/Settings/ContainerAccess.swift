/// The engine of containers on this machine, and what it may declare.
package struct ContainerAccess: Hashable, Sendable {
  package static let defaultSocket = "/var/run/docker.sock"
  /// The group in which all runs of jobs from labels are, unless the file gives it another size: they
  /// cannot take the places of all other jobs.
  package static let group = "container-labels"

  /// Where the engine listens.
  package var socket = defaultSocket
  /// Whether labels of containers declare jobs. Default no.
  package var readsLabels = false

  package init() {}

  var words: String { "\(socket), labels \(readsLabels)" }
}
