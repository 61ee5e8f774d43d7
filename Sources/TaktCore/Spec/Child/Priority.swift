/// The priority of a command at the disk, as `ionice` names it.
package enum InputOutputPriority: Hashable, Sendable, CustomStringConvertible {
  /// Before all others, 0 (first) to 7; needs root or CAP_SYS_ADMIN.
  case realtime(Int)
  /// Among all others, 0 (first) to 7.
  case bestEffort(Int)
  /// Only while no other process uses the disk.
  case idle

  private static let levels = 0...7
  /// The kernel's own.
  private static let defaultLevel = 4

  /// Reads `idle`, `best-effort`, `best-effort:6`, `realtime:0`; nil for anything else.
  package init?(_ text: String) {
    if text == "idle" {
      self = .idle
      return
    }
    let words = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var level = Self.defaultLevel
    if words.count == 2 {
      guard words[1].utf8.count == 1, let number = Int(words[1]), Self.levels.contains(number)
      else { return nil }
      level = number
    }
    switch words[0] {
    case "best-effort": self = .bestEffort(level)
    case "realtime": self = .realtime(level)
    default: return nil
    }
  }

  package var description: String {
    switch self {
    case .realtime(let level): "realtime:\(level)"
    case .bestEffort(let level): "best-effort:\(level)"
    case .idle: "idle"
    }
  }
}
