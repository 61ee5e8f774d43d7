import TaktCore

/// Examples for each key that takes a mapping, for a value of another type.
enum KeyExample {
  /// The correct form of a key, with the given value if it fits. A variable or a parameter of the
  /// same name has no example: its type differs.
  static func hint(for key: String, _ type: KeyType, instead value: String = "") -> String? {
    guard type.isMappingOfKeys else { return nil }
    return example(of: key, value).map { "write \(key): \($0)" }
  }

  /// All forms of a key that takes a fixed word, or something else.
  static func hint(instead value: String, of key: String) -> String? {
    switch key {
    case JobKey.machines.name: "write one, each, or labels such as {site: east}"
    case "signal":
      if let name = signals[value] {
        "write \(name)"
      } else {
        value.uppercased().hasPrefix("SIG") ? "write \(value.uppercased().dropFirst(3))" : nil
      }
    case Key.on where value.utf8.first.map({ (0x30...0x39).contains($0) }) == true:
      "write each exit status as a number from 0 to 255, such as [75, 76]"
    case JobKey.overlap.name: overlaps[value.lowercased()].map { "write \($0)" }
    default: nil
    }
  }

  /// Names of other tools for each kind of overlap.
  private static let overlaps = [
    "wait": "queue", "forbid": "skip", "deny": "skip", "drop": "skip", "parallel": "allow",
    "concurrent": "allow", "kill": "replace", "restart": "replace",
  ]

  private static let signals = [
    "1": "HUP", "2": "INT", "3": "QUIT", "9": "KILL", "10": "USR1", "12": "USR2", "15": "TERM",
  ]

  private static func example(of key: String, _ value: String) -> String? {
    switch key {
    case "jobs": return "{NAME: {every: 1h, run: COMMAND}}"
    case "calendars": return "{holidays: {dates: [2026-12-25]}}"
    case "defaults": return "{timeout: 10m}"
    case "scheduler": return "{max_running: 16}"
    case "retry": return "{attempts: \(number(value) ?? "3")}"
    case "all": return "[NAME, NAME]"
    case "after": return "{job: \(name(value) ?? "NAME")}"
    case "on": return "{boot: \(number(value).map { $0 + "m" } ?? "5m")}"
    case "watch": return "{path: \(name(value) ?? "PATH")}"
    case "missed": return "{policy: last}"
    case "kill": return "{signal: TERM, grace: 10s}"
    case "output": return "{keep: 64KB}"
    case "limits": return "{memory: 1GB}"
    case "pty": return "{rows: 24, columns: 80}"
    case "success": return "{exit: \(number(value) ?? "0")}"
    case "fails_when": return "{stderr: any}"
    case "dst": return "{gap: skip}"
    case "nth": return "{every: \(number(value) ?? "2"), starting: 2026-01-05}"
    case "env": return "{NAME: value}"
    case "with": return "{PARAMETER: value}"
    case "secrets": return "{NAME: {file: PATH}}"
    case "steps": return "[{run: COMMAND}]"
    case "on_start", "on_failure", "on_success", "on_recover", "on_late", "on_stale",
      "on_alarm_failed":
      return "{run: COMMAND}"
    case "ping": return "https://hc-ping.com/UUID"
    case "http": return "{listen: \(number(value) ?? "8080")}"
    case "proxy": return "{socket: PATH, user: USER}"
    case "history": return "{keep: 30d}"
    case "metrics": return "{jobs: \(number(value) ?? "1000")}"
    case "cluster": return "{engine: postgres}"
    case "endpoints": return "[http://127.0.0.1:2379]"
    case "password": return "{file: PATH}"
    case "labels", "machines": return "{site: east}"
    default: return nil
    }
  }

  private static func number(_ value: String) -> String? {
    (1...5).contains(value.utf8.count) && value.utf8.allSatisfy { (0x30...0x39).contains($0) }
      ? value : nil
  }

  private static func name(_ value: String) -> String? { JobName(value) == nil ? nil : value }
}

extension KeyType {
  fileprivate var isMappingOfKeys: Bool {
    switch self {
    case .object, .map(.job, _), .map(.calendar, _), .map(.environment, _), .map(.parameter, _),
      .map(.label, _):
      true
    case .list(let item), .oneOrMore(let item): item.isMappingOfKeys
    case .oneOf(let types): types.contains { if case .map(.label, _) = $0 { true } else { false } }
    default: false
    }
  }
}
