#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One run, as the host has described it.
///
/// Safe from any thread.
public struct PluginRun: Sendable {
  /// Names the run.
  public let id: String
  /// The name of the job.
  public let job: String
  /// The job's slot, RFC 3339.
  public let slot: String
  /// The attempt's number, from 1.
  public let attempt: Int
  /// When the run is cancelled; nil without a timeout.
  public let deadline: Date?
  /// All parameters by name.
  public let parameters: [String: PluginParameter]
  /// The values of the job's secrets by name.
  public let secrets: [String: String]

  private let channel: PluginChannel

  init?(_ message: HostMessage, _ channel: PluginChannel) {
    guard let run = message.run else { return nil }
    id = run
    job = message.job ?? ""
    slot = message.slot ?? ""
    attempt = message.attempt ?? 1
    deadline = message.deadline.flatMap {
      try? Date($0, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
    parameters = message.parameters ?? [:]
    secrets = message.secrets ?? [:]
    self.channel = channel
  }

  /// The text of a parameter; nil when it is none.
  public func text(_ name: String) -> String? {
    if case .text(let text) = parameters[name] { text } else { nil }
  }

  /// The number of a parameter: a size in bytes, a duration in milliseconds; nil when it is none.
  public func number(_ name: String) -> Double? {
    if case .number(let number) = parameters[name] { number } else { nil }
  }

  /// The truth value of a parameter; nil when it is none.
  public func flag(_ name: String) -> Bool? {
    if case .flag(let flag) = parameters[name] { flag } else { nil }
  }

  /// Says a line of the run's output.
  public func log(_ message: String, level: PluginLogLevel = .info) {
    channel.send(.log(id, level.rawValue, message))
  }

  /// Says how far the run is, in percent.
  public func progress(_ percent: Double? = nil, _ message: String? = nil) {
    channel.send(.progress(id, percent, message))
  }

  /// Tells a measured value.
  public func metric(_ name: String, _ value: Double, unit: String? = nil) {
    channel.send(.metric(id, name, value, unit))
  }
}
