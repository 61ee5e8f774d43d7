/// The engine of containers on this machine, and its right to declare jobs.
package struct ContainerAccess: Hashable, Sendable {
  package static let defaultSocket = "/var/run/docker.sock"
  /// The group of all runs of jobs from labels, unless the file gives it another size: they cannot
  /// take the places of all other jobs.
  package static let group = "container-labels"

  /// The path of the engine's socket.
  package var socket = defaultSocket
  /// True if labels of containers declare jobs. Default no.
  package var readsLabels = false

  package init() {}

  var words: String { "\(socket), labels \(readsLabels)" }
}
