import TaktCore

extension KeyTable {
  package static let containers: KeyRows = [
    KeyEntry(
      Key.socket, .path, default: "`\(ContainerAccess.defaultSocket)`", reload: .restarts,
      "The Unix socket of the engine's API, which Docker and Podman serve."),
    KeyEntry(
      Key.labels, .boolean, default: "`false`", reload: .restarts,
      "With `true`, labels of running containers declare jobs that run in those containers."),
  ]
}
