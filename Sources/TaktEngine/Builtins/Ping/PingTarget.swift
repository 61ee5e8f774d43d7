import FoundationEssentials
import TaktCore
import TaktSystem
import TaktTime

/// A monitor of runs: a check at healthchecks.io or at a compatible server, or a cron monitor of
/// Sentry.
enum PingTarget: Equatable {
  case check(url: String)
  case sentry(url: String, environment: String?)

  enum Signal: Equatable {
    case start, success
    /// The exit status, if the run failed by it.
    case failure(exit: Int32?)
    /// A message that reports neither.
    case log

    init(_ facts: RunFacts?) {
      guard let facts else {
        self = .success
        return
      }
      switch (facts.hook, facts.end?.outcome) {
      case (.onStart, _): self = .start
      case (.onLate, _), (.onlyIf, _): self = .log
      case (.onStale, _), (.onAlarmFailed, _): self = .failure(exit: nil)
      case (_, .succeeded): self = .success
      case (.onFailure, _), (.onSuccess, _), (.onRecover, _):
        if case .exit(let status)? = facts.end?.reason, (1...255).contains(status) {
          self = .failure(exit: status)
        } else {
          self = .failure(exit: nil)
        }
      }
    }
  }

  /// - Parameter url: of a check, or of a Sentry monitor's check-ins.
  init(url: String, environment: String? = nil) {
    let path = Self.parts(url).path.split(separator: "/")
    let isSentry =
      path.count >= 5 && path[path.count - 3] == "cron" && path[path.count - 5] == "api"
    self = isSentry ? .sentry(url: url, environment: environment) : .check(url: url)
  }

  /// - Parameter dsn: `https://KEY@HOST/PROJECT`.
  ///
  /// Nil for a text that is no DSN.
  init?(dsn: String, monitor: String, environment: String?) {
    guard let url = URL(string: dsn), let scheme = url.scheme, ["http", "https"].contains(scheme),
      let key = url.user, !key.isEmpty, let host = url.host, !host.isEmpty
    else { return nil }
    var path = url.path(percentEncoded: true).split(separator: "/").map(String.init)
    guard let project = path.popLast(), project.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let address = host.contains(":") ? "[\(host)]" : host
    let port = url.port.map { ":\($0)" } ?? ""
    let parts = path + ["api", project, "cron", monitor.percentEncodedPart, key]
    self = .sentry(
      url: "\(scheme)://\(address)\(port)/\(parts.joined(separator: "/"))/",
      environment: environment)
  }

  /// The URL of a signal about a run; nil for a signal that the monitor does not support.
  func url(of signal: Signal, run: String) -> String? {
    switch self {
    case .check(let url):
      let suffix =
        switch signal {
        case .start: "/start"
        case .success: ""
        case .failure(nil): "/fail"
        case .failure(let exit?): "/\(exit)"
        case .log: "/log"
        }
      return Self.url(url, suffix: suffix, query: ["rid=\(run)"])
    case .sentry(let url, let environment):
      let status: String
      switch signal {
      case .start: status = "in_progress"
      case .success: status = "ok"
      case .failure: status = "error"
      case .log: return nil
      }
      return Self.url(
        url, suffix: nil,
        query: ["check_in_id=\(run)", "status=\(status)"]
          + (environment.map { ["environment=\($0.percentEncodedPart)"] } ?? []))
    }
  }

  /// - Parameter suffix: added to the path, whose last slash is removed; nil to keep the path.
  private static func url(_ url: String, suffix: String?, query: [String]) -> String {
    let (path, own) = parts(url)
    let trimmed = suffix.map { (path.hasSuffix("/") ? String(path.dropLast()) : path) + $0 } ?? path
    return trimmed + "?" + (own.isEmpty ? query : [own] + query).joined(separator: "&")
  }

  private static func parts(_ url: String) -> (path: String, query: String) {
    let bare = url.prefix { $0 != "#" }
    guard let mark = bare.firstIndex(of: "?") else { return (String(bare), "") }
    return (String(bare[..<mark]), String(bare[bare.index(after: mark)...]))
  }
}

/// Lets a monitor match the start and the end of one run: a UUID that both processes can compute.
enum RunUUID {
  static func of(_ request: AttemptRequest) -> String {
    let run = request.facts?.run ?? request.run
    return of("\(HostName.current)/\(request.spec.name)/\(run)/\(request.slot.milliseconds)")
  }

  /// The UUID of a message of an action, the same in each try. A reminder of `on_stale` differs
  /// from the previous one by its duration only.
  static func ofMessage(_ request: AttemptRequest) -> String {
    let facts = request.facts.map { "\($0.hook.rawValue)/\($0.duration.milliseconds)" } ?? ""
    return of("\(of(request))/\(request.run)/\(request.attempt)/\(request.step)/\(facts)")
  }

  private static func of(_ text: String) -> String {
    uuid(StableHash.of("a/" + text), StableHash.of("b/" + text))
  }

  /// With the version bits of a random UUID, which monitors expect.
  private static func uuid(_ high: UInt64, _ low: UInt64) -> String {
    let high = high & ~0xf000 | 0x4000
    let low = low & ~(3 << 62) | 2 << 62
    let digits = (hex(high) + hex(low)).map(String.init)
    return [digits[..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20...]]
      .map { $0.joined() }.joined(separator: "-")
  }

  private static func hex(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}
