import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
  import Glibc
#else
  import Foundation
#endif

/// Descriptor 3, on which the plugin speaks.
///
/// Safe from any thread: a line is written whole.
final class PluginChannel: Sendable {
  private static let descriptor: Int32 = 3

  private let isOpen = Mutex(true)

  /// Nil where nobody listens.
  init?() {
    guard fcntl(Self.descriptor, F_GETFD) >= 0 else { return nil }
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes a message; where the host has gone, nothing.
  func send(_ message: Message) {
    guard var line = try? JSONEncoder().encode(message) else { return }
    line.append(UInt8(ascii: "\n"))
    isOpen.withLock { isOpen in
      var rest = line[...]
      while isOpen, !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(Self.descriptor, $0.baseAddress, $0.count) }
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { isOpen = false }
      }
    }
  }

  /// What a plugin says.
  struct Message: Encodable {
    var type: String
    var `protocol`: Int?
    var name: String?
    var version: String?
    var capabilities: [String]?
    var run: String?
    var percent: Double?
    var message: String?
    var level: String?
    var value: Double?
    var unit: String?
    var status: String?
    var reason: String?
    var id: Int?
    var code: String?

    static func hello(name: String, version: String, capabilities: [String]) -> Self {
      Self(
        type: "hello", protocol: 1, name: name, version: version, capabilities: capabilities)
    }

    static func log(_ run: String, _ level: String, _ message: String) -> Self {
      Self(type: "log", run: run, message: message, level: level)
    }

    static func progress(_ run: String, _ percent: Double?, _ message: String?) -> Self {
      Self(type: "progress", run: run, percent: percent, message: message)
    }

    static func metric(_ run: String, _ name: String, _ value: Double, _ unit: String?) -> Self {
      Self(type: "metric", name: name, run: run, value: value, unit: unit)
    }

    static func result(_ run: String, _ outcome: PluginOutcome) -> Self {
      switch outcome {
      case .ok(let message): Self(type: "result", run: run, message: message, status: "ok")
      case .failed(let reason, let message):
        Self(type: "result", run: run, message: message, status: "failed", reason: reason)
      }
    }

    static func pong(_ id: Int) -> Self { Self(type: "pong", id: id) }

    static func problem(_ code: String, _ message: String) -> Self {
      Self(type: "error", message: message, code: code)
    }
  }
}
