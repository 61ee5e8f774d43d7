/// By which way a request came, and so whose rights it may use.
enum RequestWay: Hashable, Sendable {
  /// The Unix socket: its peer is takt's own user, or root, who may do all that takt may.
  case socket
  /// TCP, whatever the token: also another machine of the cluster. Who comes this way has no more
  /// rights than the jobs file gives.
  case network
}
