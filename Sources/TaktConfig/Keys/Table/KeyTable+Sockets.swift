import TaktCore

/// Sockets of `scheduler`: for a proxy, and of a container engine.
extension KeyTable {
  package static let proxy: KeyRows = [
    KeyEntry(
      Key.header, .text(allowsEmpty: false), default: "`\(ProxyLogin.defaultHeader)`",
      reload: .restarts, "The header in which the proxy names the user."),
    KeyEntry(
      Key.socket, .path, default: "none", reload: .restarts,
      "The Unix socket that takt opens for the proxy. Only processes of `user`, and of root, can "
        + "connect. Its folder belongs to takt's user. Needs `user`."),
    KeyEntry(
      Key.user, .text(allowsEmpty: false), reload: .restarts,
      "The user that the proxy runs as, by name or number. Needs `socket`."),
    KeyEntry(
      Key.secretFile, .path, default: "none", reload: .restarts,
      "The file with a secret that only takt and the proxy know. Over TCP, `header` counts only "
        + "together with the header `\(ProxyLogin.secretHeader)`, whose value is this secret. takt "
        + "creates it at the first start, readable only by its owner."),
    KeyEntry(
      Key.users, .map(.text, .choice(ProxyLogin.Right.allCases.map(\.rawValue))), default: "none",
      reload: .restarts,
      "What each user may do: `read` sees everything, `operate` also triggers, suspends, resumes and "
        + "cancels jobs, `all` is as with the token of `token_file`. Case matters."),
    KeyEntry(
      Key.others, .choice([ProxyLogin.Right.read.rawValue, Key.none]), default: "`read`",
      reload: .restarts,
      "What users may do who are not in `users`: `read`, or nothing (`none`): they get 403."),
  ]

  package static let containers: KeyRows = [
    KeyEntry(
      Key.socket, .path,
      default: "that of `DOCKER_HOST`, `/var/run/docker.sock` or `/run/podman/podman.sock`",
      reload: .restarts,
      "The Unix socket of the engine's API, which Docker and Podman serve."),
    KeyEntry(
      Key.labels, .boolean, default: "`false`", reload: .restarts,
      "With `true`, labels of running containers declare jobs that run in those containers."),
  ]
}
