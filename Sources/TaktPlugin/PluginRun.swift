#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One run, as the host describes it.
///
/// Safe from any thread.
public struct PluginRun: Sendable {
  /// The run's identifier.
  public let id: String
  /// The name of the job.
  public let job: String
  /// The job's slot, RFC 3339.
  public let slot: String
  /// The attempt's number, from 1.
  public let attempt: Int
  /// In a cluster, a number that is higher than that of every earlier run of the job: a store that
  /// remembers the highest one can refuse what an older run writes. Nil outside a cluster.
  public let fence: UInt64?
  /// The time at which takt cancels the run; nil without a timeout.
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
    fence = message.fence
    deadline = message.deadline.flatMap {
      try? Date($0, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
    parameters = message.parameters ?? [:]
    secrets = message.secrets ?? [:]
    self.channel = channel
  }

  /// A parameter's text; nil if the parameter is missing or not a text.
  public func text(_ name: String) -> String? {
    if case .text(let text) = parameters[name] { text } else { nil }
  }

  /// A parameter's number: a size in bytes, a duration in milliseconds; nil if the parameter is
  /// missing or not a number.
  public func number(_ name: String) -> Double? {
    if case .number(let number) = parameters[name] { number } else { nil }
  }

  /// A parameter's Boolean value; nil if the parameter is missing or not a Boolean.
  public func flag(_ name: String) -> Bool? {
    if case .flag(let flag) = parameters[name] { flag } else { nil }
  }

  /// Writes a line to the run's output.
  public func log(_ message: String, level: PluginLogLevel = .info) {
    channel.send(.log(id, level.rawValue, message))
  }

  /// Reports the run's progress in percent.
  public func progress(_ percent: Double? = nil, _ message: String? = nil) {
    channel.send(.progress(id, percent, message))
  }

  /// Reports a measured value.
  public func metric(_ name: String, _ value: Double, unit: String? = nil) {
    channel.send(.metric(id, name, value, unit))
  }
}
