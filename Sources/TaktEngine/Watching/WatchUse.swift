/// What one key needs a watched inode for.
enum WatchUse: Hashable {
  /// The inode is a folder on the way, whose entry `name` leads on. `isLast` tells that nothing of
  /// the path is left behind it: the entry is what the key watches, or a link to it.
  case step(watch: Int32, name: [CChar], isLast: Bool)
  /// The inode is what the key watches.
  case target(watch: Int32)

  /// The number of the watch.
  var watch: Int32 {
    switch self {
    case .step(let watch, _, _): watch
    case .target(let watch): watch
    }
  }
}
