/// The way of a request, which determines its rights.
enum RequestWay: Hashable, Sendable {
  /// The Unix socket: its peer is takt's own user, or root, who may do all that takt may.
  case socket
  /// TCP, with any token, also from another machine of the cluster. It has no more rights than the
  /// jobs file gives.
  case network
}
