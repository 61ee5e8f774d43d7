/// Bounds on what one file may hold.
struct YAMLLimits {
  /// Collections inside collections.
  var depth = 64
  /// Nodes, those of aliases counted each time.
  var nodes = 10_000_000
}
